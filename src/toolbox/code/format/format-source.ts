import type { CodeContext } from '../code-context.ts';
import { Gofmt, GofmtMessage } from '../engines/gofmt.ts';
import { AppError } from '../../../kernel/index.ts';
import {
  FormatFailedError,
  syntaxError,
  CodeSyntaxError,
  TooComplexError,
  type SyntaxProblem,
} from '../errors.ts';
import type { Language } from '../language.ts';
import { formatCss, checkCss } from './format-css.ts';
import { formatHtml, checkHtml } from './format-html.ts';
import { formatJavascript, checkJavascript } from './format-javascript.ts';
import { hasSameMeaning } from './same-meaning.ts';
import {
  type EngineResult,
  type FormatEngine,
  type FormatJob,
  asTooComplex,
  assertNotTooLong,
  packageVersion,
} from './engine.ts';
import { formatJava, firstJavaError } from './format-java.ts';
import { placeOfByte, placeOfLineAndByte } from '../text-positions.ts';
import { rustFormatter, Rustfmt } from './format-rust.ts';
import type { SourceFile } from '../source-files.ts';
import { firstTreeError } from '../syntax-tree.ts';
import { formatSql, recogniseSql } from './format-sql.ts';

export interface FormattedSource {
  readonly text: string;
  readonly changedLines: number;
  readonly engine: string;
  readonly notes: readonly string[];
}

type FormatEngines = Readonly<Record<Language, FormatEngine>>;

export function createFormatEngines(rustfmt = new Rustfmt(), gofmt = new Gofmt()): FormatEngines {
  return {
    python: formatPython,
    javascript: formatJavascript,
    typescript: formatJavascript,
    java: formatJava,
    go: goFormatter(gofmt),
    rust: rustFormatter(rustfmt),
    sql: formatSql,
    html: formatHtml,
    css: formatCss,
  };
}

const byteOrderMark = '\uFEFF';

/**
 * Formats one text. The line ending most of its lines have is kept, a byte order mark is dropped.
 * Throws `CodeSyntaxError` for invalid input and `FormatFailedError` for what the engine cannot do.
 */
export async function formatSource(
  job: FormatJob,
  engines: FormatEngines,
  context: CodeContext,
): Promise<FormattedSource> {
  const original = job.file.text;
  const text = (original.startsWith(byteOrderMark) ? original.slice(1) : original).replaceAll(
    '\r\n',
    '\n',
  );
  const result = await runEngine({ ...job, file: { ...job.file, text } }, engines, context);
  const formatted = usesCrLf(original) ? result.text.replaceAll('\n', '\r\n') : result.text;
  return {
    text: formatted,
    changedLines: countChangedLines(original, formatted),
    engine: result.engine,
    notes: result.notes ?? [],
  };
}

async function runEngine(
  job: FormatJob,
  engines: FormatEngines,
  context: CodeContext,
): Promise<EngineResult> {
  try {
    assertNotTooLong(job.file);
    const engine = engines[job.file.language];
    const result = await engine(job, context);
    if (result.guard && !hasSameMeaning(result.guard, job.file.text, result.text)) {
      throw new Error(`the result of ${result.engine} would not mean the same`);
    }
    return result;
  } catch (error) {
    job.signal.throwIfAborted();
    const known = asTooComplex(job.file.path, error);
    if (known instanceof AppError) throw known;
    throw new FormatFailedError(job.file.path, job.formatter, {
      reason: describe(error),
      cause: error,
    });
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine = message] = message.split('\n', 1);
  return firstLine.replace(/\.$/, '');
}

function usesCrLf(text: string): boolean {
  if (!text.includes('\r')) return false;
  const lineFeeds = text.split('\n').length - 1;
  const withReturn = text.split('\r\n').length - 1;
  return withReturn * 2 > lineFeeds;
}

/**
 * How many lines differ: a line replaced counts once, one added or removed once. Lines are compared
 * as a bag, in one pass: a diff takes longer than the fastest engines do, and formatters move no lines.
 */
export function countChangedLines(before: string, after: string): number {
  if (before === after) return 0;
  const left = linesOf(before);
  const right = linesOf(after);
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let kept = 0;
  for (const line of right) {
    const available = counts.get(line) ?? 0;
    if (available === 0) continue;
    kept += 1;
    counts.set(line, available - 1);
  }
  // At least one: a last line that lacks its line feed is another line.
  return Math.max(left.length, right.length, kept + 1) - kept;
}

/** What follows the last line feed is no line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Python by Ruff's formatter, which follows Black's style. */
const formatPython: FormatEngine = async ({ file, lineLength, indent, quotes }, context) => {
  const engine = `ruff ${await context.ruff.version()} (black style)`;
  try {
    const spaces = Number.parseInt(indent ?? '', 10);
    const style = {
      ...(indent === 'tabs' && { 'indent-style': 'tab' }),
      ...(quotes !== undefined && { 'quote-style': quotes.replace(' quotes', '') }),
    };
    const text = await context.ruff.format(file.text, {
      'line-length': lineLength,
      ...(spaces > 0 && { 'indent-width': spaces }),
      ...(Object.keys(style).length > 0 && { format: style }),
    });
    return { text, engine };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const range = /^(.*) at byte range (\d+)\.\.\d+$/s.exec(message);
    if (!range) throw error;
    throw syntaxError(file, placeOfByte(file.text, Number(range[2])), range[1] ?? message);
  }
};

/** Go by gofmt itself, compiled to WASM. Whole files and, as gofmt does, lists of declarations or statements. */
function goFormatter(gofmt: Gofmt): FormatEngine {
  // Read once: gofmt is so quick that looking for its version would be a quarter of the time.
  let engine: string | undefined;
  return async ({ file }) => {
    engine ??= `gofmt (@wasm-fmt/gofmt ${packageVersion('@wasm-fmt/gofmt')})`;
    try {
      return { text: await gofmt.format(file.text), engine };
    } catch (error) {
      if (!(error instanceof GofmtMessage)) throw error;
      const [, line, column, reason] = /^(\d+):(\d+): (.*)/.exec(error.message) ?? [];
      const place = placeOfLineAndByte(file.text, Number(line ?? 1), Number(column ?? 1));
      throw syntaxError(file, place, reason ?? error.message);
    }
  };
}

/** Throws `CodeSyntaxError` when the file is not valid. */
type Check = (file: SourceFile, context: CodeContext) => Promise<void>;

const checks: Readonly<Record<Language, Check>> = {
  python: byFormatting(formatPython),
  javascript: checkByOxc,
  typescript: checkByOxc,
  java: checkJava,
  go: (file, context) => byFormatting(goFormatter(new Gofmt()))(file, context),
  rust: checkRust,
  sql: checkSql,
  html: async (file) => void (await checkHtml(file)),
  css: checkCss,
};

/** The first syntax error of a file, by the parser that formatting it would ask. */
export async function checkSyntax(
  file: SourceFile,
  context: CodeContext,
): Promise<SyntaxProblem | undefined> {
  try {
    await checks[file.language](file, context);
    return undefined;
  } catch (error) {
    if (error instanceof CodeSyntaxError) return error.problem;
    throw asTooComplex(file.path, error);
  }
}

const neverAborted = new AbortController().signal;
const anyLineLength = 100;

/** For engines that parse and print in a few milliseconds and say only so what is wrong. */
function byFormatting(engine: FormatEngine): Check {
  return async (file, context) => {
    const job = { file, formatter: '', lineLength: anyLineLength, signal: neverAborted };
    await engine(job, context);
  };
}

async function checkByOxc(file: SourceFile, context: CodeContext): Promise<void> {
  const problem = await checkJavascript(file, context.trees);
  if (problem) throw problem;
}

async function checkJava(file: SourceFile, context: CodeContext): Promise<void> {
  const found = await firstJavaError(file.text, context.trees);
  if (found) throw syntaxError(file, found.place, found.message);
}

/** tree-sitter is at hand and fast; what it refuses rustfmt, which parses as the compiler does, may know. */
async function checkRust(file: SourceFile, context: CodeContext): Promise<void> {
  const found = await firstTreeError(file.text, 'rust', context.trees);
  if (!found) return;
  const rustfmt = new Rustfmt();
  if ((await rustfmt.version(neverAborted)) === undefined) {
    throw syntaxError(file, found.place, found.message);
  }
  const result = await rustfmt.format(file.text, anyLineLength, neverAborted);
  if (result.kind === 'invalid') throw syntaxError(file, result.place, result.message);
  if (result.kind === 'stopped') {
    throw new TooComplexError(file.path, `rustfmt was stopped on it: ${result.reason}`);
  }
}

async function checkSql(file: SourceFile): Promise<void> {
  const verdict = await recogniseSql(file);
  if (verdict.kind === 'invalid') throw syntaxError(file, verdict.place, verdict.message);
}
