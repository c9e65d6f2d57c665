import { z } from 'zod';
import { languages, type Language } from '../language/index.ts';
import type { CallContext } from '../server/index.ts';

/** What was found out about generated code by running checks, not by asking a model. */
export const evidenceSchema = z.strictObject({
  parsed: z.boolean(),
  formatted: z.boolean(),
  /** Problems the linter calls errors. */
  lint_errors: z.int().min(0).nullable(),
  /** Compiled, imported or loaded in the sandbox; null where that was not or could not be done. */
  built: z.boolean().nullable(),
  tests: z
    .strictObject({
      /** `self`: by the model that wrote the code, or that read the code to write them; never a reason for `verified`. */
      written_by: z.enum(['self', 'given']),
      passed: z.int().min(0),
      failed: z.int().min(0),
      skipped: z.int().min(0),
      /** Whether they were seen to fail on broken code. */
      are_effective: z.boolean(),
    })
    .nullable(),
  /** Examples in the request that were run; null where there are none. */
  examples: z.strictObject({ passed: z.int().min(0), failed: z.array(z.string()) }).nullable(),
  coverage_percent: z.number().min(0).max(100).nullable(),
  /** Functions, outcomes of conditions, cases and handlers; null where they were not or cannot be counted. */
  branches: z
    .strictObject({
      total: z.int().min(0),
      run: z.int().min(0),
      missing: z.array(z.string()),
    })
    .nullable(),
  /** Small changes of the code, and how many of them a test noticed. */
  mutants: z
    .strictObject({
      planted: z.int().min(0),
      killed: z.int().min(0),
      /** `function: what was changed, line N`. */
      survived: z.array(z.string()),
    })
    .nullable(),
  /** Rounds with the model, the first included; 0 without one. */
  attempts: z.int().min(0),
  /** What was not checked, or failed, and why; one sentence each. */
  notes: z.array(z.string()),
});
export type Evidence = z.output<typeof evidenceSchema>;

/**
 * How far the checks of generated code got, lowest first. `parsed`: valid text of its language. `built`: it compiles or loads.
 * `self_tested`: it passes its author's tests, which were themselves tried. `verified`: so it does the checks of the user or of
 * the request.
 */
export const levels = ['parsed', 'built', 'self_tested', 'verified'] as const;
export type Level = (typeof levels)[number];

/** `model`: written by one and checked; `template`: a labelled scaffold, because there is no model. */
const origin = z.enum(['model', 'template']);

const generated = {
  origin,
  model: z.string().nullable(),
  /** Null for templates and for what is not even valid text. */
  level: z.enum(levels).nullable(),
  /** What the next level needs; null at the highest. */
  missing: z.string().nullable(),
  /** Whether the level is `verified`. */
  verified: z.boolean(),
  evidence: evidenceSchema,
  /** What a scaffold lacks, and how to connect a model. */
  notice: z.string().optional(),
};

export const formalizedTaskSchema = z.strictObject({
  formalized_description: z.string(),
  requirements: z.array(z.string()),
  steps: z.array(z.string()),
  estimated_complexity: z.enum(['low', 'medium', 'high']),
  origin,
  model: z.string().nullable(),
  notice: z.string().optional(),
});

export const generatedCodeSchema = z.strictObject({
  code: z.string(),
  language: z.enum(languages),
  explanation: z.string(),
  dependencies: z.array(z.string()),
  /** The tests that were run; empty when there were none. */
  test_code: z.string(),
  ...generated,
});

export const generatedTestsSchema = z.strictObject({
  test_code: z.string(),
  test_count: z.int().min(0),
  /** As measured, rounded; 0 where it could not be. */
  coverage_estimate: z.int().min(0).max(100),
  test_cases: z.array(z.string()),
  test_framework: z.string(),
  language: z.enum(languages),
  ...generated,
});

export const sourceUsedSchema = z.strictObject({
  kind: z.enum(['standard', 'documentation']),
  /** `standards://python`, `npm:zod@4.6.7 README.md`. */
  source: z.string(),
  excerpt: z.string(),
});

export const codeWithContextSchema = z.strictObject({
  ...generatedCodeSchema.shape,
  tests: z.string(),
  documentation: z.string(),
  standards: z.array(sourceUsedSchema),
  library_docs: z.array(sourceUsedSchema),
});

export type FormalizedTask = z.output<typeof formalizedTaskSchema>;
export type GeneratedCode = z.output<typeof generatedCodeSchema>;
export type GeneratedTests = z.output<typeof generatedTestsSchema>;
export type CodeWithContext = z.output<typeof codeWithContextSchema>;

/** Code and tests from descriptions, checked before they are given back. Errors have codes `generation.…`. */
export interface Generation {
  formalizeTask(
    input: { readonly informal_request: string; readonly context: string },
    context: CallContext,
  ): Promise<FormalizedTask>;
  generateCode(
    input: {
      readonly description: string;
      readonly language: Language;
      readonly style: string;
      /** Tests that it has to pass; the generator writes its own when there are none. */
      readonly tests?: string;
      /** Code that is to be changed rather than written anew. */
      readonly code?: string;
      /** Where the code will be; the tests that are given back import it by this name. */
      readonly code_file?: string;
    },
    context: CallContext,
  ): Promise<GeneratedCode>;
  generateTests(
    input: {
      readonly code: string;
      /** Where the code is; the tests import it by this name. */
      readonly code_file?: string;
      readonly language?: Language;
      readonly test_framework?: string;
      readonly coverage_target: number;
    },
    context: CallContext,
  ): Promise<GeneratedTests>;
  generateWithContext(
    input: {
      readonly request: string;
      readonly language: Language;
      readonly libraries: readonly string[];
      readonly include_tests: boolean;
      readonly include_docs: boolean;
    },
    context: CallContext,
  ): Promise<CodeWithContext>;
}
