import type { CallContext } from '../../contract/server/index.ts';
import type { CodeModels, ModelLimits } from './ask-model.ts';
import { type Checks, noEvidence } from './verify/verify-code.ts';
import type { FormalizedTask, GeneratedCode } from '../../contract/generation/index.ts';
import type { Language } from '../../contract/language/index.ts';

/** Shared by the four kinds of generation. */
export interface GenerationContext extends Checks {
  readonly models: CodeModels;
  readonly limits: ModelLimits;
  /** How often failures go back to the model. */
  readonly maxRepairs: number;
  readonly scaffolds: Scaffolds | undefined;
}

/** Whether a model for code is available. */
export async function hasModel(
  { models }: GenerationContext,
  { client }: CallContext,
): Promise<boolean> {
  return (await models.find('code', client)) !== null;
}

interface CodeScaffold {
  readonly code: string;
  readonly explanation: string;
  readonly dependencies: readonly string[];
  readonly test_code: string;
}

interface TestScaffold {
  readonly test_code: string;
  readonly test_cases: readonly string[];
}

/** Templates, for when there is no model. */
export interface Scaffolds {
  code(input: { readonly description: string; readonly language: Language }): Promise<CodeScaffold>;
  tests(input: {
    readonly code: string;
    readonly language: Language;
    readonly framework: string;
  }): Promise<TestScaffold>;
  formalize(input: {
    readonly informal_request: string;
    readonly context: string;
  }): Promise<
    Pick<
      FormalizedTask,
      'formalized_description' | 'requirements' | 'steps' | 'estimated_complexity'
    >
  >;
}

/** Fields of every result that is a template. */
export const scaffoldFacts: Pick<
  GeneratedCode,
  'origin' | 'model' | 'level' | 'missing' | 'verified' | 'evidence'
> = {
  origin: 'template',
  model: null,
  level: null,
  missing: 'a model that writes the code',
  verified: false,
  evidence: {
    ...noEvidence,
    attempts: 0,
    notes: ['This is a template, not an answer: no model wrote it, and nothing was checked.'],
  },
};
