const opaque = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

/** What the parsers beside PostgreSQL's take for names though no dialect does. */
const mistakes: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/\b(?:where|having|not|and|or)(?=\s*(?:;|$))/i, 'Expected a condition'],
  [
    /\binsert\s{1,100}(?!into\b|ignore\b|all\b|first\b|delayed\b|low_priority\b|high_priority\b|overwrite\b)\w{1,200}\s{1,100}into\b/i,
    'Expected INTO behind INSERT',
  ],
];

export interface SqlMistake {
  readonly offset: number;
  readonly message: string;
}

/** The first mistake that lax parsers overlook. */
export function findSqlMistake(text: string): SqlMistake | undefined {
  const plain = text.replace(opaque, (piece) =>
    (/^[-/]/.test(piece) ? ' ' : 'x').repeat(piece.length),
  );
  for (const [pattern, message] of mistakes) {
    const match = pattern.exec(plain);
    if (match) return { offset: match.index, message };
  }
  return undefined;
}
