import type { CallContext } from '../../contract/server/index.ts';
import { AppError } from '../../kernel/index.ts';
import { askModel, type Question } from './ask-model.ts';
import type { GenerationContext } from './generation-context.ts';
import { verifyCode, type Candidate, type Verdict } from './verify/verify-code.ts';

/** One answer of the model and the verdict on it. */
export interface Attempt<Answer> {
  readonly answer: Answer;
  readonly model: string;
  readonly verdict: Verdict;
}

export interface Task<Answer> {
  /** The question; `failed` is the attempt to repair, undefined at first. */
  question(failed: Attempt<Answer> | undefined): Question<Answer>;
  candidate(answer: Answer): Candidate;
  needsRepair(attempt: Attempt<Answer>): boolean;
  isBetter(one: Attempt<Answer>, other: Attempt<Answer>): boolean;
  /** For progress messages: `the code`. */
  readonly subject: string;
}

export interface Attempts<Answer> {
  readonly best: Attempt<Answer>;
  readonly count: number;
  /** Why the model could not be asked again, as a list of at most one note. */
  readonly notes: readonly string[];
}

/**
 * Asks the model and verifies its answer; failures go back to it, as often as settings allow. A model that cannot be
 * asked again ends the attempts, not the call. Throws `models.…` for the first attempt.
 */
export async function attemptUntilVerified<Answer>(
  generation: GenerationContext,
  task: Task<Answer>,
  context: CallContext,
): Promise<Attempts<Answer>> {
  const total = generation.maxRepairs + 1;
  const attemptOnce = async (
    number: number,
    failed?: Attempt<Answer>,
  ): Promise<Attempt<Answer>> => {
    const report = (action: string): void => {
      const message = `attempt ${number}: ${action} ${task.subject}`;
      context.progress({ progress: number - 1, total, message });
    };
    report(failed ? 'the model repairs' : 'the model writes');
    const { value, model } = await askModel(generation, task.question(failed), context);
    report('checking');
    const verdict = await verifyCode(generation, task.candidate(value), context);
    return { answer: value, model, verdict };
  };
  let last = await attemptOnce(1);
  let best = last;
  for (let count = 1; ; count += 1) {
    if (count === total || !task.needsRepair(last)) return { best, count, notes: [] };
    const failed = last;
    const next = await orProblem(() => attemptOnce(count + 1, failed), context);
    if ('problem' in next) return { best, count, notes: [next.problem] };
    last = next.value;
    if (task.isBetter(last, best)) best = last;
  }
}

/** Turns the failure of a further question into a note. */
export async function orProblem<Value>(
  ask: () => Promise<Value>,
  { signal }: CallContext,
): Promise<{ readonly value: Value } | { readonly problem: string }> {
  try {
    return { value: await ask() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { problem: `It was not repaired further: ${error.message}` };
  }
}
