import { emptyWords } from '../converse/words.ts';

/** A stretch of time that a question names; in milliseconds since the epoch. */
export interface TimeRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What a question is about, as far as its words say so. */
export interface ReadQuery {
  /** Words to look for, in small letters; names among them. */
  readonly words: readonly string[];
  /** Capitalized words that do not begin the sentence, in small letters. */
  readonly names: ReadonlySet<string>;
  /** Asks for what was, not for what holds: history counts. */
  readonly isAboutPast: boolean;
  /** Any of these; empty where none is named. */
  readonly times: readonly TimeRange[];
}

/** What is pasted behind the question does not ask. */
const maxQueryLength = 2_000;
const maxWords = 24;
const dayMs = 86_400_000;
/** A month without a year is the latest such months. */
const yearsBack = 3;

const monthNames =
  'january|february|march|april|may|june|july|august|september|october|november|december';
const monthList = monthNames.split('|');
/** "May" is also a verb, so a month needs a word, a day or a year beside it. */
const monthPattern = new RegExp(
  `(?:\\b(?:in|of|during|since|early|late|mid|last|this|until|on)[ -]+(?:the )?(?:(\\d{1,2})(?:st|nd|rd|th)? (?:of )?)?|(\\d{1,2})(?:st|nd|rd|th)? (?:of )?)` +
    `(${monthNames})\\b(?:\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d))?(?:,?\\s+((?:19|20)\\d\\d))?`,
  'giu',
);
const isoPattern = /\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b/gu;
const agoPattern =
  /\b(yesterday|last week|last month|this week|this month|(\d{1,3}|a|two|three|four|five|six) (day|week|month)s? ago)\b/giu;
const pastPattern =
  /\b(?:before|previous(?:ly)?|used? to|earlier|original(?:ly)?|at first|former(?:ly)?|in the beginning|initial(?:ly)?|back then|first)\b/iu;

export function readQuery(text: string, nowMs: number): ReadQuery {
  const asked = text.slice(0, maxQueryLength).normalize('NFKC');
  const words = new Set<string>();
  const names = new Set<string>();
  for (const [index, [raw]] of [...asked.matchAll(/[\p{L}\p{N}]+/gu)].entries()) {
    const word = raw.toLowerCase();
    if (emptyWords.has(word) || word.length < 2) continue;
    if (words.size < maxWords) words.add(word);
    if (index > 0 && /^\p{Lu}\p{Ll}/u.test(raw) && !monthList.includes(word)) names.add(word);
  }
  return {
    words: [...words],
    names,
    isAboutPast: pastPattern.test(asked),
    times: [...namedMonths(asked, nowMs), ...namedDays(asked), ...agoTimes(asked, nowMs)],
  };
}

function namedMonths(text: string, nowMs: number): TimeRange[] {
  const thisYear = new Date(nowMs).getUTCFullYear();
  return [...text.matchAll(monthPattern)].flatMap((found) => {
    const [, before, ahead, name = '', after, year] = found;
    const month = monthList.indexOf(name.toLowerCase());
    const day = Number(before ?? ahead ?? after ?? 0);
    const years =
      year === undefined
        ? Array.from({ length: yearsBack }, (_, back) => thisYear - back)
        : [Number(year)];
    return years
      .map((one) => rangeOf(one, month, day))
      .filter(({ fromMs }) => year !== undefined || fromMs <= nowMs);
  });
}

function rangeOf(year: number, month: number, day: number): TimeRange {
  if (day === 0) return { fromMs: Date.UTC(year, month), untilMs: Date.UTC(year, month + 1) };
  // People mention what happened on a day that same day or within the week after it.
  const fromMs = Date.UTC(year, month, day) - dayMs;
  return { fromMs, untilMs: fromMs + 9 * dayMs };
}

function namedDays(text: string): TimeRange[] {
  return [...text.matchAll(isoPattern)].map(([, year, month, day]) =>
    rangeOf(Number(year), Number(month) - 1, Number(day)),
  );
}

const counts = ['', 'a', 'two', 'three', 'four', 'five', 'six'];
const unitDays = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 30],
]);

function agoTimes(text: string, nowMs: number): TimeRange[] {
  return [...text.matchAll(agoPattern)].map(([, phrase = '', count = '', unit = '']) => {
    const spoken = phrase.toLowerCase();
    const days = unitDays.get(unit.toLowerCase()) ?? (spoken.includes('month') ? 30 : 7);
    if (spoken === 'yesterday') return around(nowMs - dayMs, dayMs);
    if (spoken.startsWith('this')) return { fromMs: nowMs - days * dayMs, untilMs: nowMs };
    if (spoken.startsWith('last')) return around(nowMs - days * dayMs, days * dayMs);
    const many = Number(count) || Math.max(1, counts.indexOf(count.toLowerCase()));
    return around(nowMs - many * days * dayMs, days * dayMs);
  });
}

function around(middleMs: number, slackMs: number): TimeRange {
  return { fromMs: middleMs - slackMs, untilMs: middleMs + slackMs };
}

/**
 * The question as the person whom it names would ask it: "Anna's dog" becomes "my dog". People speak of themselves in
 * the first person, and a name alone draws the vector to all turns that begin with it: on the tuning half of
 * `bench/memory` recall@10 by vectors rises from 0.45 to 0.73.
 */
export function asSpeaker(text: string, speakers: ReadonlySet<string>): string {
  const asked = text.slice(0, maxQueryLength);
  if (speakers.size === 0) return asked;
  return asked.replaceAll(/(\p{L}+)(['’]s)?/gu, (whole, word: string, isOwner?: string) => {
    if (!speakers.has(word.toLowerCase())) return whole;
    return isOwner === undefined ? 'I' : 'my';
  });
}
