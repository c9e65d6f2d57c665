import { createRequire } from 'node:module';
import type { Options } from 'prettier';
import { z } from 'zod';
import type { CodeContext } from '../code-context.ts';
import { syntaxError } from '../errors.ts';
import type { SourceFile } from '../source-files.ts';
import { fromPrettierError } from './prettier.ts';
import { firstTreeError } from '../syntax-tree.ts';
import { type EngineResult, type FormatEngine, type FormatJob, packageVersion } from './engine.ts';
import { type TextPlace, placeOfLineAndCodePoint } from '../text-positions.ts';
import { runChild, type ChildLimits } from '../engines/run-child.ts';

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

const childLimits: ChildLimits = { timeLimitMs: 30_000, maxOutputBytes: 64 * 1024 * 1024 };

/** A text may be valid in one edition only; the newest that accepts it is the one it is written in. */
const editions = ['2024', '2021', '2018', '2015'];

/** An existing file without settings: with it rustfmt looks for no other. */
const emptyConfig = process.platform === 'win32' ? 'NUL' : '/dev/null';

type RustfmtResult =
  | { readonly kind: 'formatted'; readonly text: string }
  | { readonly kind: 'invalid'; readonly place: TextPlace; readonly message: string }
  /** It took or wrote too much, and named no error until then. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** The rustfmt of this machine, if there is one that runs. Asked for its version once. */
export class Rustfmt {
  readonly #program: string;
  #version: Promise<string | undefined> | undefined;

  constructor(program = 'rustfmt') {
    this.#program = program;
  }

  /** `undefined` when it is not installed, or is rustup's stand-in for one that is not. */
  version(signal: AbortSignal): Promise<string | undefined> {
    this.#version ??= this.#askVersion(signal).catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  /** Formats `text`; reports the first error of the newest edition when no edition accepts it. */
  async format(text: string, lineLength: number, signal: AbortSignal): Promise<RustfmtResult> {
    let firstError: RustfmtResult | undefined;
    for (const edition of editions) {
      const args = ['--edition', edition, '--emit', 'stdout', '--color', 'never'];
      args.push('--config-path', emptyConfig, '--config', `max_width=${lineLength}`);
      const end = await this.#run(args, text, signal);
      if (end.kind === 'missing') throw new Error('it is not installed');
      if (end.kind === 'stopped') return firstError ?? judgeStopped(text, end);
      if (end.exitCode === 0) return { kind: 'formatted', text: end.stdout };
      const error = parseError(text, end.stderr);
      // An older rustfmt does not know the newest edition, and says so without a place.
      if (error) firstError ??= error;
      else if (edition === editions.at(-1)) throw new Error(explain(end.stderr));
    }
    if (!firstError) throw new Error('it knows none of the editions');
    return firstError;
  }

  async #askVersion(signal: AbortSignal): Promise<string | undefined> {
    const end = await this.#run(['--version'], '', signal);
    if (end.kind !== 'exited' || end.exitCode !== 0) return undefined;
    return /^rustfmt (\d+\.\d+\.\d+)/.exec(end.stdout)?.[1];
  }

  #run(args: readonly string[], stdin: string, signal: AbortSignal) {
    return runChild({ program: this.#program, args, stdin, limits: childLimits, signal });
  }
}

/** With each error it writes the line it is on: for a long line with many errors that is too much. */
function judgeStopped(text: string, end: { reason: string; stderr: string }): RustfmtResult {
  return parseError(text, end.stderr) ?? { kind: 'stopped', reason: end.reason };
}

function parseError(text: string, stderr: string): RustfmtResult | undefined {
  const found = /^error(?:\[\w+\])?: (.*)\n\s*--> <stdin>:(\d+):(\d+)/m.exec(stderr);
  if (!found) return undefined;
  const [, message = '', line, column] = found;
  const place = placeOfLineAndCodePoint(text, Number(line), Number(column));
  return { kind: 'invalid', place, message };
}

/** A compiler that overflows its stack says nothing, or says so after an empty line. */
function explain(stderr: string): string {
  const [line] = stderr.trim().split('\n', 1);
  return line === undefined || line === '' || line.includes('overflowed its stack')
    ? 'recursion limit of the compiler reached'
    : line;
}
