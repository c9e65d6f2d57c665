import type { Generation } from '../../../src/contract/generation/index.ts';
import type { ModelDescription, StructuredRequest } from '../../../src/contract/model/index.ts';
import { AppError, systemTimers } from '../../../src/kernel/index.ts';
import { SyntaxTrees } from '../../../src/toolbox/code/index.ts';
import type { CodeModels } from '../../../src/agent/generate/ask-model.ts';
import {
  createGeneration,
  type GenerationOptions,
} from '../../../src/agent/generate/create-generation.ts';
import type { TypeCheck } from '../../../src/agent/generate/verify/verify-code.ts';
import { fakeTools, type FakeTools, type FakeToolsOptions } from './fake-tools.ts';

export interface AGeneration extends Generation {
  /** The prompts the model got. */
  readonly asked: string[];
  readonly tools: FakeTools;
}

/** Generation with a model that has its answers ready, the last one for good; an Error among them is thrown. */
export function aGeneration(
  answers: readonly (object | Error)[],
  parts: FakeToolsOptions &
    Partial<Pick<GenerationOptions, 'maxRepairs' | 'scaffolds'>> & {
      readonly types?: TypeCheck;
    } = {},
): AGeneration {
  const asked: string[] = [];
  const tools = fakeTools(parts);
  const generation = createGeneration({
    models: answers.length === 0 ? noModels : scriptedModels(answers, asked),
    tools,
    parser: new SyntaxTrees(),
    limits: { maxNewTokens: 100, stopSequences: ['END'] },
    maxRepairs: parts.maxRepairs ?? 3,
    suiteWallMs: 10_000,
    types: { check: async () => parts.types ?? { kind: 'checked', errors: [] } },
    scaffolds: parts.scaffolds,
    timers: systemTimers,
  });
  return { ...generation, asked, tools };
}

/** As a model fails that can be asked no more. */
export class OutOfBudgetError extends AppError {
  readonly code = 'models.budget_exceeded';

  constructor() {
    super('The budget is used up');
  }
}

const noModels: CodeModels = {
  find: async () => null,
  structured: async () => {
    throw new Error('nobody may ask');
  },
};

const scripted: ModelDescription = {
  name: 'scripted',
  provider: 'openai',
  model: 'scripted',
  url: null,
  source: 'configured',
  roles: { code: 1 },
  contextTokens: null,
  isReachable: true,
};

function scriptedModels(answers: readonly (object | Error)[], asked: string[]): CodeModels {
  return {
    find: async () => scripted,
    structured: async <Value>(_role: string, request: StructuredRequest<Value>) => {
      asked.push(request.messages.map(({ content }) => content).join('\n'));
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      const usage = { inputTokens: 1, outputTokens: 1, isEstimated: true, costUsd: null };
      return { value: request.schema.parse(answer), model: 'scripted', usage, attempts: 1 };
    },
  };
}
