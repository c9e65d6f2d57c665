import { compare, valid } from '@renovatebot/pep440';
import { parse, type SemVer } from 'semver';
import type { Ecosystem } from './locked-package.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** Negative, zero or positive; `undefined` when one of the two is no version of the ecosystem. */
export type VersionOrder = (a: string, b: string) => number | undefined;

const orders: Readonly<Record<Ecosystem, VersionOrder>> = {
  npm: compareSemver,
  Go: compareSemver,
  'crates.io': compareSemver,
  PyPI: comparePep440,
  Maven: compareMaven,
};

/** Longer texts are no versions; the bound keeps every comparison cheap. */
const maxVersionLength = 256;

/** How the versions of an ecosystem sort. */
export function versionOrderOf(ecosystem: Ecosystem): VersionOrder {
  const order = orders[ecosystem];
  return (a, b) => (Math.max(a.length, b.length) > maxVersionLength ? undefined : order(a, b));
}

/** A leading `v`, leading zeros, missing minor or patch numbers and build metadata do not count. */
export function compareSemver(a: string, b: string): number | undefined {
  const [left, right] = [parseSemver(a), parseSemver(b)];
  return left && right ? left.compare(right) : undefined;
}

function parseSemver(text: string): SemVer | null {
  const padded = text
    .trim()
    .replace(
      /^([v=]?\d+)(\.\d+)?(?=[-+]|$)/,
      (_, major: string, minor = '.0') => `${major}${minor}.0`,
    );
  return parse(padded, { loose: true });
}

function comparePep440(a: string, b: string): number | undefined {
  const [left, right] = [a.trim(), b.trim()];
  return valid(left) && valid(right) ? compare(left, right) : undefined;
}

/** A number, the rank of a qualifier, or a list (one per hyphen or change between digits and letters). */
type Item = bigint | string | Item[];

/** Orders two Maven versions as Maven's `ComparableVersion` does; any text is a version to Maven. */
function compareMaven(a: string, b: string): number {
  return compareItems(parseMaven(a), parseMaven(b));
}

function parseMaven(version: string): Item[] {
  const lists: Item[][] = [[]];
  const current = (): Item[] => lists.at(-1) ?? [];
  const descend = (): void => {
    const items: Item[] = [];
    current().push(items);
    lists.push(items);
  };
  const text = version.toLowerCase();
  for (const match of text.matchAll(/(\d+|[^\d.-]+|(?=[.-]))([.-]?)/g)) {
    const [whole, part = '', separator] = match;
    const changesKind = separator === '' && match.index + whole.length < text.length;
    const isWord = /^\D/.test(part);
    // `1.X1` is read as `1-X1`, and a word at the end likewise.
    if (isWord && separator === '' && current().length > 0) descend();
    current().push(isWord ? rankOf(part, changesKind) : BigInt(part));
    if (changesKind || separator === '-') descend();
  }
  for (const items of lists.toReversed()) dropTrailingNulls(items);
  return lists[0] ?? [];
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

/** Known qualifiers by their position, unknown ones after all of them in alphabetical order. */
function rankOf(word: string, isBeforeDigit: boolean): string {
  const long = (isBeforeDigit ? shortForms[word] : undefined) ?? word;
  const qualifier = aliases[long] ?? long;
  const position = qualifiers.indexOf(qualifier);
  return position < 0 ? `${qualifiers.length}-${qualifier}` : String(position);
}

/** `1.0.0` equals `1`, and `1-ga` too: what says nothing at the end of a list is dropped. */
function dropTrailingNulls(items: Item[]): void {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index] ?? 0n;
    if (Array.isArray(item) ? item.length === 0 : item === nullOf(item)) items.splice(index, 1);
    else if (!Array.isArray(item)) break;
  }
}

/** The item of the same kind that says nothing; a missing item counts as it. */
function nullOf(item: Item | undefined): Item {
  if (Array.isArray(item)) return [];
  return typeof item === 'string' ? releaseRank : 0n;
}

/** Where the kinds differ: 1.1 > 1-1 > 1-sp. */
const kindOrder = ['string', 'object', 'bigint'];

function compareItems(a: Item | undefined, b: Item | undefined): number {
  const [left, right] = [a ?? nullOf(b), b ?? nullOf(a)];
  if (typeof left !== typeof right) {
    return kindOrder.indexOf(typeof left) - kindOrder.indexOf(typeof right);
  }
  if (!Array.isArray(left) || !Array.isArray(right)) {
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareItems(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}
