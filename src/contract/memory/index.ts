import { z } from 'zod';
import { pluralize, readChoice, readShortReply, type DeepReadonly } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';
import { forgottenText, type Turn } from '../session/index.ts';

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

/** The project in which it was said or read; absent for what holds everywhere. */
const folder = z.string().max(4_096).exactOptional();

/** Where an item comes from. There is no item without a source. */
export const memorySourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('turn'),
    session: z.string().max(64),
    turn: z.int().min(1),
    role: z.enum(['user', 'assistant']),
    folder,
  }),
  z.strictObject({
    kind: z.literal('run'),
    runId: z.string().max(100),
    step: z.string().max(200).optional(),
    folder,
  }),
  z.strictObject({ kind: z.literal('file'), path: z.string().min(1).max(4_096), folder }),
  /** Said outside a session: at the terminal, over REST or MCP. */
  z.strictObject({ kind: z.literal('person'), face: z.enum(['cli', 'rest', 'mcp']), folder }),
]);

/** Characters of the text of one item; longer texts are cut, or refused where a person gives them. */
export const maxMemoryTextLength = 8_000;

export const memoryItemSchema = z.strictObject({
  /** Of a turn `SESSION-NUMBER`, of others random. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/),
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

/**
 * A turn as an item, or undefined where it says nothing by itself, as "yes" or "2". What a user wrote is active. Answers are candidates, as results
 * and files may speak from them, and so are tainted turns.
 */
export function itemOfTurn(
  session: string,
  turn: Pick<Turn, 'number' | 'at' | 'role' | 'text' | 'isTainted'>,
): MemoryItem | undefined {
  const text = turn.text.slice(0, maxMemoryTextLength).toWellFormed().trim();
  if (text === '' || text === forgottenText || isBareReply(text)) return undefined;
  const isOwn = turn.role === 'user' && turn.isTainted !== true;
  return {
    id: `${session}-${turn.number}`,
    kind: 'turn',
    text,
    source: { kind: 'turn', session, turn: turn.number, role: turn.role },
    status: isOwn ? 'active' : 'candidate',
    sensitivity: 'normal',
    pinned: false,
    observedAt: turn.at,
    validFrom: turn.at,
    validUntil: null,
    supersedes: null,
    supersededBy: null,
  };
}

function isBareReply(text: string): boolean {
  const isWord = /[\p{L}\p{N}]{2}/u.test(text);
  return !isWord || readShortReply(text) !== undefined || readChoice(text) !== undefined;
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
  /** Tokens that the texts of the hits may have together; absent for any number. */
  readonly tokenBudget?: number | undefined;
  readonly signal: AbortSignal;
}

/** Why an item was found. */
const memoryReceiptSchema = z.object({
  words: z.array(z.string()).describe('Words of the query that the item has.'),
  likeness: z.number().nullable().describe('How alike they are in meaning, from -1 to 1.'),
  ageDays: z.number(),
  isSuperseded: z
    .boolean()
    .optional()
    .describe('It no longer holds: it, or a fact noted from its turn, is superseded or expired.'),
  source: memorySourceSchema,
  /** `you said it 3 days ago in session ab12 (turn 7); shares "port", "staging"`. */
  because: z.string().describe('Why it was found, in one sentence.'),
});

export const memoryHitSchema = z.object({
  item: memoryItemSchema,
  /** Comparable within one search only. */
  score: z.number(),
  receipt: memoryReceiptSchema,
});

export type MemoryReceipt = DeepReadonly<z.output<typeof memoryReceiptSchema>>;
export type MemoryHit = DeepReadonly<z.output<typeof memoryHitSchema>>;

export interface MemoryFound {
  readonly hits: readonly MemoryHit[];
  /** False: nothing that was found seems to answer the request. */
  readonly isAnswerable: boolean;
}

/** Something to remember. */
export interface NewMemory {
  readonly text: string;
  /** `fact` where absent. */
  readonly kind?: Exclude<MemoryKind, 'turn'> | undefined;
  readonly source: MemorySource;
  /**
   * Whether a person vouches for the words: they typed them, or were asked. Otherwise, as for results, files and texts
   * of other servers, the item is a candidate.
   */
  readonly isVouchedFor: boolean;
  /** It is about no project. Otherwise it belongs to the one that this process works in. */
  readonly isEverywhere?: boolean | undefined;
  readonly sensitivity?: MemorySensitivity | undefined;
  readonly pinned?: boolean | undefined;
  /** ISO 8601; now where absent. */
  readonly observedAt?: string | undefined;
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
}

export const memoryExplanationSchema = z.object({
  item: memoryItemSchema,
  because: z.string().describe('From where it is known, since when, and whether it counts.'),
  evidence: z.string().nullable().describe('What the source says.'),
  earlier: z.array(memoryItemSchema).describe('Versions it superseded, the latest first.'),
  newer: memoryItemSchema.nullable().describe('The version that superseded it.'),
});
export type MemoryExplanation = DeepReadonly<z.output<typeof memoryExplanationSchema>>;

const forgottenCopiesSchema = z.object({
  preferences: z.int().describe('Preferences that were learned from the words, removed.'),
  failures: z.int().describe('Recorded failures with the words or of their runs, removed.'),
  fixes: z.int().describe('Fixes that were learned from these failures, removed.'),
  feedback: z.int().describe('Feedback whose reason was removed.'),
  contexts: z
    .array(z.string())
    .describe('Versions of contexts with the words, removed: NAME@NUMBER.'),
});
export type ForgottenCopies = DeepReadonly<z.output<typeof forgottenCopiesSchema>>;

export const forgottenMemorySchema = z.object({
  forgotten: z.array(z.string()).describe('Ids of everything that was removed.'),
  turns: z.int().describe('Turns of sessions whose words were removed.'),
  copies: forgottenCopiesSchema.describe('What else had the words.'),
});
export type ForgottenMemory = DeepReadonly<z.output<typeof forgottenMemorySchema>>;

export const noCopies: ForgottenCopies = {
  preferences: 0,
  failures: 0,
  fixes: 0,
  feedback: 0,
  contexts: [],
};

export function addCopies(one: ForgottenCopies, other: ForgottenCopies): ForgottenCopies {
  return {
    preferences: one.preferences + other.preferences,
    failures: one.failures + other.failures,
    fixes: one.fixes + other.fixes,
    feedback: one.feedback + other.feedback,
    contexts: [...one.contexts, ...other.contexts],
  };
}

/** `2 items, the words of 1 turn, 1 preference: m1, m2. Contexts that had the words are gone: release@3` */
export function describeForgotten({ forgotten, turns, copies }: ForgottenMemory): string {
  const { preferences, failures, fixes, feedback, contexts } = copies;
  const parts = [
    pluralize(forgotten.length, 'item'),
    ...(turns === 0 ? [] : [`the words of ${pluralize(turns, 'turn')}`]),
    ...(preferences === 0 ? [] : [pluralize(preferences, 'preference')]),
    ...(failures === 0 ? [] : [pluralize(failures, 'recorded failure')]),
    ...(fixes === 0 ? [] : [pluralize(fixes, 'fix', 'fixes')]),
    ...(feedback === 0 ? [] : [pluralize(feedback, 'reason of feedback', 'reasons of feedback')]),
  ];
  const gone =
    contexts.length === 0 ? '' : `. Contexts that had the words are gone: ${contexts.join(', ')}`;
  return `${parts.join(', ')}: ${forgotten.join(', ')}${gone}`;
}

/** What is known about the subject of a text that says something else. */
export interface MemoryComparison {
  /** The item that it ends: another value of what has one. */
  readonly replaces: MemoryItem | null;
  /** Items that may hold with it or not. */
  readonly unclear: readonly MemoryItem[];
}

export interface MemoryState {
  readonly items: number;
  readonly indexed: number;
  readonly vectors: number;
  readonly pendingVectors: number;
  readonly pendingTurns: number;
  readonly problems: readonly string[];
}

/**
 * What is remembered of a caller. Ids may be given by a unique beginning. Errors have codes `memory.…`.
 *
 * 1. Text that no person vouched for becomes a candidate, which no search gives unless it is asked for.
 * 2. A correction supersedes; the earlier version stays as history until it is forgotten.
 * 3. What was forgotten is found nowhere from then on.
 */
export interface MemoryItems {
  search(query: MemoryQuery): Promise<MemoryFound>;
  /**
   * Where the same caller has the same text as an item that counts, that one is given. A fact or decision supersedes
   * what the caller told earlier about the same subject in the same project, where only one of them can hold.
   */
  remember(caller: Caller, memory: NewMemory): Promise<MemoryItem>;
  /** What `remember` would supersede; of a correction ("no, …") more. */
  compare(
    caller: Caller,
    text: string,
    options?: { readonly isCorrection?: boolean; readonly isEverywhere?: boolean },
  ): Promise<MemoryComparison>;
  /** A new version. As a candidate it supersedes once it is accepted. */
  correct(caller: Caller, id: string, memory: NewMemory): Promise<MemoryItem>;
  forget(caller: Caller, ids: readonly string[]): Promise<ForgottenMemory>;
  pin(caller: Caller, id: string, pinned: boolean): Promise<MemoryItem>;
  /** `active` makes a candidate count, and an excluded item again: only for people. */
  setStatus(caller: Caller, id: string, status: 'active' | 'excluded'): Promise<MemoryItem>;
  explain(caller: Caller, id: string): Promise<MemoryExplanation>;
  list(
    caller: Caller,
    filter: MemoryFilter,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<readonly MemoryItem[]>;
  /** Of all callers together; compares items, index and vectors. */
  state(): Promise<MemoryState>;
  /** Writes the database anew, so that no unused part of a file has anything of what was forgotten. Takes seconds. */
  erase(): Promise<void>;
  close(): Promise<void>;
}
