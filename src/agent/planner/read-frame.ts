import { stemOf } from './lexicon.ts';
import type { FoundPath, Word } from './read-words.ts';
import { has, isSignificant, isVerb } from './split-clauses.ts';

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
const deedNouns = ['review', 'scan', 'format', 'summarize', 'search', 'count', 'clean'] as const;
/** The deed says more about the tool than what it is done to. */
const headVerb = 1.3;
const deliverables =
  /^(?:tests|review|spec|summarize|pullrequest|issue|docs|commit|plan|standard)$/u;

/** Of a tool's name every word counts, also where it would only describe a program. */
export function readName(words: readonly Word[]): Frame['features'] {
  const verbAt = words.findIndex((word, at) => isVerb(word) && isVerbPosition(words, at));
  return allFeatures(words, { verbAt, isQuestion: false, verb: words[verbAt]?.meaning.verbs[0] });
}

export function readFrame(words: readonly Word[]): Frame {
  const firstVerb = words.findIndex((word, at) => isVerb(word) && isVerbPosition(words, at));
  const verbAt = isWithinObject(words, firstVerb) ? -1 : firstVerb;
  const lightAt = words.findIndex((word) => has(word, 'light'));
  const verb = verbAt < 0 ? undefined : pickVerb(words, verbAt);
  const opening = words.find((word) => !has(word, 'polite'));
  const isAsked = has(opening, 'questions');
  const isQuestion = isAsked || words.at(-1)?.text === '?';
  const object = objectOf(words, verbAt >= 0 ? verbAt + 1 : lightAt >= 0 ? lightAt + 1 : 0);
  const isLight = lightAt >= 0 && !isAsked;
  const making = readMaking(words, { verb, isQuestion, isAsked, object, isLight });
  return {
    words,
    features: making.isMaking
      ? makingFeatures(words)
      : allFeatures(words, { verbAt, isQuestion, verb }),
    verb: verb ?? (making.isMaking ? 'create' : undefined),
    ...making,
    isQuestion,
    pointsBack: words.some((word) => (has(word, 'pronouns') && !word.path) || has(word, 'given')),
    isForEach: words.some((word) => has(word, 'both')),
    paths: words.flatMap(({ path }) => path ?? []),
    unknown: words.filter(isUnknown).map(({ text }) => text),
  };
}

/** "write it to disk" saves something; "write it" alone makes something. */
function pickVerb(words: readonly Word[], at: number): string | undefined {
  const verb = words[at]?.meaning.verbs[0];
  const rest = words.slice(at + 1);
  const isWritten = words[at]?.plain === 'write' && has(rest[0], 'pronouns');
  const hasPlace =
    rest.some((word) => word.path ?? word.kind === 'path') ||
    rest.some(({ plain }) => plain === 'back' || plain === 'disk');
  return isWritten && hasPlace ? 'save' : verb;
}

/** "a function to check palindromes": what the program does is not what is to be done. */
function isWithinObject(words: readonly Word[], verbAt: number): boolean {
  const before = words.slice(0, Math.max(0, verbAt));
  const nounAt = before.findIndex((word) => has(word, 'software') && !word.path);
  if (nounAt < 0) return false;
  const between = before.slice(nounAt + 1);
  return (
    between.some(
      (word) => has(word, 'relative') || has(word, 'boundary') || has(word, 'function'),
    ) && !between.some((word) => word.kind === 'mark')
  );
}

/** A word that is both is a noun after an article or before "of". */
function isVerbPosition(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (word?.meaning.nouns.length === 0) return true;
  const before = words[at - 1];
  const after = words[at + 1];
  if (/^(?:of|fur|for|von|de)$/u.test(after?.plain ?? '')) return false;
  if (
    before &&
    /^(?:a|an|the|some|any|no|my|our|your|unit|new|quick|full|ein|eine|die|der|das|une?|una?|la|le|les)$/u.test(
      before.plain,
    )
  )
    return false;
  return (
    before === undefined ||
    before.kind !== 'word' ||
    before.meaning.nouns.length === 0 ||
    has(before, 'polite')
  );
}

/** The head of what the verb is about: the last noun before a preposition, a comma or a relative clause. */
function objectOf(words: readonly Word[], from: number): readonly Word[] {
  const rest = words.slice(from);
  const end = rest.findIndex(
    (word, at) =>
      at > 0 &&
      (word.kind === 'mark' ||
        has(word, 'boundary') ||
        (has(word, 'relative') && !has(word, 'pronouns')) ||
        (word.plain === 'that' && at > 1)),
  );
  return (end < 0 ? rest : rest.slice(0, end)).filter(
    (word) => isSignificant(word) && word.kind !== 'mark',
  );
}

interface MakingSigns {
  readonly verb: string | undefined;
  readonly isQuestion: boolean;
  readonly isAsked: boolean;
  readonly isLight: boolean;
  readonly object: readonly Word[];
}

function readMaking(
  words: readonly Word[],
  { verb, isQuestion, isAsked, isLight, object }: MakingSigns,
): Pick<Frame, 'isMaking' | 'isObjectUnknown'> {
  const none = { isMaking: false, isObjectUnknown: false };
  const isTechnical = words.some(
    ({ meaning: { names }, kind }) =>
      names.languages ?? names.frameworks ?? (kind === 'symbol' ? kind : undefined),
  );
  const hasSoftware = object.some((word) => has(word, 'software'));
  const head = object.findLast((word) => !has(word, 'pronouns') && !has(word, 'polite'));
  if ((verb !== undefined && verb !== 'create') || isAsked) return none;
  if (words.some(({ kind }) => kind === 'channel' || kind === 'email')) return none;
  const isDeed = (word: Word): boolean =>
    word.meaning.nouns.some((noun) => deliverables.test(noun));
  if (
    object.some(({ path }) => path !== undefined) ||
    (head && isDeed(head)) ||
    (object.some(isDeed) && !hasSoftware)
  )
    return none;
  if (!head || object.some((word) => has(word, 'given'))) return none;
  const isOther =
    head.meaning.nouns.some((noun) => noun !== 'code' && noun !== 'project') &&
    !has(head, 'software');
  if (verb === 'create') {
    if (object.length === 1 && has(head, 'pronouns')) return none;
    if (isOther && !isTechnical && !hasSoftware) return none;
    return { isMaking: true, isObjectUnknown: !isTechnical && !isProgram(object) };
  }
  if (isQuestion && !isLight) return none;
  const isIndefinite = words.some(({ plain }) =>
    /^(?:a|an|another|ein|eine|einen|une?|una?|uma?)$/u.test(plain),
  );
  const isWanted = isLight || isTechnical || isIndefinite;
  if (!isWanted || isOther) return none;
  if (!(hasSoftware || isTechnical || (isLight && isIndefinite))) return none;
  return { isMaking: true, isObjectUnknown: !isTechnical && !isProgram(object) };
}

/** A word for software, or one made of what it does: "tracker", "validator". */
function isProgram(object: readonly Word[]): boolean {
  return object.some(
    (word) =>
      has(word, 'software') ||
      word.meaning.nouns.includes('code') ||
      (isUnknown(word) && /(?:er|or)$/u.test(word.plain) && word.plain.length > 5),
  );
}

/** Whatever a new program is for, it is code that is to be written. */
function makingFeatures(words: readonly Word[]): ReadonlyMap<string, number> {
  return new Map([
    ['create', headVerb],
    ['code', 0.9],
    ...words.flatMap(({ meaning }) =>
      meaning.nouns
        .filter((noun) => noun === 'standard' || noun === 'docs')
        .map((noun) => [noun, 0.5] as const),
    ),
  ]);
}

interface FeatureSigns {
  readonly verb: string | undefined;
  readonly verbAt: number;
  readonly isQuestion: boolean;
}

function allFeatures(
  words: readonly Word[],
  { verbAt, isQuestion, verb }: FeatureSigns,
): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    features.set(feature, Math.max(weight, features.get(feature) ?? 0));
  };
  for (const [at, word] of words.entries()) {
    const { verbs, nouns } = word.meaning;
    const asVerb = verbs.length > 0 && (nouns.length === 0 || isVerbPosition(words, at));
    for (const concept of asVerb ? verbs.slice(0, 2) : nouns) {
      const isHead = asVerb && at === verbAt;
      const share = verbs.length > 1 ? 0.75 : 1;
      add(
        isHead && concept === verbs[0] ? (verb ?? concept) : concept,
        isHead ? headVerb * share : asVerb ? 0.6 : 0.9,
      );
    }
    if (word.path ? word.path.kind !== 'folder' : word.kind === 'path') add('file', 0.3);
    if (word.path?.kind === 'folder') add(word.path.path === '.' ? 'project' : 'folder', 0.3);
    if (word.kind === 'symbol') add('symbol', 0.5);
    if (word.kind === 'quote') add('quote', 0.3);
    if (word.kind === 'url') add('url', 0.5);
    if (word.kind === 'code' || has(word, 'pronouns') || has(word, 'given')) add('code', 0.25);
    if (isUnknown(word)) add(`w:${stemOf(word.plain)}`, 0.35);
  }
  // "do a review", "run a scan": the noun says what is to be done.
  const hasDeed = deedNouns.some((deed) => deed !== verb && features.has(deed));
  if (hasDeed && (verb === 'run' || verb === 'create')) features.set(verb, 0.3);
  readSpecAsMaterial(words, features);
  const isBare = verbAt < 0 && !isQuestion && features.size > 0;
  if (isBare && (features.has('tests') || features.has('spec'))) add('create', 0.5);
  return features;
}

/** "implement the spec", "turn these requirements into Go": the specification is there, code is wanted. */
function readSpecAsMaterial(words: readonly Word[], features: Map<string, number>): void {
  const specAt = words.findIndex(({ meaning }) => meaning.nouns.includes('spec'));
  const before = words.slice(Math.max(0, specAt - 2), specAt);
  const isThere = before.some(
    (word) =>
      has(word, 'given') || /^(?:the|this|that|these|my|our|die|das|la|le|el)$/u.test(word.plain),
  );
  const isCoded = words.some(
    ({ plain, meaning }) =>
      /^(?:implement|code|program|build|develop)/u.test(plain) ||
      meaning.names.languages !== undefined ||
      meaning.nouns.includes('code'),
  );
  if (specAt < 0 || !isThere || !isCoded) return;
  features.delete('spec');
  features.set('create', headVerb).set('code', 0.9);
}

/** Says something, but not to us. */
function isUnknown(word: Word): boolean {
  const { verbs, nouns, classes, names } = word.meaning;
  if (word.kind !== 'word' || word.path || word.plain.length < 2) return false;
  return verbs.length + nouns.length + classes.size + Object.keys(names).length === 0;
}
