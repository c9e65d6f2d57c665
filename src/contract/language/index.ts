/** The languages the code tools speak (C7 of the mission). */
export const languages = [
  'python',
  'javascript',
  'typescript',
  'java',
  'go',
  'rust',
  'sql',
  'html',
  'css',
] as const;

export type Language = (typeof languages)[number];

/** Where the tests of a file go: beside it, named as the tools of its language look for them. */
export function testPath(path: string): string {
  const [, folder = '', name = '', ending = ''] = /^(.*\/)?([^/]*?)(\.[^./]+)?$/u.exec(path) ?? [];
  if (ending === '.py') return `${folder}test_${name}${ending}`;
  if (/^\.(?:go|rs|rb)$/u.test(ending)) return `${folder}${name}_test${ending}`;
  if (/^\.(?:java|kt|cs)$/u.test(ending)) return `${folder}${name}Test${ending}`;
  return `${folder}${name}.test${ending}`;
}

const endings = new Map<string, Language>(
  Object.entries({
    py: 'python',
    pyi: 'python',
    js: 'javascript',
    mjs: 'javascript',
    cjs: 'javascript',
    jsx: 'javascript',
    ts: 'typescript',
    mts: 'typescript',
    tsx: 'typescript',
    java: 'java',
    go: 'go',
    rs: 'rust',
    sql: 'sql',
    html: 'html',
    css: 'css',
  } as const),
);

/** The language of a file by the ending of its name; undefined where that says nothing. */
export function languageOfFile(path: string): Language | undefined {
  return endings.get(/\.(\w{1,5})$/u.exec(path.toLowerCase())?.[1] ?? '');
}
