import { z } from 'zod';
import { planSchema } from '../plan/index.ts';
import type { Caller } from '../caller/index.ts';
import type {
  Edit,
  LearnedPreferences,
  Preference,
  PreferenceSetting,
} from '../preference/index.ts';

/** Something a conversation refers to later: "write tests for it". */
export const rememberedSchema = z.strictObject({
  kind: z.enum(['code', 'tests', 'review', 'spec', 'file', 'report', 'text']),
  /** The text itself, or where it is too long the artifact that holds it. */
  content: z.string().optional(),
  artifact: z.string().optional(),
  language: z.string().optional(),
  /** What it is, in a few words: `fibonacci.py`, `review of fibonacci.py`. */
  title: z.string(),
  /** The run and step it came from; absent where the user gave it. */
  runId: z.string().optional(),
  step: z.string().optional(),
  /** The tool found nothing to change: there is nothing to apply. */
  isUnchanged: z.literal(true).optional(),
});

/** What stands for the words of a turn that were forgotten. */
export const forgottenText = '(forgotten)';

export const turnSchema = z.strictObject({
  /** From 1, without gaps. */
  number: z.int().min(1),
  /** ISO 8601. */
  at: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** What an answer of the assistant was. */
  outcome: z.enum(['plan', 'question', 'refusal', 'answer', 'failed', 'cancelled']).optional(),
  plan: planSchema.optional(),
  /** What else was offered: the next message may choose one by its number. */
  alternatives: z.array(planSchema).optional(),
  questions: z.array(z.string()).optional(),
  runId: z.string().optional(),
  remembered: z.array(rememberedSchema).default([]),
  /** The id of the context that went with a message. */
  context: z.string().optional(),
  /** Texts of strangers may speak from it: it was imported, or made with results in sight. No decision rests on its words. */
  isTainted: z.boolean().optional(),
});

/** A conversation, as it is stored, mirrored in a file, exported and imported. */
export const sessionSchema = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  forkedFrom: z.strictObject({ session: z.string(), turn: z.int().min(0) }).nullable(),
  /** The project it belongs to: what is agreed on in it is done there. Absent: it belongs to none. */
  folder: z.string().exactOptional(),
  /** The gist of the turns up to and including `turn`. */
  summary: z.strictObject({ text: z.string(), turn: z.int().min(1) }).nullable(),
  turns: z.array(turnSchema),
});

export type Remembered = z.output<typeof rememberedSchema>;
export type Turn = z.output<typeof turnSchema>;
export type NewTurn = Omit<z.input<typeof turnSchema>, 'number' | 'at'>;
export type Session = z.output<typeof sessionSchema>;

/** These turns and, of those of the user, the answers to them, which repeat and plan what they say. */
export function turnsWithAnswers(session: Session, numbers: readonly number[]): readonly Turn[] {
  let isAnswered = false;
  return session.turns.filter((turn) => {
    const isNamed = numbers.includes(turn.number);
    isAnswered = turn.role === 'user' ? isNamed : isAnswered;
    return isNamed || isAnswered;
  });
}

/**
 * The session without the words of these turns and of the answers to them: what they remembered and planned, a summary
 * that covers them, the title where the first turn is among them.
 */
export function withoutWords(session: Session, numbers: readonly number[]): Session {
  const gone = turnsWithAnswers(session, numbers);
  const first = Math.min(...gone.map(({ number }) => number));
  // It was made of the first message, unless the user chose another one since.
  const isTitleTheirs = gone.some(({ number }) => number === session.turns[0]?.number);
  return {
    ...session,
    title: isTitleTheirs ? '' : session.title,
    summary: session.summary && session.summary.turn >= first ? null : session.summary,
    turns: session.turns.map((turn) => (gone.includes(turn) ? withoutText(turn) : turn)),
  };
}

function withoutText({ number, at, role, outcome, isTainted }: Turn): Turn {
  return {
    number,
    at,
    role,
    text: forgottenText,
    remembered: [],
    ...(outcome && { outcome }),
    ...(isTainted && { isTainted }),
  };
}

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  turns: z.int(),
  /** The process is alive; it may be this one. */
  isOpen: z.boolean().describe('A process has it open to write in it.'),
  folder: z.string().exactOptional().describe('The project it belongs to.'),
});
export type SessionSummary = Readonly<z.output<typeof sessionSummarySchema>>;

/** Conversations that survive whatever dies. Errors have codes `memory.…`. */
export interface Sessions {
  create(caller: Caller, options?: { readonly title?: string }): Promise<OpenSession>;
  /** By id, a unique beginning of it, or `last`, the latest changed of this folder. One writer at a time: throws `memory.session_busy`. */
  open(caller: Caller, id: string): Promise<OpenSession>;
  list(caller: Caller, options: { readonly limit: number }): Promise<readonly SessionSummary[]>;
  show(caller: Caller, id: string): Promise<Session>;
  fork(
    caller: Caller,
    id: string,
    options?: { readonly upToTurn?: number },
  ): Promise<SessionSummary>;
  /** A session from JSON that was exported, under a new id where that one is taken. */
  import(caller: Caller, data: unknown): Promise<SessionSummary>;
  remove(caller: Caller, id: string): Promise<void>;
  close(): Promise<void>;
}

/** A session this process writes in, until it is closed. */
export interface OpenSession {
  readonly id: string;
  current(): Session;
  /** Durable when it resolves: from then on it survives kill -9. */
  append(turn: NewTurn): Promise<Turn>;
  summarize(summary: { readonly text: string; readonly turn: number }): Promise<void>;
  rename(title: string): Promise<void>;
  /** What the agent saved of a task that takes several rounds; not part of the session's turns, exports or forks. */
  task(): Promise<unknown>;
  /** Replaces it; durable when it resolves, like a turn. */
  saveTask(task: object): Promise<void>;
  close(): Promise<void>;
}

/**
 * What is put before a model of a conversation, within a number of tokens. Of the plans of turns there are
 * the names of steps and tools, of what they remember there is no content; long texts are cut. The message,
 * where it is the last turn of the session already, is left out.
 */
export interface Conversation {
  /** What the user likes, gathered from all sessions: `tests with pytest`. */
  readonly preferences: readonly string[];
  /** The session's own, then sentences of the turns since, as lines: `user (turn 3): …`. */
  readonly summary: string | null;
  /** Older turns that the message seems to ask about, oldest first. */
  readonly recalled: readonly Turn[];
  readonly recent: readonly Turn[];
  /** The latest of each kind, newest first; contents are cut to fit. */
  readonly remembered: readonly Remembered[];
  readonly tokens: number;
}

export interface ConversationRequest {
  readonly caller: Caller;
  readonly session: Session;
  readonly message: string;
  readonly maxTokens: number;
  /** Turns that are given word for word, newest first, as far as they fit. */
  readonly maxTurns: number;
  readonly signal: AbortSignal;
}

/** What is known from before, for the request at hand. */
export interface Memory {
  readonly sessions: Sessions;
  converse(request: ConversationRequest): Promise<Conversation>;
  /** Learns the preferences that a message of the user's own words expresses. */
  learn(caller: Caller, message: string, setting?: PreferenceSetting): Promise<LearnedPreferences>;
  /** Learns from how the user changed a generated text: suggestions, of which nothing is quoted from the text. */
  observe(caller: Caller, edit: Edit, setting?: PreferenceSetting): Promise<readonly Preference[]>;
  /** All of a caller, in any state, the latest learned first. */
  preferences(caller: Caller): Promise<readonly Preference[]>;
  /** The user accepted or rejected a plan that these changed. */
  settle(
    caller: Caller,
    preferences: readonly Preference[],
    verdict: 'accepted' | 'rejected',
  ): Promise<void>;
  /** By its text, or by words of the user that fit one preference only; returns what is gone, its past included. */
  forget(caller: Caller, preference: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
