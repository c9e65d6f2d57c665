import { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import type { ErrorReport } from '../error/index.ts';
import type { Json, Plan, PlanCheck } from '../plan/index.ts';

/**
 * queued: stored, not begun · running · waiting: needs an answer or a signal (`waitingFor` says which
 * and how) · paused · succeeded · failed · cancelled. A run that only sleeps is running.
 */
export const runStatuses = [
  'queued',
  'running',
  'waiting',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** unknown: an effect was sent and its outcome is not known. */
const stepStatuses = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
] as const;

export type StepStatus = (typeof stepStatuses)[number];

const engineNames = ['embedded', 'restate'] as const;

export type EngineName = (typeof engineNames)[number];

/** ISO 8601. */
const time = z.string();

/** An `ErrorReport`. */
const errorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export const storedOutputSchema = z.object({
  id: z.string().describe('What read_artifact takes.'),
  bytes: z.int(),
  mediaType: z.string(),
  preview: z.string(),
});

export type StoredOutput = Readonly<z.infer<typeof storedOutputSchema>>;

/** Values of plans and outputs came out of JSON: there is nothing to check. */
const json = z.unknown() as z.ZodType<Json>;

export const stepViewSchema = z.object({
  status: z.enum(stepStatuses),
  output: json.exactOptional(),
  stored: storedOutputSchema
    .exactOptional()
    .describe('The output where it is too big to be shown.'),
  text: z.string().exactOptional().describe('What the tool says about its result, cut.'),
  error: errorSchema.exactOptional(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  attempts: z.int(),
  tool: z.string().exactOptional(),
  items: z.object({ total: z.int(), done: z.int() }).exactOptional(),
  progress: z
    .object({
      progress: z.number(),
      total: z.number().exactOptional(),
      message: z.string().exactOptional(),
    })
    .exactOptional(),
  isCached: z.boolean().exactOptional(),
});

export type StepView = Readonly<z.infer<typeof stepViewSchema>>;

const step = z.string();

/** What a run waits for, by kind. */
const waitFields = [
  z.object({
    kind: z.literal('approval'),
    step,
    approvalId: z.string(),
    message: z.string(),
    preview: z.string().exactOptional().describe('What the call would do, such as a diff.'),
    isPreviewCut: z
      .literal(true)
      .exactOptional()
      .describe('Not all that would change is in the preview: the arguments say the rest.'),
    tool: z.string().nullable(),
    arguments: json,
    isPartial: z.literal(true).exactOptional().describe('Large values are named by `stored`.'),
    expiresAt: time,
  }),
  z.object({ kind: z.literal('signal'), step, signal: z.string() }),
  z.object({ kind: z.literal('resolve'), step, tool: z.string(), message: z.string() }),
  z.object({ kind: z.literal('repair'), step, error: errorSchema }),
] as const;

const waitingSchema = z.discriminatedUnion('kind', waitFields);

export type Waiting = Readonly<z.infer<typeof waitingSchema>>;

export const runSummarySchema = z.object({
  runId: z.string(),
  name: z.string().nullable(),
  goal: z.string().nullable(),
  status: z.enum(runStatuses),
  engine: z.enum(engineNames),
  createdAt: time,
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  forkedFrom: z.string().nullable(),
  folder: z
    .string()
    .exactOptional()
    .describe('The project it belongs to: it is executed there only. Absent: anywhere.'),
  isInterrupted: z
    .literal(true)
    .exactOptional()
    .describe('It is running, and no process executes it any more.'),
});

export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** A run as it stands. */
export const runViewSchema = runSummarySchema.extend({
  /** By path, in the order of the plan; those of sub-plans as `outer/inner`. */
  steps: z.record(z.string(), stepViewSchema),
  output: json.exactOptional(),
  error: errorSchema.exactOptional(),
  waitingFor: z.array(waitingSchema),
  input: z.record(z.string(), json),
  traceId: z.string().nullable(),
});

export type RunView = Readonly<z.infer<typeof runViewSchema>>;

const commands = z.array(z.string()).describe('What a person types to give it.');

/** A page of a run, small enough for one answer: what is too big is in `stored`. */
export const shownRunSchema = runViewSchema.omit({ input: true }).extend({
  totalSteps: z.int(),
  doneSteps: z.int(),
  nextOffset: z.int().exactOptional().describe('Where get_run goes on; absent when all are shown.'),
  stored: storedOutputSchema
    .exactOptional()
    .describe('The output where it is too big to be shown.'),
  waitingFor: z.array(
    z.discriminatedUnion('kind', [
      waitFields[0].extend({ commands }),
      waitFields[1].extend({ commands }),
      waitFields[2].extend({ commands }),
      waitFields[3].extend({ commands }),
    ]),
  ),
});

export type ShownRun = Readonly<z.infer<typeof shownRunSchema>>;

/**
 * One entry of a run's journal, without the values in it. began: a long call is on its way · settled: its result is
 * recorded · due: a pause, or the time limit of a wait, ends at `at` · forgotten: `steps` run again.
 */
export const journalEntrySchema = z.object({
  number: z
    .int()
    .describe('From 1, without gaps. Entries are only added, so a number keeps its entry.'),
  kind: z.enum(['began', 'settled', 'due', 'forgotten']),
  steps: z.array(z.string()),
  activity: z
    .enum(['call', 'backoff', 'condition', 'approval', 'resolution', 'repair', 'pause'])
    .nullable(),
  outcome: z
    .string()
    .nullable()
    .describe(
      'Of a call `succeeded`, `failed` or `unknown`, of an approval `asked`, `approved` or `denied`.',
    ),
  code: z.string().exactOptional().describe('Of the error, where it failed.'),
  at: time.nullable(),
});

export type RunJournalEntry = Readonly<z.infer<typeof journalEntrySchema>>;

export interface RunJournalPage {
  readonly runId: string;
  readonly entries: readonly RunJournalEntry[];
  /** Entries of the whole journal. */
  readonly total: number;
}

/** A plan as it is given: text with where it came from, or data. */
export type PlanSource =
  | { readonly kind: 'text'; readonly text: string; readonly file?: string }
  | { readonly kind: 'data'; readonly plan: unknown };

export interface NewRun {
  readonly source: PlanSource;
  readonly input: Readonly<Record<string, Json>>;
  /** A context whose text becomes the input `context`. */
  readonly context?: string;
  readonly engine?: EngineName;
  /** Drop dead steps and merge identical read-only calls first; the setting decides when not given. */
  readonly optimize?: boolean;
  /** The caller's key for this start: the same key starts one run. */
  readonly idempotencyKey?: string;
  /** Trace the run belongs to (`traceparent`). */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How the outcome of an effect is settled by a person who looked. */
export type Resolution =
  | { readonly kind: 'happened'; readonly output?: Json }
  | { readonly kind: 'not-happened' };

export interface ForkChanges {
  /** This step and all that need it run again; without it, those that changed inputs reach. */
  readonly fromStep?: string;
  readonly input?: Readonly<Record<string, Json>>;
  /** Arguments to replace, by step. */
  readonly args?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Plans and runs as the faces use them. Errors have codes `plan.…` and `workflow.…`. */
export interface Workflows {
  check(caller: Caller, source: PlanSource, options?: { optimize?: boolean }): Promise<PlanCheck>;
  draw(plan: Plan, format: 'text' | 'mermaid' | 'svg'): Promise<string>;
  /**
   * Checks and stores a run, which then survives whatever dies. Throws `plan.invalid` with all problems.
   * This process executes it, unless its engine has others do that.
   */
  start(caller: Caller, run: NewRun): Promise<{ readonly runId: string }>;
  /**
   * Waits until the run has ended or waits for a person, wherever it is executed. With `execute` this
   * process claims it when it has no owner. An abort ends the waiting, not the run.
   */
  follow(caller: Caller, runId: string, options: FollowOptions): Promise<RunView>;
  list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]>;
  /** By id or a unique beginning of it. Throws `workflow.unknown_run`. */
  show(caller: Caller, runId: string): Promise<RunView>;
  /** What happened in a run, in order: entries after the number `after`. Throws `workflow.unknown_run`. */
  journal(
    caller: Caller,
    runId: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<RunJournalPage>;
  /** What is under way reaches the tools as a cancellation. */
  cancel(caller: Caller, runId: string, reason?: string): Promise<void>;
  pause(caller: Caller, runId: string): Promise<void>;
  resume(caller: Caller, runId: string): Promise<void>;
  /** What failed, and what was skipped because of it, is tried again; all else keeps its outcome. */
  retry(caller: Caller, runId: string, fromStep?: string): Promise<void>;
  fork(caller: Caller, runId: string, changes: ForkChanges): Promise<{ readonly runId: string }>;
  /** `step` may be left out where just one approval is asked for. */
  decide(caller: Caller, runId: string, decision: Decision): Promise<void>;
  /** A signal is a fact about a run: the first value counts, every wait for it gets that. */
  signal(caller: Caller, runId: string, name: string, payload: Json): Promise<void>;
  resolve(caller: Caller, runId: string, step: string, resolution: Resolution): Promise<void>;
  /** Corrected arguments for a step with `onFailure: repair`; null gives the step up. */
  repair(
    caller: Caller,
    runId: string,
    step: string,
    args: Readonly<Record<string, Json>> | null,
  ): Promise<void>;
}

export interface Decision {
  readonly step?: string;
  /** Just the question that was shown: one that has taken its place meanwhile stays undecided. */
  readonly approvalId?: string;
  readonly verdict: 'approved' | 'denied';
  readonly reason?: string;
}

export interface FollowOptions {
  readonly execute: boolean;
  readonly signal: AbortSignal;
  readonly onChange?: (view: RunView) => void;
  /** With `execute`: this process cannot go on for now, and tries again; told when it begins. */
  readonly onTrouble?: (error: ErrorReport) => void;
}

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  /** Without it those of other projects, too. */
  readonly where?: 'here';
  /** Those that come after this run in the list; nothing when it is gone. */
  readonly after?: string;
  readonly limit: number;
}
