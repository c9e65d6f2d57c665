import type { ToolChange } from '../../contract/fleet/index.ts';
import type { Tool, ToolAnnotations } from '../../contract/tool/index.ts';
import { digestJson } from '../../kernel/index.ts';
import { hints, isLooser } from './trusted-tool.ts';

/** What is remembered of a tool, so that a server cannot make another of it unnoticed. */
export interface ToolRecord {
  /** Of what it is called and said to be, what it takes and gives, and its annotations. */
  readonly digests: Readonly<Record<ToolField, string>>;
  /** What its server says of it now. */
  readonly annotations: ToolAnnotations;
  /** What the user has accepted: what was said first, and all that asked for more care since. */
  readonly accepted: ToolAnnotations;
  /** The latest change that was not accepted. */
  readonly change?: Omit<ToolChange, 'tool'>;
}

export type ToolRecords = Readonly<Record<string, ToolRecord>>;

const fields = ['description', 'input schema', 'output schema', 'annotations'] as const;
type ToolField = (typeof fields)[number];

/** Tools that a server had once are remembered, too: what comes back is compared with what it was. */
const maxRecords = 10_000;

interface Remembered {
  readonly records: ToolRecords;
  /** What is another now. */
  readonly changes: readonly ToolChange[];
}

/** The records after a listing. A tool that is seen for the first time is accepted as it is. */
export function rememberTools(before: ToolRecords, tools: readonly Tool[], at: string): Remembered {
  const records = new Map(Object.entries(before));
  const changes: ToolChange[] = [];
  for (const tool of tools) {
    const known = records.get(tool.name);
    const record = recordOf(tool, known, at);
    if (record === known) continue;
    // The latest stand last: where there are too many, those go that were not seen for longest.
    records.delete(tool.name);
    records.set(tool.name, record);
    if (known && record.change) changes.push({ tool: tool.name, ...record.change });
  }
  const kept = [...records].slice(-Math.max(maxRecords, tools.length));
  return { records: Object.fromEntries(kept), changes };
}

function recordOf(tool: Tool, known: ToolRecord | undefined, at: string): ToolRecord {
  const { title, description, inputSchema, outputSchema, annotations = {} } = tool;
  const digests = {
    description: digestJson([title, description]),
    'input schema': digestJson(inputSchema),
    'output schema': digestJson(outputSchema),
    annotations: digestJson(annotations),
  };
  if (!known) return { digests, annotations, accepted: annotations };
  const changed = fields.filter((field) => known.digests[field] !== digests[field]);
  if (changed.length === 0) return known;
  const isLessCareful = hints.some((hint) =>
    isLooser(hint, annotations[hint], known.accepted[hint]),
  );
  return {
    digests,
    annotations,
    accepted: carefulOf(annotations, known.accepted),
    change: { fields: changed, at, isLessCareful },
  };
}

/** What a server says of its tool, without what asks for less care than was accepted. */
export function carefulOf(said: ToolAnnotations, accepted: ToolAnnotations): ToolAnnotations {
  const careful: Record<string, unknown> = { ...said };
  for (const hint of hints) {
    if (isLooser(hint, said[hint], accepted[hint])) careful[hint] = accepted[hint];
  }
  return careful;
}

/** The records once the user has accepted everything that changed. */
export function acceptTools(records: ToolRecords): ToolRecords {
  const entries = Object.entries(records).map(
    ([name, { digests, annotations }]): [string, ToolRecord] => [
      name,
      { digests, annotations, accepted: annotations },
    ],
  );
  return Object.fromEntries(entries);
}

export function changesOf(records: ToolRecords): readonly ToolChange[] {
  return Object.entries(records).flatMap(([tool, { change }]) =>
    change ? [{ tool, ...change }] : [],
  );
}
