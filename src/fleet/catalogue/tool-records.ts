import type { ToolChange } from '../../contract/fleet/index.ts';
import type { Tool, ToolAnnotations } from '../../contract/tool/index.ts';
import { digestJson } from '../../kernel/index.ts';
import { hints, isLooser } from './trusted-tool.ts';

/** What is recorded about a tool, so that a server cannot change it unnoticed. */
export interface ToolRecord {
  /** Digests of title and description, schemas and annotations. */
  readonly digests: Readonly<Record<ToolField, string>>;
  /** The current annotations. */
  readonly annotations: ToolAnnotations;
  /** The accepted annotations: the first ones, and every later change towards more care. */
  readonly accepted: ToolAnnotations;
  /** The latest change that is not accepted yet. */
  readonly change?: Omit<ToolChange, 'tool'>;
}

export type ToolRecords = Readonly<Record<string, ToolRecord>>;

const fields = ['description', 'input schema', 'output schema', 'annotations'] as const;
type ToolField = (typeof fields)[number];

/** Removed tools stay recorded, so that a returning tool is compared with its old definition. */
const maxRecords = 10_000;

interface Remembered {
  readonly records: ToolRecords;
  /** The tools that changed. */
  readonly changes: readonly ToolChange[];
}

/** Updates the records after a listing. A tool seen for the first time is accepted. */
export function rememberTools(before: ToolRecords, tools: readonly Tool[], at: string): Remembered {
  const records = new Map(Object.entries(before));
  const changes: ToolChange[] = [];
  for (const tool of tools) {
    const known = records.get(tool.name);
    const record = recordOf(tool, known, at);
    if (record === known) continue;
    // The most recently changed are last; the oldest are evicted.
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

/** The tool's annotations, except those that ask for less care than was accepted. */
export function carefulOf(said: ToolAnnotations, accepted: ToolAnnotations): ToolAnnotations {
  const careful: Record<string, unknown> = { ...said };
  for (const hint of hints) {
    if (isLooser(hint, said[hint], accepted[hint])) careful[hint] = accepted[hint];
  }
  return careful;
}

/** The records with every change accepted. */
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
