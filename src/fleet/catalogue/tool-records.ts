import type { ToolDefinition } from '../../contract/fleet/index.ts';
import type { Tool, ToolAnnotations } from '../../contract/tool/index.ts';
import { digestJson } from '../../kernel/index.ts';
import { hints, isLooser } from './trusted-tool.ts';

/** What is recorded about a tool, so that a server cannot change it unnoticed. */
export interface ToolRecord {
  /** Digests of title and description, schemas and annotations, as last seen. */
  readonly digests: ToolDigests;
  /** The same as accepted; absent when they are equal. */
  readonly acceptedDigests?: ToolDigests;
  /** The current annotations. */
  readonly annotations: ToolAnnotations;
  /** The accepted annotations: the first ones, and every later change towards more care. */
  readonly accepted: ToolAnnotations;
  /** What is not accepted yet. */
  readonly change?: RecordedChange;
}

export interface RecordedChange {
  readonly fields: readonly string[];
  readonly at: string;
  readonly isLessCareful: boolean;
  /** Absent in records of earlier versions, whose changes are not held. */
  readonly kind?: 'changed' | 'new';
  /** The accepted definition, where it is known. */
  readonly before?: ToolDefinition;
}

export type ToolRecords = Readonly<Record<string, ToolRecord>>;
type ToolDigests = Readonly<Partial<Record<ToolField, string>>>;

const fields = ['description', 'input schema', 'output schema', 'annotations'] as const;
type ToolField = (typeof fields)[number];

/** Removed tools stay recorded, so that a returning tool is compared with its old definition. */
const maxRecords = 10_000;

export interface Sighting {
  readonly tools: readonly Tool[];
  /** The tools of the listing before. */
  readonly previous: readonly Tool[];
  /** The server was never listed before: all its tools are accepted. */
  readonly isFirst: boolean;
  readonly at: string;
}

/** The records after a listing, and the names of the tools whose change is new. */
export function rememberTools(
  before: ToolRecords,
  sighting: Sighting,
): { readonly records: ToolRecords; readonly changed: readonly string[] } {
  const records = new Map(Object.entries(before));
  const previous = new Map(sighting.previous.map((tool) => [tool.name, tool]));
  const changed: string[] = [];
  for (const tool of sighting.tools) {
    const known = records.get(tool.name);
    const record = known
      ? recordAgain(tool, known, { at: sighting.at, previous: previous.get(tool.name) })
      : recordFirst(tool, sighting);
    if (record === known) continue;
    // The most recently changed are last; the oldest are evicted.
    records.delete(tool.name);
    records.set(tool.name, record);
    if (record.change) changed.push(tool.name);
  }
  const kept = [...records].slice(-Math.max(maxRecords, sighting.tools.length));
  return { records: Object.fromEntries(kept), changed };
}

function recordFirst(tool: Tool, { isFirst, at }: Sighting): ToolRecord {
  const { annotations = {} } = tool;
  const record = { digests: digestsOf(tool), annotations, accepted: annotations };
  if (isFirst) return record;
  const change = { fields: ['new'], at, isLessCareful: false, kind: 'new' } as const;
  return { ...record, acceptedDigests: {}, change };
}

interface Earlier {
  readonly at: string;
  readonly previous: Tool | undefined;
}

function recordAgain(tool: Tool, known: ToolRecord, { at, previous }: Earlier): ToolRecord {
  const { annotations = {} } = tool;
  const digests = digestsOf(tool);
  if (differing(known.digests, digests).length === 0) return known;
  const acceptedDigests = known.acceptedDigests ?? known.digests;
  const isLessCareful = hints.some((hint) =>
    isLooser(hint, annotations[hint], known.accepted[hint]),
  );
  const accepted = carefulOf(annotations, known.accepted);
  const changed = differing(acceptedDigests, digests);
  // Back to what was accepted, except that more care was asked for in between.
  if (changed.length === 0 && !isLessCareful) return { digests, annotations, accepted };
  const before = known.change?.before ?? (previous && definitionOf(previous));
  const isNew = known.change?.kind === 'new';
  return {
    digests,
    acceptedDigests,
    annotations,
    accepted,
    change: {
      fields: isNew ? ['new'] : changed.length > 0 ? changed : ['annotations'],
      at,
      isLessCareful,
      kind: isNew ? 'new' : 'changed',
      ...(before && { before }),
    },
  };
}

function digestsOf(tool: Tool): Readonly<Record<ToolField, string>> {
  const { title, description, inputSchema, outputSchema, annotations = {} } = tool;
  return {
    description: digestJson([title, description]),
    'input schema': digestJson(inputSchema),
    'output schema': digestJson(outputSchema),
    annotations: digestJson(annotations),
  };
}

function differing(before: ToolDigests, after: ToolDigests): readonly ToolField[] {
  return fields.filter((field) => before[field] !== after[field]);
}

/** What people compare, without what clients do not see. */
export function definitionOf(tool: Tool): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
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

/** The records with the changes of these tools accepted; of all by default. */
export function acceptTools(records: ToolRecords, names?: readonly string[]): ToolRecords {
  const entries = Object.entries(records).map(([name, record]): [string, ToolRecord] => {
    if (names && !names.includes(name)) return [name, record];
    const { digests, annotations } = record;
    return [name, { digests, annotations, accepted: annotations }];
  });
  return Object.fromEntries(entries);
}
