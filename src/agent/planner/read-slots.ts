import type { Word } from './read-words.ts';

const numbers: Readonly<Record<string, number>> = {
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
};
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
  const isPercent = (at: number): boolean =>
    /%/u.test(words[at]?.text ?? '') ||
    /^(?:percent|prozent|per cent)$/u.test(words[at + 1]?.plain ?? '');
  const speaksOf = (pattern: RegExp): boolean => words.some(({ plain }) => pattern.test(plain));
  const number = (fits: (value: number, at: number) => boolean): number | undefined =>
    words.map(numberOf).find((value, at) => value !== undefined && fits(value, at));
  const labelAt = words.findIndex(({ plain }) =>
    /^(?:labelled|labeled|label|tagged|tag)$/u.test(plain),
  );
  return {
    /** In the order they were named. */
    languages: named('languages').filter((name) => name !== 'go' || isGoMeant(words)),
    framework: named('frameworks')[0],
    testFramework: named('testFrameworks')[0],
    styleGuide: named('styleGuides')[0],
    focus: named('focusAreas'),
    since: named('times')[0],
    coverage: number((value, at) => value <= 100 && (isPercent(at) || speaksOf(/cover/u))),
    lineLength: speaksOf(widthWords)
      ? number((value, at) => value >= 40 && value <= 400 && !isPercent(at))
      : undefined,
    label:
      labelAt < 0
        ? undefined
        : words.slice(labelAt + 1).find(({ kind }) => kind === 'word' || kind === 'quote')?.text,
    address: ofKind('email'),
    channel: ofKind('channel'),
    quote: ofKind('quote'),
    symbol: ofKind('symbol'),
    url: ofKind('url'),
  };
}

function numberOf({ kind, text, plain }: Word): number | undefined {
  return kind === 'number' ? Number.parseFloat(text) : numbers[plain];
}

/** "go" is a language only where one would stand. */
function isGoMeant(words: readonly Word[]): boolean {
  return words.some((word, at) => {
    if (word.plain !== 'go') return word.plain === 'golang';
    const isPlaced = /^(?:in|into|to|using|with|a|and|for)$/u.test(words[at - 1]?.plain ?? '');
    const goesOn = /^(?:ahead|on|over|from|through|to|and)$/u.test(words[at + 1]?.plain ?? '');
    return (isPlaced || (word.text === 'Go' && at > 0)) && !goesOn;
  });
}
