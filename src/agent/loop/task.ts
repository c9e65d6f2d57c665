import { randomBytes } from 'node:crypto';
import { planSchema } from '../../contract/plan/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import type { OpenSession } from '../../contract/session/index.ts';
import type { Log } from '../../kernel/index.ts';
import { z } from 'zod';

/** One round of a task: a plan that passed the guard and the check, and the run it became. */
const roundSchema = z.strictObject({
  plan: planSchema,
  /** No step has an effect or sends anything out. */
  isFree: z.boolean(),
  /** What it reads that the user did not name. */
  reads: z.array(z.string()).default([]),
  /** The user has to see the plan before it runs. */
  mustShow: z.boolean(),
  /** Undefined until the run has ended or waits for someone; before that the idempotency key finds it. */
  runId: z.string().optional(),
});

/** What happens next: everything a new process needs to know to go on. */
const nextSchema = z.discriminatedUnion('kind', [
  /** The last round is to be run, is running, or waits for someone. */
  z.strictObject({ kind: z.literal('run') }),
  /** Its run has ended: the model is to say what comes next. */
  z.strictObject({ kind: z.literal('look') }),
  /** The user is asked whether the model may call these tools, for these steps. */
  z.strictObject({
    kind: z.literal('allow'),
    tools: z.array(z.string()).min(1),
    steps: z.array(z.json()),
  }),
  /** Only the reply is left to give. `stop` says why it ended before the model called it done. */
  z.strictObject({
    kind: z.literal('over'),
    answer: z.string(),
    notSolved: z.array(z.string()),
    stop: z.string().optional(),
  }),
]);

/**
 * A request that takes several rounds. It is saved before each run starts and after each answer of the model, so
 * that after a crash no answer is asked for again and no run starts twice.
 */
const taskSchema = z.strictObject({
  version: z.literal(1),
  /** Makes the idempotency keys of its runs unique. */
  id: z.string(),
  /** Number of the user's turn that asked for it. */
  turn: z.int().min(1),
  /** The request in the user's own words, and what was said before it. */
  words: z.string(),
  background: z.string(),
  goal: z.string(),
  confidence: z.number(),
  model: z.string(),
  /** All it may call: fixed from the user's words before any result was read; only the user adds to it. */
  tools: z.array(z.string()),
  /** The user refused to add a tool, and is not asked again. */
  isClosed: z.boolean(),
  /** The user saw a plan of it that reads more than they named, and said yes. */
  mayRead: z.boolean().default(false),
  rounds: z.array(roundSchema),
  /** Limits count from here: where the task stood when it began, or when the user had a stopped one continue. */
  grant: z.strictObject({ number: z.int(), rounds: z.int(), calls: z.int(), usedMs: z.number() }),
  usedMs: z.number(),
  /** Number of the assistant's last turn about it: a yes or no right after that turn is a reply to the task. */
  askedIn: z.int().optional(),
  next: nextSchema,
});

export type Task = z.output<typeof taskSchema>;
export type Round = z.output<typeof roundSchema>;

type NewTask = Pick<
  Task,
  'turn' | 'words' | 'background' | 'goal' | 'confidence' | 'model' | 'tools' | 'rounds'
>;

export function newTask(parts: NewTask): Task {
  return {
    ...parts,
    version: 1,
    id: randomBytes(8).toString('hex'),
    isClosed: false,
    mayRead: false,
    grant: { number: 1, rounds: 0, calls: 0, usedMs: 0 },
    usedMs: 0,
    next: { kind: 'run' },
  };
}

/** The session's unfinished task; undefined where there is none, or none this version can read. */
export async function loadTask(session: OpenSession, log: Log): Promise<Task | undefined> {
  const saved = await session.task();
  if (saved === undefined) return undefined;
  const { data, error } = taskSchema.safeParse(saved);
  if (error) log.warn('unreadable agent task ignored', { session: session.id });
  return data;
}

/** Tool calls made so far, each element of a `forEach` and each attempt counted. */
export function countCalls(views: readonly Pick<RunView, 'steps'>[]): number {
  const steps = views.flatMap((view) => Object.values(view.steps));
  return steps.reduce((sum, { items, attempts }) => sum + Math.max(items?.done ?? 0, attempts), 0);
}
