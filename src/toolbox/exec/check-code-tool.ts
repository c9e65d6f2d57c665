import { pluralize } from '../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { checkCode } from './check/check-code.ts';
import { InvalidProgramError } from './errors.ts';
import { checkFields, codeField, type ExecContext, filesField } from './run-schema.ts';
import { languages, languageTraits } from './program/program-files.ts';

const input = z.strictObject({
  language: z.enum(languages).describe('The language of the program.'),
  code: codeField.optional().describe('The program as one text. Give this or `files`.'),
  files: filesField.optional(),
});

const output = z.object({
  ...checkFields,
  findingsTotal: z.int().describe('How many there are, listed or not.'),
});

/** The tool `check_code`: what `run_code` looks at before it runs anything. */
export function checkCodeTool({ scanCode, policy }: ExecContext): DefinedTool {
  return defineTool({
    name: 'check_code',
    title: 'Check code before it runs',
    description:
      'Looks for dangerous operations and malicious patterns in a program, without running it, and says what run_code would do: ' +
      'allow it, warn, ask first, or refuse.',
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'is this script safe to run?',
      'would the sandbox refuse this program?',
      'check this program before I run it',
    ],
    run: async ({ language, code, files }, { signal }) => {
      if (code === undefined && files === undefined) {
        throw new InvalidProgramError('give "code" (the text) or "files" (texts by path)');
      }
      const main = code === undefined ? {} : { [languageTraits[language].mainNames[0]]: code };
      const request = { files: { ...files, ...main }, language };
      const { findings, ...check } = await checkCode(request, { scanCode, policy, signal });
      return { ...check, findings: [...findings] };
    },
    summarize: ({ verdict, findings, findingsTotal }) =>
      [
        `${verdict}: ${pluralize(findingsTotal, 'finding')}`,
        ...findings.map((it) => `${it.severity} ${it.file}:${it.line} ${it.rule}: ${it.message}`),
      ].join('\n'),
  });
}
