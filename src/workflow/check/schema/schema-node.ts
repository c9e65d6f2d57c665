import type { JsonSchema } from '../../../contract/tool/index.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** A JSON Schema, or a part of one, with the document its `$ref`s are looked up in. */
export interface SchemaNode {
  readonly schema: JsonSchema | boolean;
  readonly root: JsonSchema | boolean;
}

/** Marks a place in a schema we put together whose contents come from another document. */
const elsewhere: unique symbol = Symbol('elsewhere');

interface Embedded {
  readonly [elsewhere]?: SchemaNode;
}

export const anything: SchemaNode = { schema: true, root: true };

/** Schemas of servers are not ours: one that needs more looks than this is taken for "anything". */
const maxLooks = 20_000;
const maxDepth = 48;

/**
 * The work one question about schemas may cost. When it is used up, the answer is the one that reports
 * nothing, so that a schema that refers to itself or branches without end can only hide mistakes.
 */
export class Effort {
  #looks = maxLooks;
  #depth = 0;

  /** Goes one level deeper, or gives `otherwise` when that is too deep or too much. */
  spend<Result>(otherwise: Result, look: () => Result): Result {
    if (this.#looks <= 0 || this.#depth >= maxDepth) return otherwise;
    this.#looks -= 1;
    this.#depth += 1;
    try {
      return look();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** What a schema consists of: keywords of its own, and parts that all, or of which one, must hold. */
interface SchemaParts {
  readonly own: JsonSchema;
  readonly all: readonly SchemaNode[];
  /** Of each group at least one holds. */
  readonly groups: readonly (readonly SchemaNode[])[];
}

const nothing: JsonSchema = { enum: [] };

export function partsOf({ schema, root }: SchemaNode): SchemaParts {
  if (schema === true) return { own: {}, all: [], groups: [] };
  if (schema === false) return { own: nothing, all: [], groups: [] };
  const inner = (part: unknown): SchemaNode => nodeOf(part, root);
  // Only `embed` sets this symbol, and only with a node.
  const embedded = (schema as Embedded)[elsewhere];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const groups = [anyOf, oneOf].filter((group) => Array.isArray(group));
  return {
    own: schema,
    all: [
      ...(embedded === undefined ? [] : [embedded]),
      ...(typeof $ref === 'string' ? [inner(findReference($ref, root))] : []),
      ...(Array.isArray(allOf) ? allOf.map(inner) : []),
    ],
    groups: groups.map((group) => group.map(inner)),
  };
}

/** A part of a schema; what is no schema says nothing. */
export function nodeOf(part: unknown, root: SchemaNode['root']): SchemaNode {
  if (typeof part === 'boolean') return { schema: part, root };
  return isRecord(part) ? { schema: part, root } : anything;
}

/** A node as a part of a schema of another document. */
function embed(node: SchemaNode): JsonSchema {
  const embedded: Embedded = { [elsewhere]: node };
  // A symbol key is not seen by anything that reads keywords.
  return embedded as JsonSchema;
}

export function oneOfNodes(nodes: readonly SchemaNode[]): SchemaNode {
  const [first] = nodes;
  if (first !== undefined && nodes.length === 1) return first;
  return { schema: { anyOf: nodes.map(embed) }, root: true };
}

export function allOfNodes(nodes: readonly SchemaNode[]): SchemaNode {
  const [first] = nodes;
  if (first !== undefined && nodes.length === 1) return first;
  return { schema: { allOf: nodes.map(embed) }, root: true };
}

export function listOf(element: SchemaNode): SchemaNode {
  return { schema: { type: 'array', items: embed(element) }, root: true };
}

/** An object with just these fields. */
export function closedObject(fields: Readonly<Record<string, SchemaNode>>): SchemaNode {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, node]) => [name, embed(node)]),
  );
  return {
    schema: { type: 'object', properties, required: names, additionalProperties: false },
    root: true,
  };
}

/** `#`, `#/$defs/Name` within the same document; whatever else is "anything". */
function findReference(reference: string, root: SchemaNode['root']): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > 1_000) return true;
  let found: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(name)];
    else if (isRecord(found) && Object.hasOwn(found, name)) found = found[name];
    else return true;
  }
  return found;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of a keyword that holds schemas by name. */
export function namedParts(keyword: unknown): Readonly<Record<string, unknown>> {
  return isRecord(keyword) ? keyword : {};
}

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
const everyKind = 127;
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
    // An unknown type may be anything.
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

/**
 * missing, unknown: a field · value: what stands there does not fit · type: what a reference gives never fits ·
 * empty: it fits only as an empty list.
 */
export interface Mismatch {
  readonly is: 'missing' | 'unknown' | 'value' | 'type' | 'empty';
  /** Where, from the value that was compared. */
  readonly at: readonly (string | number)[];
  /** The rest of a sentence that begins with what stands there: `must be …, and is …`. */
  readonly message: string;
}

const maxShown = 60;

/** A value as people recognise it, cut where it is long. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`;
}

const maxListed = 8;

/** Names or values one may choose from, a few of them. */
export function showChoices(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxListed).map(show).join(', ');
  return choices.length > maxListed ? `${shown}, … (${choices.length} in all)` : shown;
}

/** `a.b[0].c`; names that are no words in brackets and quotes. */
export function showPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$-]*$/.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}
