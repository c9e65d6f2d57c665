import type { ParseResult, ParserOptions } from 'oxc-parser';
import { CodeSyntaxError, syntaxError, TooComplexError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { firstErrorIn, type GrammarName, type SyntaxTrees } from '../syntax-tree.ts';
import { hasLongLine } from '../text-positions.ts';
import {
  assertParserSurvives,
  boundJavascriptNesting,
  maxJavascriptNesting,
  measureJavascriptDepth,
} from './javascript-depth.ts';

/** Which dialect of JavaScript a text is in. JSX is tried where the file name does not forbid it. */
export type JavascriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';

interface JavascriptSource {
  readonly path: string;
  readonly text: string;
  readonly dialect: JavascriptDialect;
  /** Also looks for what the grammar allows but the language forbids, such as a name declared twice. */
  readonly semanticErrors?: boolean;
}

/** The dialect to parse a file as: by its ending, else TypeScript without JSX or JavaScript with it. */
export function dialectOf(path: string, language: 'javascript' | 'typescript'): JavascriptDialect {
  if (language === 'javascript') return 'jsx';
  if (path.endsWith('.tsx')) return 'tsx';
  return /\.d\.[cm]?ts$/.test(path) ? 'dts' : 'ts';
}

/**
 * ESTree (TS-ESTree for TypeScript) of a text, by oxc; its problems are in `errors`. What is no valid
 * module but a valid script (`with`, octal numbers, `await` as a name) is parsed as one.
 *
 * oxc is native code and takes the whole process with it when its stack or the memory ends. What
 * could do that never reaches it: `TooComplexError` or `CodeSyntaxError` is thrown instead.
 */
export async function parseJavascript(
  source: JavascriptSource,
  trees: SyntaxTrees,
): Promise<ParseResult> {
  const { text, dialect } = source;
  const fileName = dialect === 'dts' ? 'source.d.ts' : `source.${dialect}`;
  const isLong = hasLongLine(text);
  // Tree-sitter does not see these errors, so on a long line nothing keeps them from filling the memory.
  const showSemanticErrors = source.semanticErrors === true && !isLong;
  const module = { ...optionsFor(dialect, 'module'), showSemanticErrors };
  const script = { ...optionsFor(dialect, 'commonjs'), showSemanticErrors };
  if (isLong) await assertUnbroken(source, trees);
  if (await mayNestTooDeeply(source, trees)) {
    await assertParserSurvives({ path: source.path, text, fileName, attempts: [module, script] });
  }
  const { parseSync } = await import('oxc-parser');
  const asModule = parseSync(fileName, text, module);
  if (asModule.errors.length === 0) return asModule;
  // As a script, TypeScript may have imports too, and less would be an error.
  if (showSemanticErrors && asModule.module.hasModuleSyntax) return asModule;
  const asScript = parseSync(fileName, text, script);
  return asScript.errors.length === 0 ? asScript : asModule;
}

/** Most texts are cleared by counting, most others by their real depth; a few have to be tried. */
async function mayNestTooDeeply(source: JavascriptSource, trees: SyntaxTrees): Promise<boolean> {
  const { text, dialect } = source;
  if (boundJavascriptNesting(text) <= maxJavascriptNesting) return false;
  const depth = await measureJavascriptDepth(text, grammarOf(dialect), trees);
  return depth > maxJavascriptNesting;
}

function optionsFor(dialect: JavascriptDialect, sourceType: 'module' | 'commonjs'): ParserOptions {
  return {
    lang: dialect,
    sourceType,
    astType: dialect.includes('ts') ? 'ts' : 'js',
    range: true,
  };
}

/** Each of oxc's errors carries the line it is on: on a long line, many of them fill the memory. */
async function assertUnbroken(source: JavascriptSource, trees: SyntaxTrees): Promise<void> {
  const tree = await trees.parse(grammarOf(source.dialect), source.text);
  try {
    const position = firstErrorIn(tree);
    if (!position) return;
    // Very deep text is an error to tree-sitter too, valid or not.
    if (boundJavascriptNesting(source.text) > maxJavascriptNesting) {
      throw new TooComplexError(source.path, 'it is nested too deeply, or broken');
    }
    const language = source.dialect.includes('ts') ? 'typescript' : 'javascript';
    const message = 'Unexpected text on a very long line';
    throw syntaxError({ path: source.path, language }, position, message);
  } finally {
    tree.delete();
  }
}

function grammarOf(dialect: JavascriptDialect): GrammarName {
  if (dialect === 'tsx') return 'tsx';
  return dialect.includes('ts') ? 'typescript' : 'javascript';
}

/**
 * Parses a JavaScript or TypeScript file in the dialect its name says. TypeScript without a name is
 * tried without JSX, then with it; when it is neither, the problems are those of the first. Throws
 * what `parseJavascript` throws.
 */
export async function parseJavascriptFile(
  file: SourceFile,
  trees: SyntaxTrees,
  options: Pick<JavascriptSource, 'semanticErrors'> = {},
): Promise<ParseResult> {
  const source = { ...options, path: file.path, text: file.text };
  const [likeliest, other] = dialectsOf(file);
  const first = await attempt({ ...source, dialect: likeliest }, trees);
  if (other !== undefined && !isParsed(first)) {
    const second = await attempt({ ...source, dialect: other }, trees);
    if (isParsed(second)) return second;
  }
  if (first instanceof CodeSyntaxError) throw first;
  return first;
}

type Attempt = ParseResult | CodeSyntaxError;

async function attempt(source: JavascriptSource, trees: SyntaxTrees): Promise<Attempt> {
  try {
    return await parseJavascript(source, trees);
  } catch (error) {
    if (error instanceof CodeSyntaxError) return error;
    throw error;
  }
}

function isParsed(attempted: Attempt): attempted is ParseResult {
  return !(attempted instanceof CodeSyntaxError) && attempted.errors.length === 0;
}

function dialectsOf({
  path,
  language,
}: SourceFile): readonly [JavascriptDialect, JavascriptDialect?] {
  if (language !== 'typescript') return [dialectOf(path, 'javascript')];
  return path === inlinePath ? ['ts', 'tsx'] : [dialectOf(path, 'typescript')];
}
