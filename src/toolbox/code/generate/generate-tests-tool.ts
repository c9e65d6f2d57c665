import { z } from 'zod';
import { generatedTestsSchema, type Generation } from '../../../contract/generation/index.ts';
import { languages } from '../../../contract/language/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { generatingAnnotations, maxCode, summarizeEvidence } from './generating.ts';

/** `generate_tests`: tests for code, run on it, measured and tried on broken versions of it. */
export function generateTestsTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    name: 'generate_tests',
    title: 'Generate tests',
    description:
      'Writes tests for code with a model, runs them on it in the sandbox, measures coverage against `coverage_target`, and plants mistakes ' +
      'in each function to see whether the tests notice. Says when the code itself looks wrong. Without a model it returns a labelled skeleton.',
    input: z.object({
      code: z.string().min(1).max(maxCode).describe('The code to test, one file.'),
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
    examples: [
      'write tests for it',
      'write tests',
      'write tests for the file',
      'generate unit tests for this function',
      'test this code with pytest and 90 percent coverage',
      'test it',
      'test this function',
      'add node:test tests for this module',
      'I need JUnit tests for this class',
      'tests for this class',
      'cover it with tests',
      'add more test cases',
      'more tests for edge cases',
      'verify it with tests',
      'use another test framework for the tests',
      'unit test this',
    ],
    run: async ({ language, ...input }, call) =>
      (await generation()).generateTests(
        { ...input, ...(language !== undefined && { language }) },
        call,
      ),
    summarize: (result) => [...summarizeEvidence(result), '', result.test_code].join('\n'),
  });
}
