import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import {
  type ExecContext,
  filesField,
  limitsOf,
  runFields,
  type RunResult,
  runResultSchema,
  sandboxedAnnotations,
  wordsField,
} from './run-schema.ts';
import { checkBeforeRun, runProgram } from './run-program.ts';
import { summarizeRun } from './summarize-run.ts';

const toolchains = ['shell', 'python', 'node', 'go', 'rust', 'java'] as const;

const input = z.strictObject({
  argv: wordsField
    .min(1)
    .describe('The program and its arguments, e.g. ["sort", "-n", "numbers.txt"]. No shell.'),
  files: filesField.default({}),
  toolchain: z
    .enum(toolchains)
    .default('shell')
    .describe('What is installed beside the programs of the system.'),
  ...runFields,
});

/** The tool `run_command`: any program of a toolchain, in a sandbox. */
export function runCommandTool(exec: ExecContext): DefinedTool {
  return defineTool({
    name: 'run_command',
    title: 'Run a command in a sandbox',
    description:
      'Runs a command over files that are given with the call, in a sandbox: no network, no other files, the same limits and ' +
      'the same result as run_code. The command is not read by a shell; use ["sh", "-c", "…"] for one.',
    input,
    output: runResultSchema,
    annotations: sandboxedAnnotations,
    examples: [
      'run this command in a sandbox',
      'sort these lines with the sort command',
      'compile these files with javac',
    ],
    run: (request, context) => runCommand(exec, request, context),
    summarize: summarizeRun,
  });
}

async function runCommand(
  exec: ExecContext,
  request: z.output<typeof input>,
  context: CallContext,
): Promise<RunResult> {
  const { argv, files, toolchain, env, stdin, collect } = request;
  const check = await checkBeforeRun({ files, commandLine: argv.join(' ') }, exec, context);
  const program = { kind: 'command', argv } as const;
  const limits = limitsOf(request.limits, exec);
  const run = { toolchain, program, files, env, stdin, limits, collect };
  return runProgram(run, check, { context, sandbox: exec.sandbox });
}
