import { lexicon } from './lexicon.ts';
import { has, isKnown, type Word } from './read-words.ts';

export type Slots = ReturnType<typeof readSlots>;

/** Values for arguments that a clause names. */
export function readSlots(words: readonly Word[], prose: string) {
  // "Vitest instead of Jest" names Vitest.
  const meant = words.filter((_, at) => !words[at - 1]?.meaning.classes.has('negation'));
  const named = (table: keyof Word['meaning']['names']): readonly string[] => [
    ...new Set(meant.flatMap(({ meaning }) => meaning.names[table] ?? [])),
  ];
  const ofKind = (kind: Word['kind']): string | undefined =>
    words.find((word) => word.kind === kind)?.text;
  const textOf = ([first, ...others]: readonly Word[]): string | undefined =>
    first && (others.length === 0 ? first.text : prose.slice(first.from, others.at(-1)?.to));
  const isPercent = (at: number): boolean => /%/u.test(words[at]?.text ?? '');
  const speaksOf = (role: string): boolean => words.some((word) => isCue(word, role));
  const numbers = words.map(({ kind, text }) => (kind === 'number' ? Number.parseFloat(text) : -1));
  const number = (fits: (value: number, at: number) => boolean): number | undefined =>
    numbers.find((value, at) => value >= 0 && fits(value, at));
  const isLast = findCommit(words) === 'HEAD';
  const line = number((_, at) => isCue(words[at - 1], 'startLine'));
  const isReplaced = ({ kind, text }: Word, at: number): boolean =>
    (kind !== 'word' || /[A-Z]/u.test(text)) && isCue(words[at + 1], 'replacement');
  /** Values by the role of the argument that takes them, or by the kind of word: email, channel, url. */
  const single: Readonly<Record<string, string | number | readonly string[] | undefined>> = {
    ...Object.fromEntries(words.toReversed().map(({ kind, text }) => [kind, text])),
    testFramework: named('testFrameworks')[0],
    framework: named('frameworks')[0] ?? named('testFrameworks')[0],
    style: named('styleGuides')[0],
    since: named('times')[0] ?? textOf(restAfter('since', words)),
    focus: named('focusAreas'),
    coverage: number((value, at) => value <= 100 && (isPercent(at) || speaksOf('coverage'))),
    lineLength: speaksOf('lineLength')
      ? number((value, at) => value >= 40 && value <= 400 && !isPercent(at))
      : undefined,
    commit: findCommit(words),
    startLine: line,
    endLine: number((value) => line !== undefined && value > line) ?? line,
    limit: isLast ? 1 : number((_, at) => isCue(words[at - 1], 'limit')),
    author: textOf(namedAfter('author', words)),
    find: textOf(namedAfter('find', words)) ?? words.find(isReplaced)?.text,
    replacement: textOf(namedAfter('replacement', words)),
  };
  return {
    single,
    language: named('languages')[0],
    quote: ofKind('quote'),
    symbol: ofKind('symbol'),
    message: textOf(restAfter('message', words)),
    content: textOf(restAfter('content', words)),
  };
}

/** Stands before the value of some argument. */
export function isAnyCue({ plain }: Word): boolean {
  return [...lexicon.cues.values()].some((words) => words.includes(plain));
}

/** A hash, HEAD~2, or "the last commit"; not where changes since then are meant. */
export function findCommit(words: readonly Word[]): string | undefined {
  if (words.some((word) => isCue(word, 'since'))) return undefined;
  const isLast = words.some(
    ({ text }, at) => /^commit$/iu.test(text) && isCue(words[at - 1], 'lastOne'),
  );
  const isName = /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}$|^HEAD(?:[~^]\d*)*$/u;
  return words.find(({ text }) => isName.test(text))?.text ?? (isLast ? 'HEAD' : undefined);
}

export function isCue(word: Word | undefined, role: string): boolean {
  if (role === 'replacement' && /^(?:[-=]>|→)$/u.test(word?.text ?? '')) return true;
  return word !== undefined && lexicon.cues.get(role)?.includes(word.plain) === true;
}

/** What could be a name or a value: no word that stands for something. */
function isValue(word: Word): boolean {
  if (word.kind === 'word') return !isKnown(word) && !isCue(word, 'replacement');
  return word.kind !== 'mark';
}

/** "replace the port 8000 with": the values behind a cue, without known words; else the word right there. */
function namedAfter(role: string, words: readonly Word[]): readonly Word[] {
  const rest = behindCue(role, words);
  const start = rest.findIndex((word) => isValue(word) || isCue(word, 'replacement'));
  const end = rest.findIndex((word, at) => at >= start && !isValue(word));
  const values = rest.slice(Math.max(start, 0), end < 0 ? undefined : end);
  const isKept = values.length > 0 || has(rest[0], 'function', 'pronouns', 'definite');
  return isKept ? values : rest.slice(0, 1);
}

/** "with the message fix the total": all that stands behind a cue, or what is quoted there. */
function restAfter(role: string, words: readonly Word[]): readonly Word[] {
  const rest = behindCue(role, words);
  const quoted = rest.filter(({ kind }) => kind === 'quote' || kind === 'code').slice(0, 1);
  const end = rest.findIndex(({ path }, at) => path && isCue(rest[at - 1], 'replacement'));
  return quoted.length > 0 ? quoted : rest.slice(0, end < 0 ? undefined : end - 1);
}

const behindCue = (role: string, words: readonly Word[]): readonly Word[] =>
  words.slice(words.findIndex((word) => isCue(word, role)) + 1 || words.length);
