import { plainForm } from '../../kernel/index.ts';
import { correctSpelling, lookUp, maxPhraseWords, type Meaning } from './lexicon.ts';

export type WordKind =
  | 'word'
  | 'mark'
  | 'path'
  | 'code'
  | 'quote'
  | 'symbol'
  | 'email'
  | 'channel'
  | 'url'
  | 'number';

/** A word, a phrase with a meaning of its own, or something that is no word. */
export interface Word {
  readonly kind: WordKind;
  /** As it was written; of a quote or code what is between the marks. */
  readonly text: string;
  /** Lower case, without accents, spelling corrected. */
  readonly plain: string;
  readonly meaning: Meaning;
  /** Where it stands in the message. */
  readonly from: number;
  readonly to: number;
  /** The path on disk this names, where one was found. */
  readonly path?: FoundPath;
}

export interface FoundPath {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'new';
}

const noMeaning: Meaning = { verbs: [], nouns: [], classes: new Set(), names: {} };

type Token = Pick<Word, 'kind' | 'text' | 'from' | 'to'>;

const patterns: readonly (readonly [WordKind, RegExp])[] = [
  // Most words are plain ones: found first, they cost no other pattern.
  ['word', /[a-z]+(?=[\s,?!]|$)/uy],
  ['code', /```[^\n`]*\n?([\s\S]*?)(?:```|$)/uy],
  ['quote', /`([^`\n]{1,300})`/uy],
  ['quote', /"([^"\n]{1,300})"|“([^”\n]{1,300})”|„([^“\n]{1,300})“|«([^»\n]{1,300})»/uy],
  ['quote', /'([^'\n]{1,300})'(?![\p{L}\p{N}])/uy],
  ['url', /https?:\/\/[^\s)>"']+/uy],
  ['email', /[\w.+-]+@[\w-]+\.[\w.-]*\w/uy],
  ['channel', /#[a-z][\w-]*/uy],
  ['path', /@([\w.~][^\s,;:!?()"'`]*[\w/])/uy],
  [
    'path',
    /(?:~|\.{1,2})?\/?(?:[\w.@*-]+\/)+[\w.*@-]*[\w*]\/?|\.[\w-]+(?:\.[\w-]+)*(?=[\s,;:!?)]|$)/uy,
  ],
  ['symbol', /[A-Za-z_$][\w$]*\((?:[^()\n]{0,80})\)/uy],
  ['path', /[\w*-]+(?:\.[\w*-]+)*\.[A-Za-z][A-Za-z0-9]{0,6}(?![\w.]*\w)/uy],
  [
    'symbol',
    /[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]+(?:_[A-Z0-9]+)+/uy,
  ],
  ['number', /\d+(?:\.\d+)?\s?%?/uy],
  ['word', /c\+\+(?:\d\d)?|c#|f#|\.net|tl;dr|[\p{L}\p{N}](?:[\p{L}\p{N}]|['’-](?=\p{L}))*/iuy],
  ['mark', /\n+|[-=]>|[,;:.?!()+&→|/]/uy],
];

/** Cuts a message into words and phrases; the longest phrase that means something wins. */
export function readWords(message: string): readonly Word[] {
  return readPhrase(message).map(withoutSlip);
}

/** The same for a text without slips. */
export function readPhrase(text: string): readonly Word[] {
  return joinPhrases(scan(text).map(nameToken));
}

function scan(message: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < message.length;) {
    const found = match(message, at);
    if (found) tokens.push(found);
    at = found ? found.to : at + 1;
  }
  return tokens;
}

function match(message: string, at: number): Token | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(message);
    if (!found) continue;
    const text = found.slice(1).find((part) => part !== undefined) ?? found[0];
    return { kind, text, from: at, to: at + found[0].length };
  }
  return undefined;
}

/** Names such as "node.js" or "pull_request" are words before they are paths or symbols. */
function nameToken(token: Token): Word {
  const { kind, text } = token;
  const plain = plainForm(text);
  const isNamed = kind === 'path' || kind === 'symbol';
  const known = kind === 'word' || isNamed ? lookUp(plain) : undefined;
  // A manifest stays a path: its name says what it is about.
  const isManifest = kind === 'path' && (known?.nouns.length ?? 0) > 0;
  if (isNamed && known && !isManifest) return { ...token, kind: 'word', plain, meaning: known };
  if (isManifest && known) return { ...token, plain, meaning: known };
  if (kind !== 'word') return { ...token, plain, meaning: noMeaning };
  return { ...token, plain, meaning: known ?? noMeaning };
}

/** A word nobody knows may be one with a slip in it, or a compound: "JUnit-Tests" are tests. */
function withoutSlip(word: Word): Word {
  if (word.kind !== 'word' || word.meaning !== noMeaning) return word;
  const [, last] = /-([^-]+)$/u.exec(word.plain) ?? [];
  const part = last === undefined ? undefined : lookUp(last);
  if (part && part.nouns.length > 0) return { ...word, meaning: { ...part, verbs: [] } };
  const meant = correctSpelling(word.plain);
  return meant === undefined
    ? word
    : { ...word, plain: meant, meaning: lookUp(meant) ?? noMeaning };
}

function joinPhrases(words: readonly Word[]): readonly Word[] {
  const joined: Word[] = [];
  for (let at = 0; at < words.length;) {
    const phrase = longestPhrase(words, at);
    const word = words[at];
    if (phrase) joined.push(phrase.word);
    else if (word) joined.push(word);
    at += phrase?.length ?? 1;
  }
  return joined;
}

function longestPhrase(
  words: readonly Word[],
  at: number,
): { readonly word: Word; readonly length: number } | undefined {
  for (let length = maxPhraseWords(words[at]?.plain ?? ''); length > 1; length -= 1) {
    const part = words.slice(at, at + length);
    if (part.length < length || part.some(({ kind }) => kind !== 'word' && kind !== 'number'))
      continue;
    const plain = part.map((word) => word.plain).join(' ');
    const meaning = withObject(lookUp(plain), part.at(-1));
    const text = part.map((word) => word.text).join(' ');
    const [from, to] = [part[0]?.from ?? 0, part.at(-1)?.to ?? 0];
    if (meaning) return { word: { kind: 'word', text, plain, meaning, from, to }, length };
  }
  return undefined;
}

/** "our dependencies" is the whole project, and speaks of dependencies. */
function withObject(meaning: Meaning | undefined, last: Word | undefined): Meaning | undefined {
  if (!meaning?.classes.has('wholeProject') || meaning.nouns.length > 0) return meaning;
  return { ...meaning, nouns: last?.meaning.nouns ?? [] };
}

export function has(word: Word | undefined, ...classes: readonly string[]): boolean {
  return classes.some((name) => word?.meaning.classes.has(name) === true);
}

export function isVerb(word: Word | undefined): boolean {
  return (word?.meaning.verbs.length ?? 0) > 0;
}

/** Words that carry meaning: no articles, no politeness. */
export function isSignificant(word: Word): boolean {
  const { verbs, nouns } = word.meaning;
  if (word.kind === 'mark') return false;
  if (verbs.length + nouns.length > 0) return true;
  return !has(word, 'function', 'polite', 'sequence') || has(word, 'pronouns');
}

const emptyClasses = [
  'generic',
  'vague',
  'polite',
  'given',
  'light',
  'pronouns',
  'questions',
  'function',
] as const;

/** Says something about a program, more than that there is to be one. */
export function isDescriptive(word: Word): boolean {
  const { classes, names, verbs, nouns } = word.meaning;
  const isEmpty =
    word.kind === 'mark' ||
    verbs.length > 0 ||
    nouns.some((noun) => /^(?:spec|tests|code|review)$/u.test(noun)) ||
    (names.languages ?? names.frameworks) !== undefined ||
    emptyClasses.some((name) => classes.has(name));
  return !isEmpty && isSignificant(word);
}
