import type { Language } from '../../contract/language/index.ts';

const maxNames = 30;
const maxChars = 200_000;

/** How functions that others may call begin, at the start of a line. */
const beginnings: Readonly<Partial<Record<Language, RegExp>>> = {
  python: /^(?:async +)?def +([A-Za-z]\w*)/gmu,
  javascript: /^export +(?:default +)?(?:async +)?function\*? *([A-Za-z]\w*)/gmu,
  typescript: /^export +(?:default +)?(?:async +)?function\*? *([A-Za-z]\w*)/gmu,
  java: /^ +(?:public|protected)? *static +[\w<>[\], ?]+? +([a-z]\w*) *\(/gmu,
  go: /^func +([A-Z]\w*)/gmu,
  rust: /^ *pub +(?:async +)?fn +([a-z]\w*)/gmu,
};

/** The functions a test could call, in the order of the code; a skeleton needs no more than their names. */
export function functionNames(code: string, language: Language): string[] {
  const beginning = beginnings[language];
  if (!beginning) return [];
  const names = [...code.slice(0, maxChars).matchAll(beginning)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => name !== 'main').slice(0, maxNames);
}
