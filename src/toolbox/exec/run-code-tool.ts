import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import type { ExecContext } from './exec-context.ts';
import { findEntry } from './program/find-entry.ts';
import { languages, languageTraits } from './program/language.ts';
import { planProgram } from './program/plan-program.ts';
import { checkBeforeRun, openAhead, runProgram } from './run-program.ts';
import {
  codeField,
  entryField,
  filesField,
  limitsOf,
  runFields,
  runResultSchema,
  wordsField,
  type RunResult,
} from './run-schema.ts';
import { summarizeRun } from './summarize-run.ts';

const input = z.strictObject({
  language: z
    .enum(languages)
    .describe('The language of the program; chooses the interpreter or compiler.'),
  code: codeField.optional().describe('The program as one text. Give this or `files`.'),
  files: filesField.optional(),
  entry: entryField.optional(),
  args: wordsField.default([]).describe('Its command line arguments.'),
  ...runFields,
});

/** The tool `run_code`: a program nobody trusts, in a sandbox. */
export function runCodeTool(exec: ExecContext): DefinedTool {
  return defineTool({
    name: 'run_code',
    title: 'Run code in a sandbox',
    description:
      'Runs a program in Python, JavaScript, TypeScript, Go, Rust, Java or shell in a sandbox: no network, no files but its own, ' +
      'limits on time, CPU, memory, processes, disk and output. Gives exit code, output, what it used, and files it left. ' +
      'Code is checked for dangerous operations first. Output comes live as progress; cancelling kills it.',
    input,
    output: runResultSchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    examples: [
      'run this Python script',
      'run this code',
      'what does this code print?',
      'execute this JavaScript and show me the output',
      'try this program in a sandbox',
      'execute the script',
      'run the file',
    ],
    run: (request, context) => runCode(exec, request, context),
    summarize: summarizeRun,
  });
}

async function runCode(
  exec: ExecContext,
  request: z.output<typeof input>,
  context: CallContext,
): Promise<RunResult> {
  const { language, args, env, stdin, collect } = request;
  const found = findEntry(request);
  const limits = limitsOf(request.limits, exec);
  context.annotate?.({ 'tutti.sandbox.language': language });
  openAhead(exec, languageTraits[language].toolchain);
  const check = await checkBeforeRun({ files: found.files, language }, exec, context);
  const plan = await planProgram({ ...found, language, args, env }, async (toolchain) => {
    const sandbox = await exec.sandbox();
    return (await sandbox.toolchain(toolchain)).program;
  });
  const run = { ...plan, files: found.files, stdin, limits, collect };
  return runProgram(run, check, { context, sandbox: exec.sandbox });
}
