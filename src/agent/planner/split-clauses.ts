import type { Word } from './read-words.ts';

/** A stretch of the message that asks for one deed. */
export interface Span {
  readonly words: readonly Word[];
  /** "no tests", "skip the review". */
  readonly isNegated: boolean;
}

/** Nouns that stand for a deed when they are listed beside another: "a parser, tests and a review". */
const deliverables: ReadonlySet<string> = new Set([
  'tests',
  'review',
  'spec',
  'summarize',
  'pullrequest',
  'issue',
  'commit',
]);
/** Nouns that say of what, not which deed. */
const plainObjects: ReadonlySet<string> = new Set(
  'code problem quality file folder project result lines run create history author version time read web'.split(
    ' ',
  ),
);
const ends = /^(?:[.?!;→|]|[-=]>|\n+)$/u;

/** Cuts a message where a new deed begins. "Before" clauses come last. */
export function splitClauses(words: readonly Word[]): readonly Span[] {
  const spans = sentences(words)
    .flatMap(splitSentence)
    .filter(({ words: some }) => some.length > 0);
  return shareObject(mergeContent(withoutConditions(spans)));
}

/** "Once tested, review it": only the second part is a deed. */
function withoutConditions(spans: readonly Span[]): readonly Span[] {
  const isCondition = ({ words }: Span): boolean =>
    has(
      words.find((word) => !has(word, 'polite') && word.kind !== 'mark'),
      'conditions',
    );
  return spans.filter((span, at) => !(isCondition(span) && at < spans.length - 1));
}

/** "design, test and review a parser": the object of the last deed is that of all. */
function shareObject(spans: readonly Span[]): readonly Span[] {
  const last = spans.at(-1);
  const isBare = ({ words, isNegated }: Span): boolean => {
    const said = words.filter((word) => isSignificant(word) && word.kind !== 'mark');
    return !isNegated && said.length === 1 && isVerb(said[0]);
  };
  const bare = spans.slice(0, -1);
  const verbAt = last?.words.findIndex(isVerb) ?? -1;
  const object = last?.words.slice(verbAt + 1) ?? [];
  const isNew = /^(?:a|an|ein|eine|einen|une?|una?)$/u.test(object[0]?.plain ?? '');
  const [first, ...others] = bare;
  if (!last || !first || verbAt < 0 || !isNew || !bare.every(isBare)) return spans;
  return [
    { ...first, words: [...first.words, ...object] },
    ...others,
    { ...last, words: last.words.slice(0, verbAt + 1) },
  ];
}

function isVerbFirst(words: readonly Word[]): boolean {
  return (
    isVerb(firstSignificant(words)) &&
    !/^(?:a|an|the|any|ein|eine|die)$/u.test(words[0]?.plain ?? '')
  );
}

function sentences(words: readonly Word[]): readonly (readonly Word[])[] {
  const found: Word[][] = [[]];
  for (const word of words) {
    const isEnd = word.kind === 'mark' && ends.test(word.text);
    if (!isEnd) found.at(-1)?.push(word);
    // A question mark stays: it says what kind of sentence it was.
    else if (word.text === '?') found.at(-1)?.push(word);
    if (isEnd && (found.at(-1)?.length ?? 0) > 0) found.push([]);
  }
  return found.filter((some) => some.some(({ kind }) => kind !== 'mark' && kind !== 'number'));
}

function splitSentence(words: readonly Word[]): readonly Span[] {
  const spans: { words: Word[]; isNegated: boolean; isLater: boolean }[] = [
    { words: [], isNegated: false, isLater: false },
  ];
  const open = (isNegated: boolean, isLater = false): void => {
    if ((spans.at(-1)?.words.length ?? 0) === 0) spans.pop();
    spans.push({ words: [], isNegated, isLater });
  };
  for (const [at, word] of words.entries()) {
    const current = spans.at(-1);
    if (has(word, 'before') && isVerb(firstSignificant(words.slice(at + 1)))) open(false, true);
    else if (has(word, 'negation') && !isContentNegation(words, at)) open(true);
    else if (has(word, 'sequence') && (current?.words.length ?? 0) > 0) open(false);
    else if (isJoin(word) && current && startsWish(words.slice(at + 1), current.words, word)) {
      const next = firstSignificant(words.slice(at + 1));
      open(
        current.isNegated &&
          word.plain !== 'but' &&
          !isVerbFirst(words.slice(at + 1)) &&
          next !== undefined &&
          isDeliverable(next),
      );
    } else if (isJoin(word) && current?.isNegated) open(false);
    else current?.words.push(word);
  }
  const kept = spans.filter(({ words: some }) => some.length > 0);
  return [...kept.filter(({ isLater }) => !isLater), ...kept.filter(({ isLater }) => isLater)];
}

/** "that does not fail", "without recursion" speak of the program, not of a deed to leave out. */
function isContentNegation(words: readonly Word[], at: number): boolean {
  const next = firstSignificant(words.slice(at + 1));
  if (!next || /^(?:instead|rather)/u.test(words[at]?.plain ?? '')) return true;
  const concepts = [...next.meaning.verbs, ...next.meaning.nouns];
  const isDeed = concepts.some(
    (concept) => deliverables.has(concept) || concept === 'test' || concept === 'format',
  );
  const afterNoun = words.slice(0, at).some((word) => has(word, 'relative'));
  return !isDeed || (afterNoun && words[at]?.plain !== 'no');
}

function isJoin(word: Word): boolean {
  return (word.kind === 'mark' && /^[,:+&(/]$/u.test(word.text)) || has(word, 'joins');
}

/** Whether what follows a comma or an "and" is a deed of its own. */
function startsWish(rest: readonly Word[], before: readonly Word[], join: Word): boolean {
  const at = rest.findIndex((word) => isSignificant(word) && !isAside(word));
  const first = rest[at];
  if (!first || first.kind === 'mark') return false;
  const isNounJoin = /^(?:with|mit|avec|con|including|incl|or|but)$/u.test(join.plain);
  const determined =
    at > 0 &&
    /^(?:a|an|the|my|some|ein|eine|une?|una?|die|der|das|les?|la)$/u.test(
      rest[at - 1]?.plain ?? '',
    );
  const isMaking = makesProgram(before);
  if (isVerb(first) && !determined && (!isNounJoin || join.plain === 'but')) {
    const isBare = before.filter(isSignificant).every(isVerb);
    return isMaking && !isBare ? isStrongWish(rest.slice(at)) : !isComplement(before, first);
  }
  return startsNounWish(rest.slice(at), before, { isNounJoin, isMaking, determined });
}

/** "let someone critically examine it": neither says what is to be done. */
function isAside(word: Word): boolean {
  const { verbs, nouns } = word.meaning;
  return verbs.length + nouns.length === 0 && (has(word, 'light') || word.plain.endsWith('ly'));
}

/** Something is to be written, or just named: "Spring Boot service for invoices". */
function makesProgram(words: readonly Word[]): boolean {
  if (words.some((word) => word.meaning.verbs.includes('create') || has(word, 'light')))
    return true;
  const isTechnical = words.some(
    (word) =>
      has(word, 'software') ||
      (word.meaning.names.languages ?? word.meaning.names.frameworks) !== undefined,
  );
  return isTechnical && !words.some(isVerb);
}

/** In the description of a program a verb is a deed only with something that points outside it. */
function isStrongWish([verb, ...rest]: readonly Word[]): boolean {
  if (!verb) return false;
  const concept = verb.meaning.verbs[0] ?? '';
  if (concept === 'save' || concept === 'apply' || concept === 'commit') return true;
  const near = rest.slice(0, 5);
  const stop = near.findIndex((word) => word.kind === 'mark' || has(word, 'joins'));
  const own = stop < 0 ? near : near.slice(0, stop);
  if (own.length === 0)
    return ['test', 'review', 'run', 'format', 'spec', 'create'].includes(concept);
  const pointsBack = own.some(
    (word) =>
      has(word, 'pronouns') ||
      has(word, 'given') ||
      has(word, 'both') ||
      word.path ||
      isDeliverable(word),
  );
  const makesMore =
    concept === 'create' && /^(?:a|an|another|ein|eine|une?|una?)$/u.test(own[0]?.plain ?? '');
  const speaksOfCode =
    ['test', 'review', 'format', 'run', 'spec'].includes(concept) &&
    own.some((word) => word.meaning.nouns.includes('code'));
  return pointsBack || makesMore || speaksOfCode || ['send', 'post', 'summarize'].includes(concept);
}

interface NounWish {
  readonly isNounJoin: boolean;
  readonly isMaking: boolean;
  readonly determined: boolean;
}

function startsNounWish(rest: readonly Word[], before: readonly Word[], how: NounWish): boolean {
  const end = rest.findIndex(
    (word) =>
      word.kind === 'mark' || has(word, 'joins') || has(word, 'boundary') || has(word, 'relative'),
  );
  const phrase = (end < 0 ? rest : rest.slice(0, end)).filter(isSignificant);
  if (phrase.some(isDeliverable))
    return how.isNounJoin ? isProgramBefore(before) : !isDescribed(before) || how.isMaking;
  if (how.isNounJoin) return false;
  const head = phrase.at(-1);
  if (how.isMaking && how.determined && head && has(head, 'software') && rest.length > 1) {
    return !before.some((word) => has(word, 'relative') || has(word, 'boundary'));
  }
  const isObject = (word: Word): boolean =>
    word.meaning.nouns.some((noun) => !plainObjects.has(noun));
  return !how.isMaking && phrase.some(isObject) && before.some(isObject) && !isDescribed(before);
}

/** "a parser with tests" is two deeds, "cover it with tests" is one. */
function isProgramBefore(before: readonly Word[]): boolean {
  const deed = before.find((word) => isVerb(word) || has(word, 'light'));
  const isMade = deed === undefined || deed.meaning.verbs.includes('create') || has(deed, 'light');
  return isMade && !before.some(isDeliverable);
}

/** A list inside "for …" or "about …" names what to look at. */
function isDescribed(before: readonly Word[]): boolean {
  return before.some(({ plain }) =>
    /^(?:for|about|on|auf|against|with|regarding|that|which)$/u.test(plain),
  );
}

/** "tell me whether they pass", "how to use": the verb belongs to the deed before. */
function isComplement(before: readonly Word[], verb: Word): boolean {
  const last = before.filter(isSignificant).at(-1);
  return (
    last === undefined ||
    (has(verb, 'light') && before.some(isVerb) && verb.meaning.verbs.length === 0)
  );
}

function isDeliverable({ meaning }: Word): boolean {
  return meaning.nouns.some((noun) => deliverables.has(noun));
}

/** A span without any deed of its own goes on with the one before it. */
function mergeContent(spans: readonly Span[]): readonly Span[] {
  const merged: { words: readonly Word[]; isNegated: boolean }[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && isStatement(last.words) && !span.isNegated) {
      merged[merged.length - 1] = { words: [...last.words, ...span.words], isNegated: false };
      continue;
    }
    if (last && !span.isNegated && !hasWish(span.words)) {
      merged[merged.length - 1] = { ...last, words: [...last.words, ...span.words] };
    } else if (last && !last.isNegated && !hasWish(last.words) && merged.length === 1) {
      merged[0] = { words: [...last.words, ...span.words], isNegated: span.isNegated };
    } else merged.push(span);
  }
  return merged;
}

/** "The lines are too long" only says why something is wanted. */
function isStatement(words: readonly Word[]): boolean {
  const opening = words.find((word) => !has(word, 'polite'));
  const isAsked = has(opening, 'questions') || words.at(-1)?.text === '?';
  const hasDeed = words.some((word) => isVerb(word) || has(word, 'light'));
  return (
    !isAsked &&
    !hasDeed &&
    words.some(({ plain }) => /^(?:is|are|was|were|ist|sind|est|sont|es|son)$/u.test(plain))
  );
}

function hasWish(words: readonly Word[]): boolean {
  return words.some(
    (word) =>
      isVerb(word) ||
      has(word, 'light') ||
      has(word, 'software') ||
      word.meaning.nouns.some((noun) => !plainObjects.has(noun)) ||
      word.meaning.names.languages !== undefined,
  );
}

export function has(
  word: Word | undefined,
  name: Parameters<Word['meaning']['classes']['has']>[0],
): boolean {
  return word?.meaning.classes.has(name) === true;
}

export function isVerb(word: Word | undefined): boolean {
  return (word?.meaning.verbs.length ?? 0) > 0;
}

/** Words that carry meaning: no articles, no politeness. */
export function isSignificant(word: Word): boolean {
  if (word.kind === 'mark') return true;
  const { verbs, nouns, classes } = word.meaning;
  if (verbs.length + nouns.length > 0) return true;
  return (
    !(classes.has('function') || classes.has('polite') || classes.has('sequence')) ||
    classes.has('pronouns')
  );
}

function firstSignificant(words: readonly Word[]): Word | undefined {
  return words.find((word) => isSignificant(word) && !has(word, 'pronouns'));
}
