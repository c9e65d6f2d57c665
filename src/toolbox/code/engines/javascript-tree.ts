import type { ParseResult } from 'oxc-parser';

/** Which dialect of JavaScript a text is in. JSX is tried where the file name does not forbid it. */
export type JavascriptDialect = 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';

/** The dialect to parse a file as: by its ending, else TypeScript without JSX or JavaScript with it. */
export function dialectOf(path: string, language: 'javascript' | 'typescript'): JavascriptDialect {
  if (language === 'javascript') return 'jsx';
  if (path.endsWith('.tsx')) return 'tsx';
  return /\.d\.[cm]?ts$/.test(path) ? 'dts' : 'ts';
}

/**
 * ESTree (TS-ESTree for TypeScript) of a text, by oxc; problems are in `errors`, never thrown. What
 * is no valid module but a valid script (`with`, octal numbers, `await` as a name) is parsed as one.
 */
export async function parseJavascript(
  text: string,
  dialect: JavascriptDialect,
): Promise<ParseResult> {
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
