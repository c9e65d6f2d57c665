import type { ParseResult } from 'oxc-parser';
import { CodeSyntaxError } from '../errors.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';
import {
  dialectOf,
  parseJavascript,
  type JavascriptDialect,
  type JavascriptSource,
} from './javascript-tree.ts';

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
