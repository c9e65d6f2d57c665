import {
  type FormalizedTask,
  formalizedTaskSchema,
  type Generation,
} from '../../contract/generation/index.ts';
import type { Timers } from '../../kernel/index.ts';
import { generateCode } from './generate-code.ts';
import { generateTests } from './generate-tests.ts';
import { generateWithContext } from './generate-with-context.ts';
import { type GenerationContext, hasModel } from './generation-context.ts';
import type { CallContext, ProgressUpdate } from '../../contract/server/index.ts';
import { askModel } from './ask-model.ts';
import { howToConnect, NoModelError } from './errors.ts';

export interface GenerationOptions extends GenerationContext {
  readonly timers: Timers;
}

/** Code and tests from descriptions, verified in the sandbox before they are given back. */
export function createGeneration(options: GenerationOptions): Generation {
  const { timers } = options;
  return {
    formalizeTask: (input, call) =>
      keepAlive(timers, call, (context) => formalizeTask(options, input, context)),
    generateCode: (input, call) =>
      keepAlive(timers, call, (context) => generateCode(options, input, context)),
    generateTests: (input, call) =>
      keepAlive(timers, call, (context) => generateTests(options, input, context)),
    generateWithContext: (input, call) =>
      keepAlive(timers, call, (context) => generateWithContext(options, input, context)),
  };
}

const answerSchema = formalizedTaskSchema.omit({ origin: true, model: true, notice: true }).strip();

/** An informal request as a task with requirements and steps. */
export async function formalizeTask(
  generation: GenerationContext,
  input: Parameters<Generation['formalizeTask']>[0],
  context: CallContext,
): Promise<FormalizedTask> {
  if (!(await hasModel(generation, context))) {
    if (!generation.scaffolds) throw new NoModelError('Formalizing a task');
    const task = await generation.scaffolds.formalize(input);
    const notice = `Made of the words of the request alone. ${howToConnect}`;
    return { ...task, origin: 'template', model: null, notice };
  }
  const { value, model } = await askModel(
    generation,
    {
      prompt: 'formalize-task',
      values: { ...input, context: input.context || '(none)' },
      name: 'formalized_task',
      schema: answerSchema,
    },
    context,
  );
  return { ...value, origin: 'model', model };
}

/** Shorter than any idle time limit of a client. */
const repeatEveryMs = 10_000;

/**
 * Repeats the last progress update while `work` runs: a model or a compiler may take longer than calls may be silent, and
 * each has a time limit of its own.
 */
export async function keepAlive<Result>(
  timers: Timers,
  context: CallContext,
  work: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  let last: ProgressUpdate = { progress: 0 };
  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = timers.after(repeatEveryMs, () => {
      context.progress(last);
      schedule();
    });
  };
  const progress = (update: ProgressUpdate): void => {
    last = update;
    context.progress(update);
  };
  schedule();
  try {
    // Named, because the signal may be a lazy getter, which a spread would not copy.
    return await work({ ...context, signal: context.signal, progress });
  } finally {
    cancel();
  }
}
