import { stemOf } from '../../kernel/index.ts';

/**
 * What a later fact does to an earlier one: it ends it, it may end it, or both can hold.
 *
 * Two facts are about the same where they have the same words but for the value. Whether the value is the only one is
 * known by its form and its position: a number, time or address, and what a definite subject is, have one; what
 * people like or work on may have many.
 */
export type FactRelation = 'replaces' | 'unclear' | 'both';

export interface FactComparison {
  /** It was said as a correction: "no, …", "actually …". Then all values are taken for the only ones. */
  readonly isCorrection: boolean;
  /** How alike two values are in meaning, -1 to 1; without it adjectives are unclear. */
  readonly likeness?: ((one: string, other: string) => Promise<number | undefined>) | undefined;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const copulas = setOf('is are was were be =');
const articles = setOf('the our this that');
const indefinite = setOf('a an some any there several many another');
const determiners = setOf('the our my your his her its their this that');
const negations = setOf('not no longer never anymore stopped');
const auxiliaries = setOf('do does did');
const additions = setOf('also too another additionally well plus');
const prepositions = setOf(
  'on in at by to from for with under until till since after before during of via',
);
/** What they head has no single agent. */
const agents = setOf('by with for');
const fillers = setOf('now currently actually instead meanwhile please');
const moments = setOf(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december today tomorrow tonight noon midnight morning evening weekly daily monthly hourly',
);
const numbers = setOf(
  'zero one two three four five six seven eight nine ten eleven twelve twenty hundred',
);

const tokenPattern = /=|:(?=\s)|[\p{L}\p{N}](?:[\p{L}\p{N}'._:/@+-]*[\p{L}\p{N}])?/gu;
const maxTokens = 40;
const maxValueTokens = 5;
/** Values of one kind, as colours are, are at least this alike in meaning; unrelated ones less than the second. */
const sameKind = 0.55;

interface Token {
  readonly raw: string;
  readonly stem: string;
}

export async function compareFacts(
  earlier: string,
  later: string,
  options: FactComparison,
): Promise<FactRelation> {
  const isChange = options.isCorrection || /\b(?:now|instead|no longer)\b/i.test(later);
  const [old, now] = [readTokens(earlier), readTokens(later)];
  if (!options.isCorrection && now.some(({ stem }) => additions.has(stem))) return 'both';
  if (isDenial(old, now)) return 'replaces';
  const frame = frameOf(old, now);
  if (frame === undefined) {
    const relation = compareScalars(old, now);
    return relation === 'unclear' && isChange ? 'replaces' : relation;
  }
  const relation = compareValues(frame, { earlier, later });
  if (relation === 'both' && options.isCorrection) return isMostlySame(frame) ? 'replaces' : 'both';
  if (relation === 'open') return isChange ? 'replaces' : 'both';
  if (relation === 'unclear' && isChange) return 'replaces';
  if (relation !== 'alike') return relation;
  return isChange ? 'replaces' : ofOneKind(frame, options);
}

function readTokens(text: string): readonly Token[] {
  const spelled = text
    .replaceAll('’', "'")
    .replaceAll(/\b(is|are|was|were|do|does|did|wo|ca)n't\b/gi, '$1 not')
    .replaceAll(/\b(it|that|there|he|she)'s\b/gi, '$1 is');
  return (spelled.match(tokenPattern) ?? [])
    .slice(0, maxTokens)
    .map((raw) => ({ raw, stem: raw === ':' ? '=' : stemmed(raw.toLowerCase()) }))
    .filter(({ stem }) => !articles.has(stem) && !fillers.has(stem));
}

/** Function words as they are: some would lose their endings. */
function stemmed(word: string): string {
  const isFunction = [
    copulas,
    indefinite,
    determiners,
    negations,
    prepositions,
    fillers,
    additions,
  ].some((words) => words.has(word));
  return isFunction || articles.has(word) ? word : stemOf(word);
}

/** The same but for a negation in one of them. */
function isDenial(old: readonly Token[], now: readonly Token[]): boolean {
  const positive = (tokens: readonly Token[]): string =>
    tokens
      .filter(({ stem }) => !negations.has(stem) && !auxiliaries.has(stem))
      .map(({ stem }) => stem)
      .join(' ');
  const isNegated = (tokens: readonly Token[]): boolean =>
    tokens.some(({ stem }) => negations.has(stem));
  return positive(old) === positive(now) && isNegated(old) !== isNegated(now);
}

interface Frame {
  readonly before: readonly Token[];
  readonly after: readonly Token[];
  readonly old: readonly Token[];
  readonly now: readonly Token[];
}

/** What both begin and end with, and the values between; undefined where they have too little in common. */
function frameOf(old: readonly Token[], now: readonly Token[]): Frame | undefined {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start]?.stem === now[start]?.stem) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end)?.stem === now.at(-1 - end)?.stem) end += 1;
  const before = now.slice(0, start);
  const after = now.slice(now.length - end);
  const values = [old.slice(start, old.length - end), now.slice(start, now.length - end)] as const;
  const [oldValue, nowValue] = values;
  const isFrame =
    [...before, ...after].some(isContent) &&
    values.every(
      (value) =>
        value.length > 0 &&
        value.length <= maxValueTokens &&
        !value.some(({ stem }) => copulas.has(stem)),
    );
  return isFrame ? { before, after, old: oldValue, now: nowValue } : undefined;
}

/** A correction names what it corrects. */
function isMostlySame({ before, after, now }: Frame): boolean {
  return [...before, ...after].filter(isContent).length >= now.filter(isContent).length;
}

function isContent({ stem }: Token): boolean {
  return ![copulas, indefinite, determiners, prepositions, negations].some((words) =>
    words.has(stem),
  );
}

/** `open`: of the values of a verb there may be many. `alike`: they exclude one another if they are of one kind. */
function compareValues(
  { before, after, old, now }: Frame,
  texts: { readonly earlier: string; readonly later: string },
): FactRelation | 'open' | 'alike' {
  const copula = before.findIndex(({ stem }) => copulas.has(stem));
  const kinds = [kindOf(old), kindOf(now)] as const;
  const areNames = kinds.every((kind) => kind === 'name');
  if (copula === -1 && (before.length < 2 || after.some(({ stem }) => copulas.has(stem)))) {
    return before.length === 0 && areNames && isDefiniteRole(after, texts.later)
      ? 'replaces'
      : 'both';
  }
  if (before.slice(1).some(({ stem }) => indefinite.has(stem))) return 'both';
  const isLast = after.length === 0 || prepositions.has(after[0]?.stem ?? '');
  // Of "10 minutes" and "20 minutes" the unit is what they end with.
  const isMeasured = isLast || after.length === 1;
  if (kinds.every((kind) => kind === 'scalar'))
    return copula !== -1 || isMeasured ? 'replaces' : 'unclear';
  if (!isLast || kinds[0] !== kinds[1] || kinds[0] === 'phrase') return 'both';
  const isPlaced = prepositions.has(before.at(-1)?.stem ?? '');
  if (copula === -1) return isPlaced && areNames ? 'unclear' : 'open';
  if (!isDefinite(before.slice(0, copula), texts.later)) return 'both';
  const complement = before.slice(copula + 1);
  if (agents.has(complement.at(-1)?.stem ?? '')) return 'unclear';
  if (areNames) return before[copula]?.stem === 'are' ? 'unclear' : 'replaces';
  if (complement.length === 0) return 'alike';
  return isPlaced ? 'unclear' : 'replaces';
}

type ValueKind = 'scalar' | 'name' | 'word' | 'phrase';

function kindOf(value: readonly Token[]): ValueKind {
  const content = value.filter(isContent);
  const [first] = content;
  if (first === undefined) return 'phrase';
  if (isScalar(first)) return isQuantity(value) ? 'scalar' : 'phrase';
  if (content.every(({ raw }) => /^\p{Lu}/u.test(raw))) return 'name';
  return value.length === 1 ? 'word' : 'phrase';
}

/** Numbers and times, each with a unit at most: "30 days", "Friday at noon", and not "8080 for the proxy". */
function isQuantity(value: readonly Token[]): boolean {
  return value.every(
    (one, index) => !isContent(one) || isScalar(one) || isScalar(value[index - 1] ?? one),
  );
}

/** A number, a time, or an address: a port, "two weeks", "Friday", `docs.example.com`. */
function isScalar({ raw, stem }: Token): boolean {
  const word = raw.toLowerCase();
  return (
    /\d/.test(raw) ||
    /[\p{L}\p{N}][./@:_][\p{L}\p{N}]/u.test(raw) ||
    numbers.has(word) ||
    [word, word.replace(/s$/, ''), stem].some((one) => moments.has(one))
  );
}

/** "… is the release manager": one at a time. */
function isDefiniteRole(after: readonly Token[], text: string): boolean {
  const [first] = after;
  if (first === undefined || first.stem === 'are' || !copulas.has(first.stem)) return false;
  return new RegExp(String.raw`\b${first.raw} (?:the|our|my|your)\b`, 'i').test(text);
}

/** "the port", "my editor", "Anna's number", "main branch": one that has one value, unlike a bare name. */
function isDefinite(subject: readonly Token[], text: string): boolean {
  const [first = ''] = text.toLowerCase().split(/\s+/);
  const isPossessive = subject.some(({ raw }) => raw.endsWith("'s"));
  return determiners.has(first) || isPossessive || subject.filter(isContent).length > 1;
}

/** The same words in another order, and one number or time each: "the port of staging is 1", "the staging port is 2". */
function compareScalars(old: readonly Token[], now: readonly Token[]): FactRelation {
  const parts = [old, now].map((tokens) => ({
    value: tokens.filter(isScalar),
    isLast: tokens.length > 0 && tokens.slice(-1).every(isScalar),
    words: new Set(
      tokens.filter((one) => isContent(one) && !isScalar(one)).map(({ stem }) => stem),
    ),
  }));
  const [one, other] = parts;
  if (!one || !other || !parts.every(({ value, isLast }) => value.length === 1 && isLast))
    return 'both';
  if (one.value[0]?.stem === other.value[0]?.stem) return 'both';
  const different = one.words.symmetricDifference(other.words).size;
  if (different === 0 && one.words.size > 1) return 'replaces';
  return different === 1 && one.words.intersection(other.words).size > 1 ? 'unclear' : 'both';
}

async function ofOneKind({ old, now }: Frame, { likeness }: FactComparison): Promise<FactRelation> {
  const values = [old, now].map((value) => value.map(({ raw }) => raw).join(' '));
  const alike = await likeness?.(values[0] ?? '', values[1] ?? '');
  if (alike === undefined) return 'unclear';
  return alike >= sameKind ? 'replaces' : 'both';
}
