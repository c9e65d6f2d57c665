import { stemOf } from './lexicon.ts';
import type { FoundPath, Word } from './read-words.ts';
import { has, isSignificant, isVerb, openingOf } from './split-clauses.ts';

/** What a clause is about, in terms that a tool's own words can be compared with. */
export interface Frame {
  readonly words: readonly Word[];
  /** Concepts and words with their weight. */
  readonly features: ReadonlyMap<string, number>;
  /** The first deed that is named; undefined where only a noun is. */
  readonly verb: string | undefined;
  /** Asks for a new program; the other words describe it. */
  readonly isMaking: boolean;
  /** Nothing says that what is to be made is a program. */
  readonly isObjectUnknown: boolean;
  readonly isQuestion: boolean;
  /** "it", "this code", "the attached file". */
  readonly pointsBack: boolean;
  readonly isForEach: boolean;
  readonly paths: readonly FoundPath[];
  /** Words that say something and stand for no concept. */
  readonly unknown: readonly string[];
}

/** Deeds that have a noun of their own. */
const deedNouns = ['review', 'scan', 'format', 'summarize', 'search', 'count', 'clean'];
const deliverables =
  /^(?:tests|review|spec|summarize|pullrequest|issue|docs|commit|plan|standard)$/u;
/** The deed says more about the tool than what it is done to. */
const headVerb = 1.3;
const making = { create: headVerb, code: 0.9 };

/** Of a tool's name every word counts, also where it would only describe a program. */
export function readName(words: readonly Word[]): Frame['features'] {
  const verbAt = words.findIndex((_, at) => isVerbAt(words, at));
  return allFeatures(words, { verbAt, verb: words[verbAt]?.meaning.verbs[0], isQuestion: false });
}

export function readFrame(words: readonly Word[]): Frame {
  const firstVerb = words.findIndex((_, at) => isVerbAt(words, at));
  // "python: dedupe a list" names the language first, then what the program does.
  const isPrefixed = words[0] !== undefined && isTechnical(words[0]) && words[1]?.text === ':';
  const verbAt =
    isPrefixed || isWithinObject(words.slice(0, Math.max(0, firstVerb))) ? -1 : firstVerb;
  const verb = verbAt < 0 ? (isFileShown(words) ? 'read' : undefined) : pickVerb(words, verbAt);
  const isAsked = has(openingOf(words), 'questions');
  const isQuestion = isAsked || words.at(-1)?.text === '?';
  const lightAt = words.findIndex((word) => has(word, 'light'));
  const from = Math.max(verbAt, verbAt < 0 ? lightAt : -1, isPrefixed ? 1 : -1) + 1;
  const object = objectOf(words.slice(from));
  // "How would you write a retry helper in Go?" wants to see it.
  const isShown =
    verb === 'create' && words.some(isTechnical) && has(words[verbAt + 1], 'indefinite');
  const signs = { verb, isQuestion, object, isLight: lightAt >= 0 };
  const isWanted = (!isAsked || isShown) && isProgramWanted(words, signs);
  // "add a parameter in cart.py" changes what is there.
  const isThere =
    verb === 'create' && words.some(({ kind, path }) => kind === 'path' && path?.kind === 'file');
  const isMaking = isWanted && !isThere;
  const isChange = isWanted && isThere;
  const paths = new Map(words.flatMap(({ path }) => (path ? [[path.path, path] as const] : [])));
  return {
    words,
    features: isMaking
      ? makingFeatures(words)
      : allFeatures(words, { verbAt, isQuestion, verb: isChange ? 'change' : verb }),
    verb: isChange ? 'change' : (verb ?? (isMaking ? 'create' : undefined)),
    isMaking,
    isObjectUnknown: isMaking && !words.some(isTechnical) && !object.some(isProgram),
    isQuestion,
    pointsBack: words.some((word) => (has(word, 'pronouns') && !word.path) || has(word, 'given')),
    isForEach: words.some((word) => has(word, 'both')),
    paths: [...paths.values()],
    unknown: words.filter(isUnknown).map(({ text }) => text),
  };
}

/** "show src/cart.ts": nothing but a file is named. */
function isFileShown(words: readonly Word[]): boolean {
  const said = words.filter((word) => isSignificant(word) && word.kind !== 'mark');
  const [first, ...others] = said;
  return (
    has(first, 'light') && others.length > 0 && others.every(({ path }) => path?.kind === 'file')
  );
}

/** "write it to disk" saves something; "write it" alone makes something. */
function pickVerb(words: readonly Word[], at: number): string | undefined {
  const rest = words.slice(at + 1);
  const isWritten = words[at]?.plain === 'write' && has(rest[0], 'pronouns');
  const hasPlace = rest.some(
    ({ path, kind, plain }) => path ?? (kind === 'path' || plain === 'back' || plain === 'disk'),
  );
  const isFile = ({ kind, path, meaning }: Word): boolean =>
    kind === 'path' || path !== undefined || meaning.nouns.includes('file');
  const said = rest.filter((word) => isSignificant(word) && word.kind !== 'mark');
  const isDeleted = /^(?:delete|remove)$/u.test(words[at]?.plain ?? '') && said.some(isFile);
  if (isDeleted && said.every(isFile)) return 'delete';
  return isWritten && hasPlace ? 'save' : words[at]?.meaning.verbs[0];
}

/** "a function to check palindromes": what the program does is not what is to be done. */
function isWithinObject(before: readonly Word[]): boolean {
  const nounAt = before.findIndex((word) => has(word, 'software') && !word.path);
  const between = nounAt < 0 ? [] : before.slice(nounAt + 1);
  const isJoined = between.some((word) => has(word, 'relative', 'boundary', 'function'));
  return isJoined && !between.some((word) => word.kind === 'mark');
}

/** A word that is both is a noun after an article or another noun, and before "of". */
function isVerbAt(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (!isVerb(word) || word?.meaning.nouns.length === 0) return isVerb(word);
  const before = words[at - 1];
  if (/^(?:of|fur|for|von|de)$/u.test(words[at + 1]?.plain ?? '')) return false;
  if (
    has(before, 'indefinite', 'definite') ||
    /^(?:unit|new|quick|full)$/u.test(before?.plain ?? '')
  )
    return false;
  return before?.kind !== 'word' || before.meaning.nouns.length === 0 || has(before, 'polite');
}

/** What the verb is about: up to a preposition, a comma or a relative clause. */
function objectOf(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex((word, at) => {
    const isRelative =
      has(word, 'relative') && (!has(word, 'pronouns') || (word.plain === 'that' && at > 1));
    return at > 0 && (word.kind === 'mark' || has(word, 'boundary') || isRelative);
  });
  const own = end < 0 ? words : words.slice(0, end);
  return own.filter((word) => isSignificant(word) && word.kind !== 'mark');
}

interface Signs {
  readonly verb: string | undefined;
  readonly isQuestion: boolean;
  readonly isLight: boolean;
  readonly object: readonly Word[];
}

/** Whether a new program is asked for: "write a parser", "I need a CLI", "Express route for orders". */
function isProgramWanted(
  words: readonly Word[],
  { verb, isQuestion, isLight, object }: Signs,
): boolean {
  const head = object.findLast((word) => !has(word, 'polite', 'pronouns'));
  if (!head || (verb !== undefined && verb !== 'create')) return false;
  if (words.some(({ kind }) => kind === 'channel' || kind === 'email')) return false;
  if (object.some((word) => has(word, 'given') || (word.path && word.path.kind !== 'new')))
    return false;
  const hasSoftware = object.some((word) => has(word, 'software'));
  const isDeed = ({ meaning }: Word): boolean =>
    meaning.nouns.some((noun) => deliverables.test(noun));
  if (isDeed(head) || (object.some(isDeed) && !hasSoftware)) return false;
  const isOther =
    head.meaning.nouns.some((noun) => noun !== 'code' && noun !== 'project') &&
    !has(head, 'software');
  const isNamed = words.some(isTechnical);
  if (verb === 'create') return !isOther || isNamed || hasSoftware;
  if (isOther || (isQuestion && !isLight)) return false;
  const isIndefinite = words.some((word) => has(word, 'indefinite'));
  return isNamed || (hasSoftware && (isLight || isIndefinite)) || (isLight && isIndefinite);
}

function isTechnical({ meaning: { names }, kind }: Word): boolean {
  return (names.languages ?? names.frameworks) !== undefined || kind === 'symbol';
}

/** A word for software, or one made of what it does: "tracker", "validator". */
function isProgram(word: Word): boolean {
  const isAgent = isUnknown(word) && /(?:er|or)$/u.test(word.plain) && word.plain.length > 5;
  return has(word, 'software') || word.meaning.nouns.includes('code') || isAgent;
}

/** Whatever a new program is for, it is code that is to be written; standards and documents may come with it. */
function makingFeatures(words: readonly Word[]): ReadonlyMap<string, number> {
  const nouns = words.flatMap(({ meaning }) => meaning.nouns);
  const more = nouns.filter((noun) => noun === 'standard' || noun === 'docs');
  return new Map([...Object.entries(making), ...more.map((noun) => [noun, 0.5] as const)]);
}

function allFeatures(
  words: readonly Word[],
  { verbAt, isQuestion, verb }: { readonly verbAt: number } & Pick<Frame, 'verb' | 'isQuestion'>,
): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void =>
    void features.set(feature, Math.max(weight, features.get(feature) ?? 0));
  for (const [at, word] of words.entries()) {
    const { kind, path } = word;
    // The name of a file says which file, and little about the deed.
    const isName = kind === 'path' ? !path : path !== undefined && path.path !== '.';
    const { verbs, nouns } = isName ? { verbs: [], nouns: [] } : word.meaning;
    const asVerb = verbs.length > 0 && isVerbAt(words, at);
    const share = verbs.length > 1 ? 0.75 : 1;
    for (const concept of asVerb ? verbs.slice(0, 2) : nouns.length > 0 ? nouns : verbs) {
      const isHead = asVerb && at === verbAt;
      const meant = isHead && concept === verbs[0] ? (verb ?? concept) : concept;
      add(meant, isHead ? headVerb * share : asVerb ? 0.6 : 0.9);
    }
    if (path ? path.kind !== 'folder' : kind === 'path') add('file', 0.3);
    if (path?.kind === 'folder') add(path.path === '.' ? 'project' : 'folder', 0.3);
    if (kind === 'symbol' || kind === 'url') add(kind, 0.5);
    if (kind === 'code' || has(word, 'pronouns', 'given')) add('code', 0.25);
    if (isUnknown(word)) add(`w:${stemOf(word.plain)}`, 0.35);
  }
  // "do a review", "run a scan": the noun says what is to be done.
  const hasDeed = deedNouns.some((deed) => deed !== verb && features.has(deed));
  if (hasDeed && (verb === 'run' || verb === 'create')) features.set(verb, 0.3);
  if (isSpecThere(words) && features.delete('spec'))
    for (const [one, weight] of Object.entries(making)) features.set(one, weight);
  if (verbAt < 0 && verb !== undefined) add(verb, headVerb);
  const isBare = verbAt < 0 && !isQuestion && (features.has('tests') || features.has('spec'));
  if (isBare) add('create', 0.5);
  return features;
}

/** "implement the spec", "turn these requirements into Go": the specification is there, code is wanted. */
function isSpecThere(words: readonly Word[]): boolean {
  const specAt = words.findIndex(({ meaning }) => meaning.nouns.includes('spec'));
  const isThere = words
    .slice(Math.max(0, specAt - 2), Math.max(0, specAt))
    .some((word) => has(word, 'given', 'definite'));
  const isCoded = words.some(
    ({ plain, meaning: { names, nouns } }) =>
      /^(?:implement|code|program|build|develop)/u.test(plain) ||
      names.languages !== undefined ||
      nouns.includes('code'),
  );
  return isThere && isCoded;
}

/** Says something, but not to us. */
function isUnknown({
  kind,
  path,
  plain,
  meaning: { verbs, nouns, classes, names },
}: Word): boolean {
  if (kind !== 'word' || path || plain.length < 2) return false;
  return verbs.length + nouns.length + classes.size + Object.keys(names).length === 0;
}
