import { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import type { Turn } from '../session/index.ts';

export const memoryKindSchema = z.enum([
  'fact',
  'preference',
  'decision',
  'document',
  'turn',
  'experience',
]);

/**
 * `active` items are recalled. A `candidate` comes from text that no person vouched for; it is recalled once a person
 * accepts it. An `excluded` item is kept and never recalled.
 */
export const memoryStatusSchema = z.enum(['active', 'candidate', 'excluded']);

/** `sensitive` items are found only when asked for by name, and are never put before a model unasked. */
export const memorySensitivitySchema = z.enum(['normal', 'sensitive']);

/** Where an item comes from. There is no item without a source. */
export const memorySourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('turn'),
    session: z.string().max(64),
    turn: z.int().min(1),
    role: z.enum(['user', 'assistant']),
  }),
  z.strictObject({
    kind: z.literal('run'),
    runId: z.string().max(100),
    step: z.string().max(200).optional(),
  }),
  z.strictObject({ kind: z.literal('file'), path: z.string().min(1).max(4_096) }),
  /** Said outside a session: at the terminal, over REST or MCP. */
  z.strictObject({ kind: z.literal('person'), face: z.enum(['cli', 'rest', 'mcp']) }),
]);

/** Characters of the text of one item; longer texts are cut, or refused where a person gives them. */
export const maxMemoryTextLength = 8_000;

export const memoryItemSchema = z.strictObject({
  /** Of a turn `SESSION-NUMBER`, of others random. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{2,79}$/),
  kind: memoryKindSchema,
  text: z.string().min(1).max(maxMemoryTextLength),
  source: memorySourceSchema,
  status: memoryStatusSchema,
  sensitivity: memorySensitivitySchema,
  pinned: z.boolean(),
  /** ISO 8601: when it was said, read or measured. */
  observedAt: z.string(),
  /** ISO 8601: from when on it holds. */
  validFrom: z.string(),
  /** ISO 8601; null while it holds. */
  validUntil: z.string().nullable(),
  /** The item that this one replaced. */
  supersedes: z.string().nullable(),
  /** The item that replaced this one; an item with one is history. */
  supersededBy: z.string().nullable(),
});

export type MemoryKind = z.output<typeof memoryKindSchema>;
export type MemoryStatus = z.output<typeof memoryStatusSchema>;
export type MemorySensitivity = z.output<typeof memorySensitivitySchema>;
export type MemorySource = z.output<typeof memorySourceSchema>;
export type MemoryItem = z.output<typeof memoryItemSchema>;

/** A turn as an item, or undefined where it has no text. Tainted turns are candidates. */
export function itemOfTurn(
  session: string,
  turn: Pick<Turn, 'number' | 'at' | 'role' | 'text' | 'isTainted'>,
): MemoryItem | undefined {
  const text = turn.text.slice(0, maxMemoryTextLength).toWellFormed().trim();
  if (text === '') return undefined;
  return {
    id: `${session}-${turn.number}`,
    kind: 'turn',
    text,
    source: { kind: 'turn', session, turn: turn.number, role: turn.role },
    status: turn.isTainted === true ? 'candidate' : 'active',
    sensitivity: 'normal',
    pinned: false,
    observedAt: turn.at,
    validFrom: turn.at,
    validUntil: null,
    supersedes: null,
    supersededBy: null,
  };
}

/** Which items are looked through. What is absent does not restrict. */
export interface MemoryFilter {
  readonly kinds?: readonly MemoryKind[] | undefined;
  /** Only `active` ones where absent. */
  readonly statuses?: readonly MemoryStatus[] | undefined;
  /** Only `normal` ones where absent. */
  readonly sensitivities?: readonly MemorySensitivity[] | undefined;
  /** ISO 8601: items that held at this moment. Where absent, also those that are superseded or expired. */
  readonly validAt?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly observedFrom?: string | undefined;
  readonly observedUntil?: string | undefined;
  /** Items whose source is a turn of this session. */
  readonly session?: string | undefined;
}

export interface MemoryQuery {
  readonly caller: Caller;
  readonly text: string;
  readonly filter?: MemoryFilter;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Why an item was found. */
export interface MemoryReceipt {
  /** Words of the request that the item has. */
  readonly words: readonly string[];
  /** Cosine of the vectors of request and item, from -1 to 1; null where it was not compared. */
  readonly likeness: number | null;
  readonly ageDays: number;
  readonly source: MemorySource;
  /** One sentence for people: `you said it 3 days ago in session ab12 (turn 7); shares "port", "staging"`. */
  readonly because: string;
}

export interface MemoryHit {
  readonly item: MemoryItem;
  /** Comparable within one search only. */
  readonly score: number;
  readonly receipt: MemoryReceipt;
}

export interface MemoryFound {
  readonly hits: readonly MemoryHit[];
  /** False: nothing that was found seems to answer the request. */
  readonly isAnswerable: boolean;
}
