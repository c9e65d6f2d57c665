import { z } from 'zod';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
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
  readProgram,
  languages,
  languageTraits,
  type ProgramFiles,
} from './program/program-files.ts';
import { planProgram } from './program/plan-program.ts';
import { checkBeforeRun, openAhead, runProgram } from './run-program.ts';
import { summarizeRun } from './summarize-run.ts';

const input = z.strictObject({
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

/** The tool `run_code`: an untrusted program, in a sandbox. */
export function runCodeTool(exec: CodeRunContext): DefinedTool {
  return defineTool({
    name: 'run_code',
    title: 'Run code in a sandbox',
    description:
      'Runs a program in Python, JavaScript, TypeScript, Go, Rust, Java or shell in a sandbox: no network, no files but its own, ' +
      'limits on time, CPU, memory, processes, disk and output. Gives exit code, output, what it used, and files it left. ' +
      'Code is checked for dangerous operations first. Output comes live as progress; cancelling kills it.',
    input,
    output: runResultSchema,
    annotations: sandboxedAnnotations,
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

interface CodeRunContext extends ExecContext {
  /** Folders that `path` may lead into. */
  readonly roots: readonly string[];
}

async function runCode(
  exec: CodeRunContext,
  request: z.output<typeof input>,
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

type Wanted = z.output<typeof input>;

function languageOf({ language, path, entry, files = {} }: Wanted): Language {
  const names = [path, entry, ...Object.keys(files)].filter((name) => name !== undefined);
  const found = language ?? names.map(languageOfFile).find((one) => one !== undefined);
  if (found !== undefined) return found;
  throw new InvalidProgramError(`say the "language": ${languages.join(', ')}`);
}

async function programOf(
  { roots }: CodeRunContext,
  { path, ...request }: Wanted & { readonly language: Language },
  signal: AbortSignal,
): Promise<ProgramFiles> {
  if (path === undefined) return findEntry(request);
  if (request.code !== undefined || request.files !== undefined) {
    throw new InvalidProgramError('give only one of "path", "code" and "files"');
  }
  return readProgram(path, { roots, signal });
}

/** What the check reads of a project: its code. Of files that were given it reads each. */
function codeIn({ files, entry }: ProgramFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).filter(([name]) => name === entry || languageOfFile(name) !== undefined),
  );
}
