import { isRecord, partsOf, type Effort, type SchemaNode } from './schema-node.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** The kinds of JSON values as bits. A number is a whole one or one with a fraction. */
export const kind = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
} as const;
export const everyKind = 127;
export const numberKinds = kind.integer | kind.fraction;

const kindsByType: Readonly<Record<string, number>> = lookupTable({
  null: kind.null,
  boolean: kind.boolean,
  integer: kind.integer,
  number: numberKinds,
  string: kind.string,
  array: kind.array,
  object: kind.object,
});

/** Every kind a value that fits may be of; a few too many where the schema is hard to read. */
export function kindsOf(node: SchemaNode, effort: Effort): number {
  return effort.spend<number>(everyKind, () => {
    const { own, all, groups } = partsOf(node);
    let kinds = ownKinds(own);
    for (const part of all) kinds &= kindsOf(part, effort);
    for (const group of groups) {
      kinds &= group.reduce((union, part) => union | kindsOf(part, effort), 0);
    }
    return kinds;
  });
}

function ownKinds(own: Readonly<Record<string, unknown>>): number {
  let kinds = everyKind;
  const types = [own['type']].flat().filter((type) => typeof type === 'string');
  if (types.length > 0) {
    // A type nobody knows may be anything.
    kinds = types.reduce((union, type) => union | (kindsByType[type] ?? everyKind), 0);
  }
  if (Array.isArray(own['enum'])) kinds &= kindsOfValues(own['enum']);
  if (own['const'] !== undefined) kinds &= kindOfValue(own['const']);
  return kinds;
}

function kindsOfValues(values: readonly unknown[]): number {
  return values.reduce<number>((union, value) => union | kindOfValue(value), 0);
}

export function kindOfValue(value: unknown): number {
  if (value === null) return kind.null;
  if (typeof value === 'string') return kind.string;
  if (typeof value === 'boolean') return kind.boolean;
  if (typeof value === 'number') return Number.isInteger(value) ? kind.integer : kind.fraction;
  if (Array.isArray(value)) return kind.array;
  return isRecord(value) ? kind.object : everyKind;
}

/** The types of JSON Schema that make up these kinds. */
export function namesOfKinds(kinds: number): readonly string[] {
  return Object.entries(kindsByType)
    .filter(([, bits]) => (kinds & bits) !== 0)
    .map(([name]) => name);
}

const words: readonly (readonly [bits: number, word: string])[] = [
  [kind.string, 'a text'],
  [kind.integer, 'a whole number'],
  [kind.fraction, 'a number with a fraction'],
  [kind.boolean, 'true or false'],
  [kind.array, 'a list'],
  [kind.object, 'an object'],
  [kind.null, 'null'],
];

/** Kinds in words: `a text or null`. */
export function describeKinds(kinds: number): string {
  if (kinds === 0) return 'nothing at all';
  if (kinds === everyKind) return 'anything';
  const isNumber = (kinds & numberKinds) === numberKinds;
  const found = words
    .filter(([bits]) => (kinds & bits) !== 0 && !(isNumber && (bits & numberKinds) !== 0))
    .map(([, word]) => word);
  if (isNumber) found.unshift('a number');
  const last = found.pop() ?? '';
  return found.length === 0 ? last : `${found.join(', ')} or ${last}`;
}
