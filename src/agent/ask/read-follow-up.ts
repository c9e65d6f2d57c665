import type { ResultItem } from '../answer/index.ts';

/** What a message asks about the results that were shown last. */
export interface FollowUp {
  readonly show: 'list' | 'count' | 'all' | 'more';
  /** An entry is meant when it fits one of each group; empty for all of them. */
  readonly filters: readonly Filter[];
  /** Of those, the ones at these positions; negative from the end. */
  readonly pick?: { readonly from: number; readonly count: number };
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
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const worst = words('severe serious important worst bad dangerous urgent high worse');

/** From the worst to the least, as linters and scanners call them. */
const severityOrder =
  'blocker critical fatal high error failed severe major medium moderate warning warn minor low info information note hint style'.split(
    ' ',
  );

/**
 * Reads a message as a question about `items`; undefined for anything else. Every word has to be accounted
 * for: one that names nothing of what was shown makes it a request of its own.
 */
export function readFollowUp(message: string, items: readonly ResultItem[]): FollowUp | undefined {
  const tokens = (message.toLowerCase().match(/[^\s,;!?"'`()]+/g) ?? [])
    .map((token) => token.replace(/[.:]+$/, ''))
    .filter((token) => token !== '');
  if (tokens.length === 0 || tokens.length > maxWords) return undefined;
  let show: FollowUp['show'] = 'list';
  let pick: FollowUp['pick'];
  let isCued = false;
  let isMeant = false;
  const filters: Filter[] = [];
  for (const token of tokens) {
    if (cues.has(token)) isCued = true;
    const isKnown = (set: ReadonlySet<string>): boolean => set.has(token);
    if (locating.has(token) || counting.has(token) || more.has(token) || all.has(token)) {
      isMeant = true;
      isCued = true;
      if (counting.has(token)) show = 'count';
      else if (more.has(token) && show === 'list') show = 'more';
      else if (all.has(token) && show !== 'count') show = 'all';
      continue;
    }
    const found = readFilter(token, items);
    const position = readPosition(token, pick);
    if (found && !isKnown(fillers) && !(isKnown(cues) && found.group === 'other')) {
      filters.push(found);
      isMeant = true;
    } else if (position) {
      pick = position;
      isMeant = true;
    } else if (![cues, fillers, nouns].some(isKnown)) {
      if (!isPathLike(token) || !/\b(?:only|just)\b/i.test(message)) return undefined;
      filters.push({ group: 'path', word: token });
      isMeant = true;
    }
  }
  const isShort = pick !== undefined || /\b(?:them|those|these)\b/i.test(message);
  if (!isMeant && !(isShort && isCued)) return undefined;
  if (!isCued && pick === undefined) return undefined;
  return { show, filters, ...(pick && { pick }) };
}

function readFilter(token: string, items: readonly ResultItem[]): Filter | undefined {
  const singular = token.replace(/s$/, '');
  const severities = new Set(items.flatMap(({ severity }) => severity?.toLowerCase() ?? []));
  for (const word of [token, singular]) {
    const isSeverity = severityOrder.includes(word) && !nouns.has(token) && !worst.has(token);
    if (severities.has(word) || (isSeverity && severities.size > 0))
      return { group: 'severity', word };
  }
  if (worst.has(token) && severities.size > 0) {
    const top = severityOrder.find((one) => severities.has(one)) ?? [...severities][0];
    return top === undefined ? undefined : { group: 'severity', word: top };
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

function readPosition(token: string, pick: FollowUp['pick']): FollowUp['pick'] | undefined {
  const number = /^#?(\d{1,3})(?:st|nd|rd|th)?$/.exec(token)?.[1];
  // "the first 3": how many, after from where.
  if (number !== undefined && pick) {
    const count = Number(number);
    return pick.from < 0 ? { from: -count, count } : { ...pick, count };
  }
  if (number !== undefined) return { from: Number(number) - 1, count: 1 };
  if (token === 'last') return { from: -1, count: 1 };
  if (token === 'top') return { from: 0, count: 1 };
  const ordinal = ordinals.indexOf(token);
  return ordinal < 0 ? undefined : { from: ordinal, count: 1 };
}

function isPathLike(token: string): boolean {
  return token.includes('/') || /\.[a-z]{1,5}$/.test(token);
}

/** The entries that a follow-up means. */
export function selectItems(
  items: readonly ResultItem[],
  { filters, pick }: Pick<FollowUp, 'filters' | 'pick'>,
): readonly ResultItem[] {
  const groups = Map.groupBy(filters, ({ group }) => group);
  const fitting = items.filter((item) =>
    [...groups].every(([group, one]) => one.some(({ word }) => fits(item, group, word))),
  );
  if (!pick) return fitting;
  const from = pick.from < 0 ? Math.max(0, fitting.length + pick.from) : pick.from;
  return fitting.slice(from, from + pick.count);
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
