import { z } from 'zod';
import { codeWithContextSchema, type Generation } from '../../../contract/generation/index.ts';
import { languages } from '../../../contract/language/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { generatingAnnotations, maxDescription, summarizeEvidence } from './generating.ts';

const maxLibraries = 10;

/** `generate_code_with_context`: code by the team's standards and the libraries' documentation. */
export function generateWithContextTool(generation: () => Promise<Generation>): DefinedTool {
  return defineTool({
    name: 'generate_code_with_context',
    title: 'Generate code with context',
    description:
      "Writes code with a model that sees the team's coding standard and the documentation of the libraries named, and returns code, tests, " +
      'documentation, standards and library documentation each in its own field with its sources. Checked like generate_code.',
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
    examples: [
      'write code with our standards and the zod documentation',
      'implement this with commander according to our coding standard, with tests and docs',
      'generate code from the documentation of this library',
      'write a documented module with tests following our team standards',
    ],
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
