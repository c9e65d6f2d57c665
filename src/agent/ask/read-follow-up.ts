import type { ResultItem, ResultList } from '../answer/index.ts';

/** What a message asks about the results that were shown last. */
export interface FollowUp {
  readonly show: 'list' | 'count' | 'all' | 'more' | 'files';
  /** An entry is meant when it fits one of each group; empty for all of them. */
  readonly filters: readonly Filter[];
  /** Of those, the ones at these positions; empty for all of them. */
  readonly picks: readonly Position[];
}

interface Position {
  /** Negative from the end. */
  readonly from: number;
  readonly count: number;
}

export interface Filter {
  readonly group: 'severity' | 'path' | 'other';
  readonly word: string;
}

const maxWords = 14;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** They say that something shown is meant; none of them asks for anything new. */
const cues = words(
  'just only show list give tell see which where what how ones those these them they and but now',
);
const fillers = words(
  'a an the of in on at for to from is are were was there here be me my i us please can could you would want like by with about or that it its this exactly precisely do have has did found again then ok so also',
);
const nouns = words(
  'one issue issues finding findings problem problems result results match matches hit hits entry entries item items place places location locations warning warnings error errors',
);
const counting = words('many count number total');
const locating = words('where line lines located');
const more = words('more rest next remaining others other');
const all = words('all everything full whole complete entire');
const files = words('file files path paths');
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const numbers = 'one two three four five six seven eight nine ten'.split(' ');
const worst = words('severe serious important worst bad dangerous urgent high worse');

const broken = words('broken red fails fail wrong');
const mild = words('info information note hint style low');

/** From the worst to the least, as linters and scanners call them. */
const severityOrder =
  'blocker critical fatal high error failed severe major medium moderate warning warn minor low info information note hint style'.split(
    ' ',
  );

/**
 * Reads a message as a question about a list; undefined for anything else. Every word has to be accounted
 * for: one that names nothing of what was shown makes it a request of its own.
 */
export function readFollowUp(
  message: string,
  { items, name }: Omit<ResultList, 'total'>,
): FollowUp | undefined {
  const tokens = (message.toLowerCase().match(/[^\s,;!?"'`()]+/g) ?? [])
    .map((token) => token.replace(/[.:]+$/, ''))
    .filter((token) => token !== '');
  if (tokens.length === 0 || tokens.length > maxWords) return undefined;
  const isNarrowing = /\b(?:only|just)\b/i.test(message);
  const isAsking = /^(?:(?:and|so|in|on)\s+)?(?:which|what)\b/i.test(message.trim());
  const own = words(name.toLowerCase().replace(/s$/, '').replace(/^.*_/, ''));
  let show: FollowUp['show'] = 'list';
  let isCued = false;
  let isMeant = false;
  let isNamed = false;
  const picks: Position[] = [];
  const filters: Filter[] = [];
  for (const [at, token] of tokens.entries()) {
    if (cues.has(token)) isCued = true;
    const isKnown = (set: ReadonlySet<string>): boolean => set.has(token);
    const asked = readShow(token, show, isAsking);
    if (asked) {
      show = asked;
      isMeant = true;
      isCued = true;
      continue;
    }
    if (own.has(token.replace(/s$/, ''))) {
      isNamed = true;
      continue;
    }
    const found = readFilter(token, items);
    const position = readPosition(token, tokens[at - 1]);
    if (found && !isKnown(fillers) && !(isKnown(cues) && found.group === 'other')) {
      filters.push(found);
      // A file of tests that cannot be loaded is an error, and has failed as much as a test in it.
      if (found.group === 'severity' && found.word === 'failed')
        filters.push({ group: 'severity', word: 'error' });
      isMeant = true;
    } else if (position) {
      if (position.isLength) picks.pop();
      picks.push(position.pick);
      isMeant = true;
    } else if (![cues, fillers, nouns].some(isKnown)) {
      if (!isPathLike(token) || !isNarrowing) return undefined;
      filters.push({ group: 'path', word: token });
      isMeant = true;
    }
  }
  // "list all tests in src" says itself what it is about.
  if (isNamed && (show === 'all' || filters.some(({ group }) => group === 'path')))
    return undefined;
  const isShort = picks.length > 0 || /\b(?:them|those|these)\b/i.test(message);
  if (!isMeant && !(isShort && isCued)) return undefined;
  if (!isCued && picks.length === 0) return undefined;
  return { show, filters, picks };
}

function readShow(
  token: string,
  show: FollowUp['show'],
  isAsking: boolean,
): FollowUp['show'] | undefined {
  if (counting.has(token)) return 'count';
  if (more.has(token)) return show === 'list' ? 'more' : show;
  if (all.has(token)) return show === 'count' ? show : 'all';
  if (files.has(token) && isAsking) return show === 'list' ? 'files' : show;
  return locating.has(token) ? show : undefined;
}

function readFilter(token: string, items: readonly ResultItem[]): Filter | undefined {
  const singular = token.replace(/s$/, '');
  const severities = new Set(items.flatMap(({ severity }) => severity?.toLowerCase() ?? []));
  const failed = broken.has(token) ? ['failed', 'error'] : [];
  for (const word of [token, singular, token.replace(/ing$/, 'ed'), ...failed]) {
    const isSeverity = severityOrder.includes(word) && !nouns.has(token) && !worst.has(token);
    if (severities.has(word) || (isSeverity && severities.size > 0))
      return { group: 'severity', word };
  }
  if (worst.has(token) && severities.size > 0) {
    const top = severityOrder.find((one) => severities.has(one)) ?? [...severities][0];
    // Where all are hints, none is serious.
    const isMild = top !== undefined && mild.has(top);
    return top === undefined ? undefined : { group: 'severity', word: isMild ? 'serious' : top };
  }
  if (token.length < minWordChars) return undefined;
  const path = token.replace(/^@/, '').replace(/^\.\//, '');
  if (items.some((item) => isAtPath(item, path))) return { group: 'path', word: path };
  for (const word of [token, singular]) {
    if (items.some((item) => hasWord(item, word))) return { group: 'other', word };
  }
  return undefined;
}

const minWordChars = 2;

/** "second", "#2", "last"; a number after "first", "last" or "top" is how many from there. */
function readPosition(
  token: string,
  before = '',
): { readonly pick: Position; readonly isLength: boolean } | undefined {
  const digits = /^#?(\d{1,3})(?:st|nd|rd|th)?$/.exec(token)?.[1];
  const count = digits === undefined ? numbers.indexOf(token) + 1 : Number(digits);
  if (count > 0 && ends.has(before)) {
    return { pick: { from: before === 'last' ? -count : 0, count }, isLength: true };
  }
  const one = (from: number) => ({ pick: { from, count: 1 }, isLength: false });
  if (digits !== undefined) return count === 0 ? undefined : one(count - 1);
  if (token === 'last') return one(-1);
  if (token === 'top') return one(0);
  const ordinal = ordinals.indexOf(token);
  return ordinal < 0 ? undefined : one(ordinal);
}

const ends = words('first last top');

function isPathLike(token: string): boolean {
  return token.includes('/') || /\.[a-z]{1,5}$/.test(token);
}

/** The entries that a follow-up means, in the order of the list. */
export function selectItems(
  items: readonly ResultItem[],
  { filters, picks }: Omit<FollowUp, 'show'>,
): readonly ResultItem[] {
  const groups = Map.groupBy(filters, ({ group }) => group);
  const fitting = items.filter((item) =>
    [...groups].every(([group, one]) => one.some(({ word }) => fits(item, group, word))),
  );
  if (picks.length === 0) return fitting;
  return fitting.filter((_, at) =>
    picks.some(({ from, count }) => {
      const start = from < 0 ? Math.max(0, fitting.length + from) : from;
      return at >= start && at < start + count;
    }),
  );
}

function fits(item: ResultItem, group: Filter['group'], word: string): boolean {
  if (group === 'severity') return item.severity?.toLowerCase() === word;
  return group === 'path' ? isAtPath(item, word) : hasWord(item, word);
}

/** The path itself, a folder it is in, its name with or without the ending. */
function isAtPath({ path = '' }: ResultItem, word: string): boolean {
  const known = path.toLowerCase().replace(/^\.\//, '');
  const wanted = word.replace(/\/$/, '');
  if (known === '' || wanted === '') return false;
  const parts = known.split('/');
  const name = parts.at(-1) ?? '';
  return (
    known === wanted ||
    known.startsWith(`${wanted}/`) ||
    parts.includes(wanted) ||
    known.endsWith(`/${wanted}`) ||
    name.replace(/\.\w+$/, '') === wanted
  );
}

function hasWord({ words: texts }: ResultItem, word: string): boolean {
  return texts.some((text) => text.split(/[^\p{L}\p{N}]+/u).includes(word) || text === word);
}
