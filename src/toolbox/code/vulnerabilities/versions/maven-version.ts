import { compareDigits, compareStrings, maxVersionLength } from './compare-digits.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** A Maven version is a list of numbers, qualifiers and sub-lists (one per hyphen or transition). */
type Item =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'word'; readonly rank: string }
  | { readonly kind: 'list'; readonly items: Item[] };

/** Orders two Maven versions as Maven's `ComparableVersion` does; any text is a version to Maven. */
export function compareMaven(a: string, b: string): number | undefined {
  if (a.length > maxVersionLength || b.length > maxVersionLength) return undefined;
  return compareItems(parse(a), parse(b));
}

const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const releaseRank = String(qualifiers.indexOf(''));
const aliases: Readonly<Record<string, string>> = lookupTable({
  ga: '',
  final: '',
  release: '',
  cr: 'rc',
});
const shortForms: Readonly<Record<string, string>> = lookupTable({
  a: 'alpha',
  b: 'beta',
  m: 'milestone',
});

/** Known qualifiers by their place, unknown ones after all of them in alphabetical order. */
function rankOf(word: string, isBeforeDigit: boolean): string {
  const long = (isBeforeDigit ? shortForms[word] : undefined) ?? word;
  const qualifier = aliases[long] ?? long;
  const place = qualifiers.indexOf(qualifier);
  return place < 0 ? `${qualifiers.length}-${qualifier}` : String(place);
}

function parse(version: string): Item {
  const root: Item[] = [];
  const lists: Item[][] = [root];
  let list = root;
  const descend = (): void => {
    const items: Item[] = [];
    list.push({ kind: 'list', items });
    lists.push(items);
    list = items;
  };
  for (const token of tokensOf(version.toLowerCase())) {
    if (token.needsOwnList && list.length > 0) descend();
    list.push(token.item);
    if (token.opensList) descend();
  }
  for (const items of lists.toReversed()) dropTrailingNulls(items);
  return { kind: 'list', items: root };
}

interface Token {
  readonly item: Item;
  /** A hyphen, or a change between digits and letters, follows: the rest is a list of its own. */
  readonly opensList: boolean;
  /** `1.X1` is read as `1-X1`, and a word at the end likewise. */
  readonly needsOwnList: boolean;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index];
    const isSeparator = character === '.' || character === '-' || character === undefined;
    const changes =
      !isSeparator && index > start && isDigit(text[index - 1]) !== isDigit(character);
    if (!isSeparator && !changes) continue;
    if (character === undefined && index === start) break;
    const part = text.slice(start, index);
    const item = itemOf(part, changes && isDigit(character));
    tokens.push({
      item,
      opensList: changes || character === '-',
      needsOwnList: item.kind === 'word' && (changes || character === undefined),
    });
    start = changes ? index : index + 1;
  }
  return tokens;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function itemOf(part: string, isBeforeDigit: boolean): Item {
  if (part === '' || isDigit(part[0])) return { kind: 'number', digits: part };
  return { kind: 'word', rank: rankOf(part, isBeforeDigit) };
}

/** `1.0.0` equals `1`, and `1-ga` too: what says nothing at the end of a list is dropped. */
function dropTrailingNulls(items: Item[]): void {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (!item) continue;
    if (isNull(item)) items.splice(index, 1);
    else if (item.kind !== 'list') break;
  }
}

function isNull(item: Item): boolean {
  if (item.kind === 'number') return /^0*$/.test(item.digits);
  return item.kind === 'word' ? item.rank === releaseRank : item.items.length === 0;
}

/** Where the kinds differ: 1.1 > 1-1 > 1-sp. */
const kindOrder = { word: 0, list: 1, number: 2 };

function compareItems(a: Item | undefined, b: Item | undefined): number {
  if (!a) return b ? -compareToNothing(b) : 0;
  if (!b) return compareToNothing(a);
  if (a.kind === 'number' && b.kind === 'number') return compareDigits(a.digits, b.digits);
  if (a.kind === 'word' && b.kind === 'word') return compareStrings(a.rank, b.rank);
  if (a.kind !== 'list' || b.kind !== 'list') return kindOrder[a.kind] - kindOrder[b.kind];
  for (let index = 0; index < Math.max(a.items.length, b.items.length); index += 1) {
    const order = compareItems(a.items[index], b.items[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareToNothing(item: Item): number {
  if (item.kind === 'number') return isNull(item) ? 0 : 1;
  if (item.kind === 'word') return compareStrings(item.rank, releaseRank);
  for (const inner of item.items) {
    const order = compareToNothing(inner);
    if (order !== 0) return order;
  }
  return 0;
}
