import { z } from 'zod';
import type { Caller } from '../caller/index.ts';

/** opinion: a person's up or down · approval: a step that was approved or denied · change: a change that was undone. */
export const feedbackKinds = ['opinion', 'approval', 'change'] as const;

export const maxReasonChars = 2_000;

export const feedbackEntrySchema = z.object({
  kind: z.enum(feedbackKinds),
  subject: z.string().describe('What it is about: of each subject the latest counts.'),
  isGood: z.boolean(),
  runId: z.string().nullable(),
  sessionId: z.string().nullable(),
  reason: z.string(),
  givenAt: z.string(),
});

const count = z.int();

export const learnedWeekSchema = z.object({
  week: z.string().describe('ISO week, UTC: `2026-W47`.'),
  from: z.string().describe('Its Monday.'),
  runs: count.describe('That ended in this week.'),
  failures: count.describe('Runs that a person stopped by denying a step are not counted.'),
  repeatedFailures: count.describe('Of those: failed the same way before.'),
  curedFailures: count
    .nullable()
    .describe(
      'Cured by a fix that was suggested or used before; null where failures are not recorded.',
    ),
  recoveries: count.describe('Tasks that failed and then succeeded.'),
  medianSecondsToSuccess: z
    .number()
    .nullable()
    .describe('From the first failure of a task to its success.'),
  up: count,
  down: count,
  acceptedChanges: count.describe('Approved steps.'),
  rejectedChanges: count.describe('Denied steps, and changes that were undone.'),
});

export const learnedSchema = z.object({
  weeks: z.array(learnedWeekSchema).describe('The latest first; weeks without anything included.'),
  countedRuns: count,
  isComplete: z.boolean().describe('False where there are more runs than are counted.'),
  failuresFrom: z
    .enum(['runs', 'experience'])
    .describe('`runs`: the same task failed again. `experience`: the same error came up again.'),
});

export type FeedbackEntry = Readonly<z.output<typeof feedbackEntrySchema>>;
export type LearnedWeek = Readonly<z.output<typeof learnedWeekSchema>>;
export type Learned = Readonly<z.output<typeof learnedSchema>>;

/** A person's opinion about a run (an id, a unique beginning of one, `last`) or the last answer of a session. */
export interface Opinion {
  readonly about: { readonly run: string } | { readonly session: string };
  readonly isGood: boolean;
  readonly reason?: string;
}

/** What was noticed of a person's decision. */
export interface NoticedDecision {
  readonly kind: 'approval' | 'change';
  readonly subject: string;
  readonly isGood: boolean;
  readonly runId?: string;
  readonly reason?: string;
}

/** What people think of results, and whether work gets better. Callers see their own only. */
export interface Feedback {
  /** Replaces an earlier opinion of the same run or answer. */
  give(caller: Caller, opinion: Opinion): Promise<FeedbackEntry>;
  notice(caller: Caller, decision: NoticedDecision): Promise<void>;
  /** The latest first. */
  list(caller: Caller, options: { readonly limit: number }): Promise<readonly FeedbackEntry[]>;
  learned(caller: Caller, options: { readonly weeks: number }): Promise<Learned>;
}
