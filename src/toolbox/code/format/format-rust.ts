import { createRequire } from 'node:module';
import type { Options } from 'prettier';
import { z } from 'zod';
import type { CodeContext } from '../code-context.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import type { EngineResult, FormatEngine, FormatJob } from './engine.ts';
import { packageVersion } from './package-version.ts';
import { fromPrettierError } from './prettier.ts';
import type { Rustfmt } from './rustfmt.ts';
import { firstTreeError } from './tree-error.ts';

/** Rust by the machine's rustfmt; where there is none, or when asked for, by Prettier's Rust plugin. */
export function rustFormatter(rustfmt: Rustfmt): FormatEngine {
  return async (job, context) => {
    const version = isPrettierName(job.formatter) ? undefined : await rustfmt.version(job.signal);
    if (version === undefined) return formatWithPrettier(job, context);
    const result = await rustfmt.format(job.file.text, job.lineLength, job.signal);
    if (result.kind === 'invalid') throw syntaxError(job.file, result.place, result.message);
    if (result.kind === 'stopped') throw new Error(result.reason);
    return { text: result.text, engine: `rustfmt ${version}` };
  };
}

function isPrettierName(formatter: string): boolean {
  return formatter.startsWith('prettier');
}

/** The plugin also accepts what is not Rust, and would invent what is missing: tree-sitter is asked first. */
async function formatWithPrettier(job: FormatJob, context: CodeContext): Promise<EngineResult> {
  const { file, lineLength } = job;
  const problem = await firstTreeError(file.text, 'rust', context.trees);
  if (problem) throw syntaxError(file, problem.place, problem.message);
  const { prettier, plugin, versions } = loadPrettierForRust();
  const reason = isPrettierName(job.formatter) ? '' : ', as rustfmt is not installed here';
  const text = await format(file, () =>
    prettier.format(file.text, {
      parser: 'jinx-rust',
      plugins: [plugin],
      printWidth: lineLength,
      tabWidth: 4,
      endOfLine: 'lf',
    }),
  );
  // It drops parentheses that some places need, as around a struct in the condition of an `if`.
  if (await firstTreeError(text, 'rust', context.trees)) {
    throw new Error('the result would not be valid');
  }
  return {
    text,
    engine: `prettier-plugin-rust ${versions}${reason}`,
    guard: 'rust',
  };
}

async function format(file: SourceFile, run: () => string): Promise<string> {
  try {
    return run();
  } catch (error) {
    throw fromPrettierError(file, error);
  }
}

/** The plugin is written for Prettier 2, which it brings along: Prettier 3 cannot print its documents. */
function loadPrettierForRust() {
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve('prettier-plugin-rust'));
  const version = packageVersion('prettier-plugin-rust', ours);
  const prettier = prettier2Schema.parse(theirs('prettier'));
  const plugin: unknown = theirs(ours.resolve('prettier-plugin-rust'));
  return { prettier, plugin, versions: `${version} with prettier ${prettier.version}` };
}

type Format2 = (text: string, options: Omit<Options, 'plugins'> & { plugins: unknown[] }) => string;

const prettier2Schema = z.object({
  version: z.string().startsWith('2.'),
  format: z.custom<Format2>((value) => typeof value === 'function'),
});
