import type { ParseResult } from 'oxc-parser';
import { CodeSyntaxError, TooComplexError } from '../errors.ts';
import type { GrammarName, SyntaxTrees } from '../syntax-tree.ts';
import { hasLongLine } from './long-line.ts';
import { estimateJavascriptNesting, maxJavascriptNesting } from './javascript-nesting.ts';

/** Which dialect of JavaScript a text is in. JSX is tried where the file name does not forbid it. */
export type JavascriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';

export interface JavascriptSource {
  readonly path: string;
  readonly text: string;
  readonly dialect: JavascriptDialect;
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
  assertShallow(source);
  if (hasLongLine(text)) await assertUnbroken(source, trees);
  const { parseSync } = await import('oxc-parser');
  const parse = (sourceType: 'module' | 'commonjs'): ParseResult =>
    parseSync(dialect === 'dts' ? 'source.d.ts' : `source.${dialect}`, text, {
      lang: dialect,
      sourceType,
      astType: dialect.includes('ts') ? 'ts' : 'js',
      range: true,
      showSemanticErrors: false,
    });
  const asModule = parse('module');
  if (asModule.errors.length === 0) return asModule;
  const asScript = parse('commonjs');
  return asScript.errors.length === 0 ? asScript : asModule;
}

/** Throws `TooComplexError` for a text on which a parser's stack would end. */
export function assertShallow({ path, text }: Pick<JavascriptSource, 'path' | 'text'>): void {
  if (estimateJavascriptNesting(text) <= maxJavascriptNesting) return;
  throw new TooComplexError(path, 'it is nested too deeply');
}

/** Each of oxc's errors carries the line it is on: on a long line, many of them fill the memory. */
async function assertUnbroken(source: JavascriptSource, trees: SyntaxTrees): Promise<void> {
  const tree = await trees.parse(grammarOf(source.dialect), source.text);
  try {
    if (!tree.rootNode.hasError) return;
    const cursor = tree.walk();
    while (cursor.gotoFirstChild()) {
      while (!cursor.currentNode.hasError && cursor.gotoNextSibling());
      if (cursor.currentNode.isError || cursor.currentNode.isMissing) break;
    }
    const { row, column } = cursor.startPosition;
    cursor.delete();
    throw new CodeSyntaxError({
      path: source.path,
      language: source.dialect.includes('ts') ? 'typescript' : 'javascript',
      line: row + 1,
      column: column + 1,
      message: 'Unexpected text on a very long line',
    });
  } finally {
    tree.delete();
  }
}

function grammarOf(dialect: JavascriptDialect): GrammarName {
  if (dialect === 'tsx') return 'tsx';
  return dialect.includes('ts') ? 'typescript' : 'javascript';
}
