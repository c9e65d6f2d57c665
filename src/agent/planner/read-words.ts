import { plainForm, stemOf } from '../../kernel/index.ts';
import { correctSpelling, lexicon, lookUp, maxPhraseWords, type Meaning } from './lexicon.ts';

/** A word, a phrase with a meaning of its own, or something that is no word. */
export interface Word {
  readonly kind: (typeof patterns)[number][0] | 'name';
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

const patterns = [
  // Most words are plain ones: found first, they cost no other pattern.
  ['word', /[a-z]+(?=[\s,?!]|$)/uy],
  ['code', /```[^\n`]*\n?([\s\S]*?)(?:```|$)/uy],
  ['quote', /`([^`\n]{1,300})`/uy],
  ['quote', /"([^"\n]{1,300})"|“([^”\n]{1,300})”|„([^“\n]{1,300})“|«([^»\n]{1,300})»/uy],
  ['quote', /'([^'\n]{1,300})'(?![\p{L}\p{N}])/uy],
  ['url', /https?:\/\/[^\s)>"']+/uy],
  ['email', /[\w.+-]+@[\w-]+\.[\w.-]*\w/uy],
  ['channel', /#[a-z][\w-]*/uy],
  ['flag', /(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s,;]+)?/uy],
  ['path', /@([\w.~][^\s,;:!?()"'`]*[\w/])/uy],
  [
    'path',
    /(?:~|\.{1,2})?\/?(?:[\w.@*-]+\/)+[\w.*@-]*[\w*]\/?|\.[\w-]+(?:\.[\w-]+)*(?=[\s,;:!?)]|$)/uy,
  ],
  ['symbol', /[A-Za-z_$][\w$]*\((?:[^()\n]{0,80})\)/uy],
  ['path', /[\w*-]+(?:\.[\w*-]+)*\.[A-Za-z][A-Za-z0-9]{0,6}(?![\w.]*\w)/uy],
  [
    'symbol',
    /[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?![\w./])|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]+(?:_[A-Z0-9]+)+/uy,
  ],
  ['word', /HEAD(?:[~^]\d*)+/uy],
  ['word', /(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}(?![\p{L}\p{N}])/uy],
  ['number', /\d+(?:\.\d+)?(?:\s?%)?/uy],
  ['word', /c\+\+(?:\d\d)?|c#|f#|\.net|tl;dr|[\p{L}\p{N}](?:[\p{L}\p{N}]|['’-](?=\p{L}))*/iuy],
  ['mark', /\n+|[-=]>|[,;:.?!()+&→|/]/uy],
] as const satisfies readonly (readonly [string, RegExp])[];

/** Cuts a message into words and phrases; the longest phrase that means something wins. */
export function readWords(message: string): readonly Word[] {
  const words = readPhrase(message);
  // Where a deed is named, an unknown word is more likely a name than a slip.
  return words.some(({ meaning }) => meaning.verbs.length > 0) ? words : words.map(withoutSlip);
}

/** The same for a text without slips. */
export const readPhrase = (text: string): readonly Word[] => joinPhrases(scan(text).map(nameToken));

type Token = Pick<Word, 'kind' | 'text' | 'from' | 'to'>;

function scan(message: string): readonly Token[] {
  const tokens: Token[] = [];
  const names = findNames(message);
  for (let at = 0; at < message.length; at = Math.max(at + 1, tokens.at(-1)?.to ?? 0)) {
    const end = names.get(at);
    if (end !== undefined) {
      tokens.push({ kind: 'name', text: message.slice(at, end), from: at, to: end });
      continue;
    }
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = at;
      const found = pattern.exec(message);
      if (!found) continue;
      const text = found.slice(1).find((part) => part !== undefined) ?? found[0];
      tokens.push({ kind, text, from: at, to: pattern.lastIndex });
      break;
    }
  }
  return tokens;
}

/** Where names and texts begin, with where they end. */
function findNames(message: string): ReadonlyMap<number, number> {
  const found = lexicon.literals.flatMap((pattern) => [...message.matchAll(pattern)]);
  return new Map(found.flatMap(({ indices }) => Object.values(indices?.groups ?? {})));
}

/** Names such as "node.js" or "pull_request" are words before they are paths or symbols. */
function nameToken(token: Token): Word {
  const { kind, text } = token;
  const plain = plainForm(kind === 'flag' ? text.replace(/^-+/u, '') : text);
  const meaning = /^(?:word|path|symbol|flag)$/u.test(kind) ? lookUp(plain) : undefined;
  // A manifest stays a path: its name says what it is about.
  const isManifest = kind === 'path' && (meaning?.nouns.length ?? 0) > 0;
  const isWord = meaning !== undefined && !isManifest && kind !== 'flag';
  return { ...token, kind: isWord ? 'word' : kind, plain, meaning: meaning ?? noMeaning };
}

/** An unknown word may be a known one with a slip in it. */
function withoutSlip(word: Word): Word {
  const meant = word.kind === 'word' && !isKnown(word) ? correctSpelling(word.plain) : undefined;
  return meant === undefined
    ? word
    : { ...word, plain: meant, meaning: lookUp(meant) ?? noMeaning };
}

function joinPhrases(words: readonly Word[]): readonly Word[] {
  const joined: Word[] = [];
  for (const [at, word] of words.entries()) {
    const isInPhrase = word.from < (joined.at(-1)?.to ?? 0);
    if (!isInPhrase) joined.push(longestPhrase(words, at) ?? word);
  }
  return joined;
}

function longestPhrase(words: readonly Word[], at: number): Word | undefined {
  for (let length = maxPhraseWords(words[at]?.plain ?? ''); length > 1; length -= 1) {
    const part = words.slice(at, at + length);
    if (part.length < length || part.some(({ kind }) => kind !== 'word' && kind !== 'number'))
      continue;
    const plain = part.map((word) => word.plain).join(' ');
    const meaning = lookUp(plain);
    const text = part.map((word) => word.text).join(' ');
    const [from, to] = [part[0]?.from ?? 0, part.at(-1)?.to ?? 0];
    if (meaning) return { kind: 'word', text, plain, meaning, from, to };
  }
  return undefined;
}

export function has(word: Word | undefined, ...classes: readonly string[]): boolean {
  return classes.some((name) => word?.meaning.classes.has(name) === true);
}

/** Stands for something the lexicon lists. */
export function isKnown({ meaning: { verbs, nouns, classes, names } }: Word): boolean {
  return verbs.length + nouns.length + classes.size + Object.keys(names).length > 0;
}

/** Words that carry meaning: no articles, no politeness. */
export function isSignificant(word: Word): boolean {
  const { verbs, nouns } = word.meaning;
  const isEmpty = has(word, 'function', 'polite', 'sequence') && !has(word, 'pronouns');
  return word.kind !== 'mark' && (verbs.length + nouns.length > 0 || !isEmpty);
}

const emptyClasses = 'generic vague polite given light pronouns questions function'.split(' ');

/** Says something about a program, more than that there is to be one. */
export function isDescriptive(word: Word): boolean {
  const { names, verbs } = word.meaning;
  const isEmpty =
    verbs.length > 0 ||
    (names.languages ?? names.frameworks) !== undefined ||
    has(word, ...emptyClasses);
  return !isEmpty && isSignificant(word);
}

const testFile = /(?:^|\/)test_[^/]*$|[._](?:test|spec)\.\w+$/u;

/** Words, pairs of words, the concepts they stand for, and what is named that is no word. */
export function featuresOf(said: readonly Word[] | string): readonly string[] {
  const words = typeof said === 'string' ? readPhrase(said) : said;
  const features = new Set<string>();
  let before = '';
  for (const { kind, meaning, path, plain, text } of words) {
    const isName = kind === 'path' || (path !== undefined && path.path !== '.');
    if (path || kind === 'path')
      features.add(`path:${path?.path === '.' ? 'project' : (path?.kind ?? 'file')}`);
    // "run a_test.py" runs tests.
    if (isName && features.has('verb:run') && testFile.test(text))
      features.add('noun:tests').add('test').add('run_test');
    if (!isName) {
      for (const verb of meaning.verbs) features.add(`verb:${verb}`);
      for (const noun of meaning.nouns) features.add(`noun:${noun}`);
      for (const name of meaning.classes) features.add(`class:${name}`);
    }
    for (const table of Object.keys(meaning.names)) features.add(`name:${table}`);
    if (kind === 'mark' && text !== '?') continue;
    if (/^(?:word|flag)$/u.test(kind) && !isName) {
      for (const stem of plain.split(' ').map(stemOf)) {
        features.add(stem).add(`${before}_${stem}`);
        before = stem;
      }
    } else {
      features.add(
        `kind:${kind === 'mark' ? '?' : isName ? 'path' : kind === 'name' ? 'symbol' : kind}`,
      );
      before = '…';
    }
  }
  return [...features];
}
