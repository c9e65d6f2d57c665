import type { Word } from './read-words.ts';

/** Values for arguments that a clause names. */
export interface Slots {
  /** In the order they were named. */
  readonly languages: readonly string[];
  readonly framework: string | undefined;
  readonly testFramework: string | undefined;
  readonly styleGuide: string | undefined;
  readonly coverage: number | undefined;
  readonly lineLength: number | undefined;
  readonly focus: readonly string[];
  readonly address: string | undefined;
  readonly channel: string | undefined;
  readonly label: string | undefined;
  readonly since: string | undefined;
  readonly quote: string | undefined;
  readonly symbol: string | undefined;
  readonly url: string | undefined;
}

const numbers: Readonly<Record<string, number>> = {
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
};

export function readSlots(words: readonly Word[]): Slots {
  const named = (
    table: 'frameworks' | 'testFrameworks' | 'styleGuides' | 'times',
  ): string | undefined =>
    words.find((word, at) => word.meaning.names[table] !== undefined && !isRejected(words, at))
      ?.meaning.names[table];
  const ofKind = (kind: Word['kind']): string | undefined =>
    words.find((word) => word.kind === kind)?.text;
  return {
    languages: [...new Set(words.flatMap((_, at) => languageAt(words, at) ?? []))],
    framework: named('frameworks'),
    testFramework: named('testFrameworks'),
    styleGuide: named('styleGuides'),
    coverage: percentIn(words),
    lineLength: widthIn(words),
    focus: [...new Set(words.flatMap(({ meaning }) => meaning.names.focusAreas ?? []))],
    address: ofKind('email'),
    channel: ofKind('channel'),
    label: labelIn(words),
    since: named('times'),
    quote: ofKind('quote'),
    symbol: ofKind('symbol'),
    url: ofKind('url'),
  };
}

/** "Vitest instead of Jest". */
function isRejected(words: readonly Word[], at: number): boolean {
  return words
    .slice(Math.max(0, at - 1), at)
    .some(({ meaning }) => meaning.classes.has('negation'));
}

/** "go" is a language only where one would stand. */
function languageAt(words: readonly Word[], at: number): string | undefined {
  const word = words[at];
  const name = word?.meaning.names.languages;
  if (name === undefined || isRejected(words, at)) return undefined;
  if (word?.plain !== 'go') return name;
  const before = words[at - 1]?.plain ?? '';
  const after = words[at + 1]?.plain ?? '';
  const isPlaced =
    /^(?:in|into|to|using|with|a|and|for)$/u.test(before) || (word.text === 'Go' && at > 0);
  return isPlaced && !/^(?:ahead|on|over|from|through|to|and)$/u.test(after) ? name : undefined;
}

function percentIn(words: readonly Word[]): number | undefined {
  const speaks = words.some(({ plain }) => /coverage|cover|percent|prozent/u.test(plain));
  for (const [at, word] of words.entries()) {
    const value = numberOf(word);
    const isPercent =
      word.text.includes('%') ||
      /^(?:percent|prozent|per cent|%)$/u.test(words[at + 1]?.plain ?? '');
    if (value !== undefined && value >= 1 && value <= 100 && (isPercent || speaks)) return value;
  }
  return undefined;
}

function widthIn(words: readonly Word[]): number | undefined {
  const speaks = words.some(({ plain }) =>
    /^(?:lines?|columns?|cols?|chars?|characters?|width|zeichen|line length|too long)$/u.test(
      plain,
    ),
  );
  const found = words.find((word) => {
    const value = numberOf(word);
    return value !== undefined && value >= 40 && value <= 400 && !word.text.includes('%');
  });
  return speaks && found ? numberOf(found) : undefined;
}

function numberOf(word: Word): number | undefined {
  if (word.kind === 'number') return Number.parseFloat(word.text);
  return numbers[word.plain];
}

function labelIn(words: readonly Word[]): string | undefined {
  const at = words.findIndex(({ plain }) => /^(?:labelled|labeled|label|tagged|tag)$/u.test(plain));
  return at < 0
    ? undefined
    : words.slice(at + 1).find(({ kind }) => kind === 'word' || kind === 'quote')?.text;
}
