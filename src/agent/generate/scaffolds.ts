import type { FormalizedTask, GeneratedCode } from '../../contract/generation/index.ts';
import type { Language } from '../../contract/language/index.ts';

export interface CodeScaffold {
  readonly code: string;
  readonly explanation: string;
  readonly dependencies: readonly string[];
  readonly test_code: string;
}

export interface TestScaffold {
  readonly test_code: string;
  readonly test_cases: readonly string[];
}

/** What can be given without a model: templates, said to be such. */
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

/** What every scaffold says about itself. */
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
    parsed: false,
    formatted: false,
    lint_errors: null,
    built: null,
    tests: null,
    examples: null,
    coverage_percent: null,
    branches: null,
    mutants: null,
    attempts: 0,
    notes: ['This is a template, not an answer: no model wrote it, and nothing was checked.'],
  },
};
