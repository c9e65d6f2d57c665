import type { Word } from './read-words.ts';

const widthWords =
  /^(?:lines?|columns?|cols?|chars?|characters?|width|zeichen|line length|too long)$/u;

/** Values for arguments that a clause names. */
export type Slots = ReturnType<typeof readSlots>;

export function readSlots(words: readonly Word[]) {
  // "Vitest instead of Jest" names Vitest.
  const meant = words.filter((_, at) => !words[at - 1]?.meaning.classes.has('negation'));
  const named = (table: keyof Word['meaning']['names']): readonly string[] => [
    ...new Set(meant.flatMap(({ meaning }) => meaning.names[table] ?? [])),
  ];
  const ofKind = (kind: Word['kind']): string | undefined =>
    words.find((word) => word.kind === kind)?.text;
  const isPercent = (at: number): boolean => /%/u.test(words[at]?.text ?? '');
  const speaksOf = (pattern: RegExp): boolean => words.some(({ plain }) => pattern.test(plain));
  const numbers = words.map(({ kind, text }) => (kind === 'number' ? Number.parseFloat(text) : -1));
  const number = (fits: (value: number, at: number) => boolean): number | undefined =>
    numbers.find((value, at) => value >= 0 && fits(value, at));
  const lineAt = words.findIndex(({ plain }) => /^(?:lines?|zeilen?)$/u.test(plain));
  const line = number((_, at) => lineAt >= 0 && at === lineAt + 1);
  /** Values by the role of the argument that takes them. */
  const single: Readonly<Record<string, string | number | readonly string[] | undefined>> = {
    testFramework: named('testFrameworks')[0],
    framework: named('frameworks')[0] ?? named('testFrameworks')[0],
    style: named('styleGuides')[0],
    since: named('times')[0],
    focus: named('focusAreas'),
    coverage: number((value, at) => value <= 100 && (isPercent(at) || speaksOf(/cover/u))),
    lineLength: speaksOf(widthWords)
      ? number((value, at) => value >= 40 && value <= 400 && !isPercent(at))
      : undefined,
    address: ofKind('email'),
    channel: ofKind('channel'),
    url: ofKind('url'),
    startLine: line,
    endLine: number((_, at) => lineAt >= 0 && at > lineAt + 1) ?? line,
    limit: number((_, at) =>
      /^(?:last|latest|newest|first|top)$/u.test(words[at - 1]?.plain ?? ''),
    ),
  };
  return {
    single,
    language: named('languages')[0],
    quote: ofKind('quote'),
    symbol: ofKind('symbol'),
  };
}
