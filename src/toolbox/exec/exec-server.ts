import { z } from 'zod';
import type { McpServer } from '../../contract/server/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { checkCode } from './check/check-code.ts';
import { InvalidProgramError } from './errors.ts';
import { languages, languageTraits } from './program/program-files.ts';
import { checkFields, codeField, type ExecContext, filesField } from './run-schema.ts';
import { runCodeTool, runCommandTool } from './run-tools.ts';
import { runTestsTool } from './tests/run-tests-tool.ts';
import type { TestsContext } from './tests/run-tests.ts';
import texts from './tools.json' with { type: 'json' };

interface ExecServerOptions extends TestsContext {
  readonly version: string;
  /** Ends what only this server uses. */
  readonly close?: () => Promise<void>;
}

/** The server `exec`: runs untrusted programs. */
export function createExecServer({ version, close, ...context }: ExecServerOptions): McpServer {
  return createToolboxServer({
    name: 'exec',
    title: 'Run code',
    version,
    instructions:
      'Runs untrusted code in a sandbox without network: run_code for a program, run_command for any command, run_tests for the tests of a project, check_code for ' +
      'what a program could do. How a program ends is a result; `reason` names the limit that ended it.',
    tools: [
      runCodeTool(context),
      runCommandTool(context),
      runTestsTool(context),
      checkCodeTool(context),
    ],
    ...(close && { close }),
  });
}

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
function checkCodeTool({ scanCode, policy }: ExecContext): DefinedTool {
  return defineTool({
    ...texts.check_code,
    input,
    output,
    run: async ({ language, code, files }, { signal }) => {
      if (code === undefined && files === undefined) {
        throw new InvalidProgramError('give "code" (the text) or "files" (texts by path)');
      }
      const main = code === undefined ? {} : { [languageTraits[language].mainNames[0]]: code };
      const request = { files: { ...files, ...main }, language };
      return checkCode(request, { scanCode, policy, signal });
    },
    summarize: ({ verdict, findings, findingsTotal }) =>
      [
        `${verdict}: ${pluralize(findingsTotal, 'finding')}`,
        ...findings.map((it) => `${it.severity} ${it.file}:${it.line} ${it.rule}: ${it.message}`),
      ].join('\n'),
  });
}
