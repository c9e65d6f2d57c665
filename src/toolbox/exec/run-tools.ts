import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import {
  codeField,
  entryField,
  type ExecContext,
  filesField,
  limitsOf,
  runFields,
  type RunResult,
  runResultSchema,
  sandboxedAnnotations,
  wordsField,
} from './run-schema.ts';
import { InvalidProgramError } from './errors.ts';
import {
  findEntry,
  type Language,
  languageOfFile,
  languages,
  languageTraits,
  type ProgramFiles,
  readProgram,
} from './program/program-files.ts';
import { planProgram } from './program/plan-program.ts';
import { checkBeforeRun, openAhead, runProgram } from './run-program.ts';
import { summarizeRun } from './summarize-run.ts';
import texts from './tools.json' with { type: 'json' };

const codeInput = z.strictObject({
  language: z
    .enum(languages)
    .optional()
    .describe('The language of the program. With `path`, `files` or `entry` their ending says it.'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('A file of the project to run; the texts of its folder go along.'),
  code: codeField.optional().describe('The program as one text. Give this, `path` or `files`.'),
  files: filesField.optional(),
  entry: entryField.optional(),
  args: wordsField.default([]).describe('Its command line arguments.'),
  ...runFields,
});

type CodeRequest = z.output<typeof codeInput>;

/** The tool `run_code`: an untrusted program, in a sandbox. */
export function runCodeTool(exec: CodeRunContext): DefinedTool {
  return defineTool({
    ...texts.run_code,
    input: codeInput,
    output: runResultSchema,
    annotations: sandboxedAnnotations,
    run: (request, context) => runCode(exec, request, context),
    summarize: summarizeRun,
  });
}

interface CodeRunContext extends ExecContext {
  /** Folders that `path` may lead into. */
  readonly roots: readonly string[];
}

async function runCode(
  exec: CodeRunContext,
  request: CodeRequest,
  context: CallContext,
): Promise<RunResult> {
  const { args, env, stdin, collect } = request;
  const language = languageOf(request);
  const found = await programOf(exec, { ...request, language }, context.signal);
  const checked = request.path === undefined ? found.files : codeIn(found);
  const limits = limitsOf(request.limits, exec);
  context.annotate?.({ 'tutti.sandbox.language': language });
  openAhead(exec, languageTraits[language].toolchain);
  const check = await checkBeforeRun({ files: checked, language }, exec, context);
  const plan = await planProgram({ ...found, language, args, env }, async (toolchain) => {
    const sandbox = await exec.sandbox();
    return (await sandbox.toolchain(toolchain)).program;
  });
  const run = { ...plan, files: found.files, stdin, limits, collect };
  return runProgram(run, check, { context, sandbox: exec.sandbox });
}

function languageOf({ language, path, entry, files = {} }: CodeRequest): Language {
  const names = [path, entry, ...Object.keys(files)].filter((name) => name !== undefined);
  const found = language ?? names.map(languageOfFile).find((one) => one !== undefined);
  if (found !== undefined) return found;
  throw new InvalidProgramError(`say the "language": ${languages.join(', ')}`);
}

async function programOf(
  { roots }: CodeRunContext,
  { path, ...request }: CodeRequest & { readonly language: Language },
  signal: AbortSignal,
): Promise<ProgramFiles> {
  if (path === undefined) return findEntry(request);
  if (request.code !== undefined || request.files !== undefined) {
    throw new InvalidProgramError('give only one of "path", "code" and "files"');
  }
  return readProgram(path, { roots, signal });
}

/** The files of a project that are checked: its code. Given files are all checked. */
function codeIn({ files, entry }: ProgramFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).filter(([name]) => name === entry || languageOfFile(name) !== undefined),
  );
}

const toolchains = ['shell', 'python', 'node', 'go', 'rust', 'java'] as const;

const commandInput = z.strictObject({
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
    ...texts.run_command,
    input: commandInput,
    output: runResultSchema,
    annotations: sandboxedAnnotations,
    run: (request, context) => runCommand(exec, request, context),
    summarize: summarizeRun,
  });
}

async function runCommand(
  exec: ExecContext,
  request: z.output<typeof commandInput>,
  context: CallContext,
): Promise<RunResult> {
  const { argv, files, toolchain, env, stdin, collect } = request;
  const check = await checkBeforeRun({ files, commandLine: argv.join(' ') }, exec, context);
  const program = { kind: 'command', argv } as const;
  const limits = limitsOf(request.limits, exec);
  const run = { toolchain, program, files, env, stdin, limits, collect };
  return runProgram(run, check, { context, sandbox: exec.sandbox });
}
