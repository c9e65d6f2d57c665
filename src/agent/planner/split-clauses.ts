import type { Word } from './read-words.ts';

/** A stretch of the message that asks for one deed. */
export interface Span {
  readonly words: readonly Word[];
  /** "no tests", "skip the review". */
  readonly isNegated: boolean;
}

/** Nouns that stand for a deed when they are listed beside another: "a parser, tests and a review". */
const deliverables = ['tests', 'review', 'spec', 'summarize', 'pullrequest', 'issue', 'commit'];
/** Nouns that say of what, not which deed. */
const objects =
  /^(?:code|problem|quality|file|folder|project|result|lines|run|create|history|author|version|time|read|web)$/u;
const ends = /^(?:[.?!;→|]|[-=]>|\n+)$/u;

export function has(word: Word | undefined, ...classes: readonly string[]): boolean {
  return classes.some((name) => word?.meaning.classes.has(name) === true);
}

export function isVerb(word: Word | undefined): boolean {
  return (word?.meaning.verbs.length ?? 0) > 0;
}

/** Words that carry meaning: no articles, no politeness. */
export function isSignificant(word: Word): boolean {
  const { verbs, nouns } = word.meaning;
  if (word.kind === 'mark' || verbs.length + nouns.length > 0) return true;
  return !has(word, 'function', 'polite', 'sequence') || has(word, 'pronouns');
}

/** The word a sentence opens with, past politeness. */
export function openingOf(words: readonly Word[]): Word | undefined {
  return words.find((word) => !has(word, 'polite') && word.kind !== 'mark');
}

/** Cuts a message where a new deed begins. "Before" clauses come last. */
export function splitClauses(words: readonly Word[]): readonly Span[] {
  const spans = sentences(words).flatMap(splitSentence);
  // "Once tested, review it": only the second part is a deed.
  const deeds = spans.filter(
    (span, at) => at === spans.length - 1 || !has(openingOf(span.words), 'conditions'),
  );
  return shareObject(mergeContent(deeds));
}

function sentences(words: readonly Word[]): readonly (readonly Word[])[] {
  const found: Word[][] = [[]];
  for (const word of words) {
    const isEnd = word.kind === 'mark' && ends.test(word.text);
    // A question mark stays: it says what kind of sentence it was.
    if (!isEnd || word.text === '?') found.at(-1)?.push(word);
    if (isEnd && (found.at(-1)?.length ?? 0) > 0) found.push([]);
  }
  return found.filter((some) => some.some(({ kind }) => kind !== 'mark' && kind !== 'number'));
}

function splitSentence(words: readonly Word[]): readonly Span[] {
  const spans: { words: Word[]; isNegated: boolean; isLater: boolean }[] = [];
  const open = (isNegated: boolean, isLater = false): void =>
    void spans.push({ words: [], isNegated, isLater });
  open(false);
  for (const [at, word] of words.entries()) {
    const current = spans.at(-1);
    const rest = words.slice(at + 1);
    const next = firstSignificant(rest);
    if (has(word, 'before') && isVerb(next)) open(false, true);
    else if (has(word, 'negation') && !isContentNegation(words, at)) open(true);
    else if (has(word, 'sequence') && (current?.words.length ?? 0) > 0) open(false);
    else if (isJoin(word) && current && startsWish(rest, current.words, word)) {
      const isVerbFirst = isVerb(next) && !has(rest[0], 'indefinite', 'definite');
      open(current.isNegated && word.plain !== 'but' && !isVerbFirst && isDeliverable(next));
    } else if (isJoin(word) && current?.isNegated) open(false);
    else current?.words.push(word);
  }
  const kept = spans.filter((span) => span.words.length > 0);
  return kept.toSorted((a, b) => Number(a.isLater) - Number(b.isLater));
}

/** "that does not fail", "without recursion" speak of the program, not of a deed to leave out. */
function isContentNegation(words: readonly Word[], at: number): boolean {
  const next = firstSignificant(words.slice(at + 1));
  const word = words[at]?.plain ?? '';
  const isDeed =
    isDeliverable(next) ||
    next?.meaning.verbs.some(
      (verb) => verb === 'test' || verb === 'format' || deliverables.includes(verb),
    );
  const isDescribing = words.slice(0, at).some((one) => has(one, 'relative'));
  return isDeed !== true || /^(?:instead|rather)/u.test(word) || (isDescribing && word !== 'no');
}

function isJoin(word: Word): boolean {
  return (word.kind === 'mark' && /^[,:+&(/]$/u.test(word.text)) || has(word, 'joins');
}

/** Whether what follows a comma or an "and" is a deed of its own. */
function startsWish(rest: readonly Word[], before: readonly Word[], join: Word): boolean {
  // "let someone critically examine it": these do not say what is to be done.
  const isAside = (word: Word): boolean =>
    !isVerb(word) &&
    word.meaning.nouns.length === 0 &&
    (has(word, 'light') || word.plain.endsWith('ly'));
  const at = rest.findIndex((word) => isSignificant(word) && !isAside(word));
  const first = rest[at];
  if (!first || first.kind === 'mark') return false;
  const isNounJoin = /^(?:with|mit|avec|con|including|incl|or)$/u.test(join.plain);
  const isNoun = at > 0 && has(rest[at - 1], 'indefinite', 'definite');
  const isMaking = makesProgram(before);
  if (!isVerb(first) || isNoun || isNounJoin)
    return startsNounWish(rest.slice(at), before, { isNounJoin, isMaking, isNoun });
  const said = before.filter(isSignificant);
  return isMaking && !said.every(isVerb) ? isStrongWish(rest.slice(at)) : said.length > 0;
}

/** Something is to be written, or just named: "Spring Boot service for invoices". */
function makesProgram(words: readonly Word[]): boolean {
  if (words.some((word) => word.meaning.verbs.includes('create') || has(word, 'light')))
    return true;
  const isTechnical = ({ meaning: { names } }: Word): boolean =>
    (names.languages ?? names.frameworks) !== undefined;
  return !words.some(isVerb) && words.some((word) => has(word, 'software') || isTechnical(word));
}

/** In the description of a program a verb is a deed only with something that points outside it. */
function isStrongWish([verb, ...rest]: readonly Word[]): boolean {
  const concept = verb?.meaning.verbs[0] ?? '';
  if (/^(?:save|apply|commit|send|post|summarize)$/u.test(concept)) return true;
  const stop = rest.findIndex((word) => word.kind === 'mark' || has(word, 'joins'));
  const own = rest.slice(0, Math.min(5, stop < 0 ? 5 : stop));
  const isWork = /^(?:test|review|run|format|spec)$/u.test(concept);
  if (own.length === 0) return isWork || concept === 'create';
  if (concept === 'create' && has(own[0], 'indefinite')) return true;
  return own.some(
    (word) =>
      has(word, 'pronouns', 'given', 'both') ||
      word.path !== undefined ||
      isDeliverable(word) ||
      (isWork && word.meaning.nouns.includes('code')),
  );
}

interface NounWish {
  readonly isNounJoin: boolean;
  readonly isMaking: boolean;
  readonly isNoun: boolean;
}

function startsNounWish(rest: readonly Word[], before: readonly Word[], how: NounWish): boolean {
  const end = rest.findIndex(
    (word) => word.kind === 'mark' || has(word, 'joins', 'boundary', 'relative'),
  );
  const phrase = (end < 0 ? rest : rest.slice(0, end)).filter(isSignificant);
  // A list inside "for …" or "about …" names what to look at.
  const isDescribed = before.some(({ plain }) =>
    /^(?:for|about|on|auf|against|with|that|which)$/u.test(plain),
  );
  if (phrase.some(isDeliverable)) {
    // "a parser with tests" is two deeds, "cover it with tests" is one.
    const deed = before.find((word) => isVerb(word) || has(word, 'light'));
    const isMade =
      deed === undefined || deed.meaning.verbs.includes('create') || has(deed, 'light');
    return how.isNounJoin ? isMade && !before.some(isDeliverable) : !isDescribed || how.isMaking;
  }
  if (how.isNounJoin) return false;
  if (how.isMaking) {
    const isProgram = how.isNoun && has(phrase.at(-1), 'software') && rest.length > 1;
    return isProgram && !before.some((word) => has(word, 'relative', 'boundary'));
  }
  const isObject = (word: Word): boolean => word.meaning.nouns.some((noun) => !objects.test(noun));
  return phrase.some(isObject) && before.some(isObject) && !isDescribed;
}

function isDeliverable(word: Word | undefined): boolean {
  return word?.meaning.nouns.some((noun) => deliverables.includes(noun)) === true;
}

/** A span without a deed of its own goes on with the one before it; a statement leads to the one after it. */
function mergeContent(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    const isFirst = merged.length === 1 && last?.isNegated === false && !hasWish(last.words);
    const goesOn = last && !span.isNegated && (!hasWish(span.words) || isStatement(last.words));
    if (last && (goesOn || isFirst)) {
      const isNegated = goesOn === true ? last.isNegated : span.isNegated;
      merged[merged.length - 1] = { words: [...last.words, ...span.words], isNegated };
    } else merged.push(span);
  }
  return merged;
}

function hasWish(words: readonly Word[]): boolean {
  const isWish = (word: Word): boolean =>
    word.meaning.nouns.some((noun) => !objects.test(noun)) ||
    word.meaning.names.languages !== undefined;
  return words.some((word) => isVerb(word) || has(word, 'light', 'software') || isWish(word));
}

/** "The lines are too long" only says why something is wanted. */
function isStatement(words: readonly Word[]): boolean {
  const isAsked = has(openingOf(words), 'questions') || words.at(-1)?.text === '?';
  const hasDeed = words.some((word) => isVerb(word) || has(word, 'light'));
  return (
    !isAsked &&
    !hasDeed &&
    words.some(({ plain }) => /^(?:is|are|was|were|ist|sind|est|sont|es|son)$/u.test(plain))
  );
}

/** "design, test and review a parser": the object of the last deed is that of all. */
function shareObject(spans: readonly Span[]): readonly Span[] {
  const [first, ...others] = spans.slice(0, -1);
  const last = spans.at(-1);
  const isBare = ({ words, isNegated }: Span): boolean => {
    const said = words.filter((word) => isSignificant(word) && word.kind !== 'mark');
    return !isNegated && said.length === 1 && isVerb(said[0]);
  };
  const verbAt = last?.words.findIndex(isVerb) ?? -1;
  const object = last?.words.slice(verbAt + 1) ?? [];
  if (!last || !first || verbAt < 0 || !has(object[0], 'indefinite')) return spans;
  if (![first, ...others].every(isBare)) return spans;
  const verb = { ...last, words: last.words.slice(0, verbAt + 1) };
  return [{ ...first, words: [...first.words, ...object] }, ...others, verb];
}

function firstSignificant(words: readonly Word[]): Word | undefined {
  return words.find((word) => isSignificant(word) && !has(word, 'pronouns'));
}
