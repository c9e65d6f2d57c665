import { z } from 'zod';
import { generatedCodeSchema, type Generation } from '../../../contract/generation/index.ts';
import { languages } from '../../../contract/language/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { generatingAnnotations, maxCode, maxDescription, summarizeEvidence } from './generating.ts';

const examples = [
  'write a function that computes fibonacci numbers',
  'create a REST endpoint for user management',
  'implement a binary search tree in Go',
  'generate TypeScript code that parses a CSV line',
  'build a small command line tool',
  'implement it',
  'code it',
  'add a method to this class that removes duplicates',
  'change this code so that it accepts empty input',
  'rewrite this in another language',
  'convert this code to TypeScript',
  'port it to Rust',
  'make it faster',
  'make it handle errors',
  'fix this bug',
  'fix the problems you found',
  'fix this code',
  'apply the suggestions of the review',
  'address the feedback',
  'improve this function',
  'optimize this code',
  'add a parameter',
  'rename this function',
  'use another library in it',
  'do the same in Go',
  'it should return a list instead',
  'add type hints to this code',
  'document this class',
  'replace the loop',
  'remove the logging from it',
  'write a fix for the bug',
];

/** `generate_code`: code for a description, checked before it is given back. */
export function generateCodeTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    name: 'generate_code',
    title: 'Generate code',
    description:
      'Writes code for a description with a model, in nine languages, and checks it before it is returned: parsed, formatted, linted, ' +
      'loaded, its tests and the examples in the description run in the sandbox, the tests tried on changed code; failures go back to the model. ' +
      '`level` (parsed, built, self_tested, verified) and `evidence` say what was found; `verified` needs `tests` or examples from the user. Without a model it returns a labelled template. No file is written.',
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
    }),
    output: generatedCodeSchema,
    annotations: generatingAnnotations,
    needsModel: true,
    examples,
    run: async ({ tests, code, ...input }, call) =>
      (await generation()).generateCode(
        { ...input, ...(tests !== undefined && { tests }), ...(code !== undefined && { code }) },
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
