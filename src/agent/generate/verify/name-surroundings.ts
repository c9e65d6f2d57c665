import type { ParsedLanguage } from '../syntax-parser.ts';
import patterns from './surroundings.json' with { type: 'json' };

/** What code and tests read of the machine they run on, one sentence each; none for Java and Rust. */
export function nameSurroundings(
  language: ParsedLanguage,
  texts: { readonly code: string; readonly tests: string },
): string[] {
  if (language === 'java' || language === 'rust') return [];
  const known = patterns[language === 'typescript' ? 'javascript' : language];
  return (['code', 'tests'] as const).flatMap((role) => {
    const found = Object.entries(known).filter(([, pattern]) =>
      new RegExp(pattern).test(texts[role]),
    );
    const names = found
      .map(([name]) => `the ${name}`)
      .join(', ')
      .replace('the random', 'random');
    if (found.length === 0) return [];
    return [
      `The ${role === 'code' ? 'code reads' : 'tests read'} ${names}: results may differ elsewhere.`,
    ];
  });
}
