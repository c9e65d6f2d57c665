import type { CodeContext } from '../code-context.ts';
import { Gofmt } from '../engines/gofmt.ts';
import { CodeSyntaxError, TooComplexError, type SyntaxProblem, syntaxError } from '../errors.ts';
import type { Language } from '../language.ts';
import type { SourceFile } from '../source-files.ts';
import { checkCss } from './format-css.ts';
import { checkHtml } from './format-html.ts';
import { checkJavascript } from './format-javascript.ts';
import { recogniseSql } from './sql-dialect.ts';
import { firstTreeError } from './tree-error.ts';
import { type FormatEngine, asTooComplex } from './engine.ts';
import { firstJavaError } from './format-java.ts';
import { goFormatter, formatPython } from './format-source.ts';
import { Rustfmt } from './format-rust.ts';

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
