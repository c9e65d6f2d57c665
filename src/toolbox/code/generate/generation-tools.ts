import { z } from 'zod';
import {
  codeWithContextSchema,
  formalizedTaskSchema,
  generatedCodeSchema,
  generatedTestsSchema,
  type Evidence,
  type Generation,
  type Level,
} from '../../../contract/generation/index.ts';
import { languages } from '../../../contract/language/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import texts from '../tools.json' with { type: 'json' };

/** The tools that ask a model; `generation` is opened by the first call. */
export function generationTools(generation: () => Promise<Generation>): readonly DefinedTool[] {
  return [
    formalizeTaskTool(generation),
    generateCodeTool(generation),
    generateTestsTool(generation),
    generateWithContextTool(generation),
  ];
}

/** `formalize_task`: an informal request as a task with requirements and steps. */
function formalizeTaskTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    ...texts.formalize_task,
    input: z.object({
      informal_request: z.string().trim().min(1).max(maxDescription).describe('In your own words.'),
      context: z
        .string()
        .max(maxDescription)
        .default('')
        .describe('What else matters: constraints, what exists already.'),
    }),
    output: formalizedTaskSchema,
    annotations: generatingAnnotations,
    run: async (input, call) => (await generation()).formalizeTask(input, call),
    summarize: ({ formalized_description, requirements, steps, estimated_complexity, notice }) =>
      [
        ...(notice === undefined ? [] : [notice, '']),
        formalized_description,
        '',
        ...requirements.map((requirement) => `- ${requirement}`),
        '',
        ...steps.map((step, index) => `${index + 1}. ${step}`),
        '',
        `Complexity: ${estimated_complexity}`,
      ].join('\n'),
  });
}

/** `generate_code`: code for a description, checked before it is given back. */
function generateCodeTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    ...texts.generate_code,
    input: z.object({
      description: z
        .string()
        .trim()
        .min(1)
        .max(maxDescription)
        .describe('What the code should do.'),
      language: z.enum(languages).default('python').describe('The language to write in.'),
      style: z
        .string()
        .min(1)
        .max(200)
        .default('pep8')
        .describe('A style guide; `pep8` means the usual one in other languages than Python.'),
      tests: z
        .string()
        .min(1)
        .max(maxCode)
        .optional()
        .describe('A test file that the code has to pass. Without it the model writes tests, too.'),
      code: z
        .string()
        .min(1)
        .max(maxCode)
        .optional()
        .describe('Code that is to be changed rather than written anew.'),
      code_file: codeFile.optional(),
    }),
    output: generatedCodeSchema,
    annotations: generatingAnnotations,
    needsModel: true,
    run: async ({ tests, code, code_file, ...input }, call) =>
      (await generation()).generateCode(
        {
          ...input,
          ...(tests !== undefined && { tests }),
          ...(code !== undefined && { code }),
          ...(code_file !== undefined && { code_file }),
        },
        call,
      ),
    summarize: (result) =>
      [
        ...summarizeEvidence(result),
        '',
        result.code,
        ...(result.explanation ? [result.explanation] : []),
      ].join('\n'),
  });
}

const codeFile = z
  .string()
  .min(1)
  .max(1_000)
  .describe(
    'Path of that file in the project: the tests, saved beside it, import it by its name. Without it they import `solution`.',
  );

/** `generate_tests`: tests for code, run on it, measured and tried on broken versions of it. */
function generateTestsTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    ...texts.generate_tests,
    input: z.object({
      code: z.string().min(1).max(maxCode).describe('The code to test, one file.'),
      code_file: codeFile.optional(),
      test_framework: z
        .string()
        .min(1)
        .max(60)
        .default('pytest')
        .describe(
          'pytest, unittest, node:test, vitest, jest, testing (Go), cargo, junit. The default means the usual one in other languages than Python.',
        ),
      coverage_target: z.int().min(0).max(100).default(80).describe('Percent of the lines.'),
      language: z
        .enum(languages)
        .optional()
        .describe('By the framework or the text when not given.'),
    }),
    output: generatedTestsSchema,
    annotations: generatingAnnotations,
    needsModel: true,
    run: async ({ language, code_file, ...input }, call) =>
      (await generation()).generateTests(
        { ...input, ...(code_file && { code_file }), ...(language && { language }) },
        call,
      ),
    summarize: (result) => [...summarizeEvidence(result), '', result.test_code].join('\n'),
  });
}

const maxLibraries = 10;

/** `generate_code_with_context`: code by the team's standards and the libraries' documentation. */
function generateWithContextTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    ...texts.generate_code_with_context,
    input: z.object({
      request: z.string().trim().min(1).max(maxDescription).describe('What the code should do.'),
      language: z
        .enum(languages)
        .default('python')
        .describe('The programming language to write in.'),
      libraries: z
        .array(z.string().min(1).max(200))
        .max(maxLibraries)
        .default([])
        .describe('Whose documentation to look up: `zod`, `npm:zod@4.6.7`.'),
      include_tests: z.boolean().default(true).describe('Whether to return the tests.'),
      include_docs: z.boolean().default(true).describe('Whether to write documentation.'),
    }),
    output: codeWithContextSchema,
    annotations: generatingAnnotations,
    needsModel: true,
    run: async (input, call) => (await generation()).generateWithContext(input, call),
    summarize: (result) =>
      [
        ...summarizeEvidence(result),
        ...[...result.standards, ...result.library_docs].map(({ source }) => `used ${source}`),
        '',
        result.code,
        ...(result.documentation ? [result.documentation] : []),
      ].join('\n'),
  });
}

/** They return text and change nothing; a model elsewhere writes it, each time anew. */
const generatingAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
} as const;

export const maxDescription = 100_000;
const maxCode = 200_000;

const maxNotes = 8;

/** What was found out, in a few lines. */
function summarizeEvidence(result: {
  readonly level: Level | null;
  readonly missing: string | null;
  readonly origin: string;
  readonly model: string | null;
  readonly evidence: Evidence;
  readonly notice?: string | undefined;
}): string[] {
  const { tests, coverage_percent, mutants, attempts, notes } = result.evidence;
  const checks = [
    ...(tests
      ? [
          `${pluralize(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped (${tests.written_by === 'self' ? 'written by the model' : 'given'})`,
        ]
      : []),
    ...(coverage_percent === null ? [] : [`coverage ${coverage_percent} %`]),
    ...(mutants ? [`${mutants.killed} of ${mutants.planted} changes of the code noticed`] : []),
  ];
  const attemptsText = attempts > 1 ? `, ${attempts} attempts` : '';
  const missing = result.missing === null ? [] : [`missing for more: ${result.missing}`];
  const head = `${describeLevel(result.level)} (${result.model ?? result.origin}${attemptsText})`;
  return [
    ...(result.notice === undefined ? [] : [result.notice]),
    [head, ...checks, ...missing].join('; '),
    ...notes
      .filter((note) => note !== result.missing)
      .slice(0, maxNotes)
      .map((note) => `- ${note}`),
  ];
}

/** `Verified`, or how far it got instead. */
function describeLevel(level: Level | null): string {
  if (level === 'verified') return 'Verified';
  return `${(level ?? 'not checked').replace('_', '-')}, NOT verified`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}
