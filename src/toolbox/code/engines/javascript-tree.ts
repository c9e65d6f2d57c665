import type { ParseResult } from 'oxc-parser';

/** Which dialect of JavaScript a text is in. JSX is tried where the file name does not forbid it. */
export type JavascriptDialect = 'js' | 'jsx' | 'ts' | 'tsx';

/** The dialect to parse a file as: by its ending, else TypeScript without JSX or JavaScript with it. */
export function dialectOf(path: string, language: 'javascript' | 'typescript'): JavascriptDialect {
  if (language === 'javascript') return 'jsx';
  return path.endsWith('.tsx') ? 'tsx' : 'ts';
}

/** ESTree (TS-ESTree for TypeScript) of a text, by oxc; problems are in `errors`, never thrown. */
export async function parseJavascript(
  text: string,
  dialect: JavascriptDialect,
): Promise<ParseResult> {
  const { parseSync } = await import('oxc-parser');
  return parseSync(`source.${dialect}`, text, {
    lang: dialect,
    astType: dialect.startsWith('ts') ? 'ts' : 'js',
    range: true,
    showSemanticErrors: false,
  });
}
