import { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import type { ErrorReport } from '../error/index.ts';
import type { Json } from '../plan/index.ts';

/** What failed: a step of a run, a call by itself, a program in the sandbox, a test run, the start of a server, a model. */
export const failureKinds = ['step', 'call', 'program', 'tests', 'server', 'model'] as const;

/** read-only: looks and changes nothing · safe: changes nothing of value · effect: changes something that a person cares about. */
export const cureKinds = ['read-only', 'safe', 'effect'] as const;

const changeSchema = z.object({
  what: z.enum(['arguments', 'plan', 'environment', 'version', 'order', 'time']),
  path: z.string().describe('Which argument, step, variable or program.'),
  before: z.string().describe('As JSON, cut; empty where it was absent.'),
  after: z.string(),
});

/** One difference between an attempt that failed and a later one that succeeded. */
export type Change = Readonly<z.infer<typeof changeSchema>>;

export const failureSchema = z.object({
  id: z.string(),
  at: z.string().describe('ISO 8601.'),
  kind: z.enum(failureKinds),
  subject: z.string().describe('The tool, server or model.'),
  code: z.string().describe('The error code.'),
  message: z.string().describe('The error itself, cut; secrets are hidden.'),
  signature: z
    .string()
    .describe('The same for failures that differ in paths, numbers and names only.'),
  family: z.string().nullable().describe('The known failure it is most like; null: unknown.'),
  runId: z.string().nullable(),
  step: z.string().nullable(),
  traceId: z.string().nullable(),
  folder: z.string().exactOptional().describe('The project it happened in.'),
  facets: z.record(z.string(), z.string()).describe('Platform, versions, exit code.'),
  curedBy: z.string().nullable().describe('The fix after which the same attempt succeeded.'),
  wasSuggested: z.boolean().describe('That fix was suggested for it, or used, before the success.'),
  curedAt: z.string().nullable(),
});

export type Failure = Readonly<z.infer<typeof failureSchema>>;

export const suggestionSchema = z.object({
  fixId: z.string().describe('What record_outcome takes.'),
  origin: z.enum(['shipped', 'learned']),
  family: z.string().nullable(),
  text: z.string(),
  command: z
    .string()
    .exactOptional()
    .describe('What to type; UPPER-CASE words stand for your own values.'),
  kind: z.enum(cureKinds),
  changes: z.array(changeSchema).exactOptional().describe('What was different when it succeeded.'),
  likeness: z.number().describe('How much the failure is like those it is for, 0 to 1.'),
  cureRate: z.number().describe('Estimated chance that it cures, from its uses.'),
  uses: z.int(),
  cures: z.int(),
  lastCuredAt: z.string().nullable(),
  without: z
    .object({ attempts: z.int(), successes: z.int() })
    .describe('Later attempts of the same target with nothing changed.'),
  isApproved: z.boolean().describe('A person allowed it to be used without asking.'),
  isDemoted: z.boolean().describe('It has stopped working, or works no better than nothing.'),
});

export type Suggestion = Readonly<z.infer<typeof suggestionSchema>>;

export const explanationSchema = z.object({
  failure: failureSchema.nullable().describe('Null where only a text was given.'),
  isKnown: z.boolean().describe('False: nothing known is like it.'),
  cause: z.string().nullable(),
  source: z.string().nullable().describe('Where the cause is documented.'),
  evidence: z.array(z.string()).describe('The lines and places of the failure that say so.'),
  suggestions: z.array(suggestionSchema).describe('Best first.'),
  seen: z.object({
    before: z.int().describe('Earlier failures with the same signature.'),
    lastAt: z.string().nullable(),
  }),
});

export type Explanation = Readonly<z.infer<typeof explanationSchema>>;

/** One attempt at something: what is compared when a later one succeeds. */
export interface Attempt {
  readonly kind: (typeof failureKinds)[number];
  readonly subject: string;
  /** The same for attempts at the same target: `release.plan/tests`, `server files`. */
  readonly target: string;
  /** The project it was made in: what succeeds in one cures nothing in another. */
  readonly folder?: string;
  readonly arguments: Json;
  /** Variables, versions, order: by name. */
  readonly surroundings: Readonly<Record<string, string>>;
}

export interface FailedAttempt extends Attempt {
  readonly error: ErrorReport;
  readonly exitCode?: number;
  readonly runId?: string;
  readonly step?: string;
  readonly traceId?: string;
}

/** What to explain: a run, a failure by its id, or the text of an error. */
export type FailureQuery =
  | { readonly kind: 'run'; readonly runId: string; readonly step?: string }
  | { readonly kind: 'failure'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string; readonly exitCode?: number };

/** Corrected arguments for a step, and the fix they come from. */
export interface Correction {
  readonly fixId: string;
  readonly args: Readonly<Record<string, Json>>;
}

/**
 * Failures and what cured them. A caller sees its own and the shipped base. Text of errors is data: commands come
 * from the shipped base only, changes from what the caller's own later attempts did.
 */
export interface Experience {
  /** Returns at once; what cannot be recorded is dropped and logged. */
  failed(caller: Caller, attempt: FailedAttempt): void;
  succeeded(caller: Caller, attempt: Attempt): void;
  /** Throws `memory.unknown_failure`. */
  explain(caller: Caller, query: FailureQuery): Promise<Explanation>;
  failures(caller: Caller, limit: number): Promise<readonly Failure[]>;
  /** All fixes that were used or learned. */
  fixes(caller: Caller, limit: number): Promise<readonly Suggestion[]>;
  /** Whether a suggestion helped. Throws `memory.unknown_fix`, `memory.unknown_failure`. */
  recordOutcome(
    caller: Caller,
    outcome: { readonly fixId: string; readonly failureId?: string; readonly isCured: boolean },
  ): Promise<Suggestion>;
  approve(caller: Caller, fixId: string, isApproved: boolean): Promise<Suggestion>;
  /**
   * Arguments that cured the same failure of the same tool before, for a repair without a person: the tool only
   * reads, or the fix is approved.
   */
  correction(
    caller: Caller,
    failed: FailedAttempt,
    options: { readonly isReadOnly: boolean },
  ): Promise<Correction | undefined>;
  /** Settles when everything that was reported so far is recorded. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Failures among which the last direct call is looked for. */
export const maxFailuresSearched = 100;

/** The latest failure of a direct call in this folder, of those listed newest first. */
export function findFailedCall(
  failures: readonly Failure[],
  here: string | undefined,
): Failure | undefined {
  return failures.find(
    ({ kind, runId, folder = here }) => kind === 'call' && runId === null && folder === here,
  );
}

export { describeExplanation } from './describe-explanation.ts';
