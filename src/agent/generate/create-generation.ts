import type { Generation } from '../../contract/generation/index.ts';
import type { Timers } from '../../kernel/index.ts';
import { formalizeTask } from './formalize-task.ts';
import { generateCode } from './generate-code.ts';
import { generateTests } from './generate-tests.ts';
import { generateWithContext } from './generate-with-context.ts';
import type { GenerationContext } from './generation-context.ts';
import { keepAlive } from './keep-alive.ts';

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
