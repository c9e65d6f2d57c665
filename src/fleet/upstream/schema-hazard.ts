import { isRecord, type Params } from '../../protocol/index.ts';

const maxParts = 10_000;
const maxLevels = 64;
/** Subschemas that apply to one and the same value, after following references. */
const maxComposition = 10_000;
const maxChain = 200;

/**
 * Why compiling a foreign schema, or checking a value with it, is dangerous; undefined when it is not.
 * References are never fetched, so one to another document is a hazard for clients that do.
 */
export function schemaHazard(schema: unknown): string | undefined {
  const found = collectParts(schema);
  if (typeof found === 'string') return found;
  const isForeign = (reference: string): boolean =>
    !reference.startsWith('#') && !found.ids.has(reference.replace(/#.*$/s, ''));
  if (found.references.some(isForeign)) return 'its schema refers to another document';
  const composition = new Composition(schema);
  for (const part of found.parts) {
    const { parts } = composition.sizeOf(part);
    if (parts === endless.parts) return 'its schema refers to itself without end';
    if (parts > maxComposition) {
      return `its schema combines more than ${maxComposition} parts for one value`;
    }
  }
  return undefined;
}

interface Parts {
  readonly parts: readonly Params[];
  readonly references: readonly string[];
  readonly ids: ReadonlySet<string>;
}

function collectParts(root: unknown): Parts | string {
  const parts: Params[] = [];
  const references: string[] = [];
  const ids = new Set<string>();
  const pending: { schema: unknown; level: number }[] = [{ schema: root, level: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { schema, level } = next;
    if (!isRecord(schema)) continue;
    if (parts.push(schema) > maxParts) return `its schema has more than ${maxParts} parts`;
    if (level > maxLevels) return `its schema nests deeper than ${maxLevels} levels`;
    for (const reference of referencesOf(schema)) references.push(reference);
    if (typeof schema['$id'] === 'string') ids.add(schema['$id']);
    for (const part of [...appliedParts(schema), ...memberParts(schema)]) {
      pending.push({ schema: part, level: level + 1 });
    }
  }
  return { parts, references, ids };
}

const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'];

function referencesOf(schema: Params): string[] {
  return referenceKeywords.map((name) => schema[name]).filter((it) => typeof it === 'string');
}

/** Subschemas for the same value as the schema itself. */
function appliedParts(schema: Params): unknown[] {
  const { allOf, anyOf, oneOf, dependentSchemas } = schema;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const named = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [...lists, ...named, schema['not'], schema['if'], schema['then'], schema['else']];
}

const memberKeywords = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'items',
  'prefixItems',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const namedKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependencies'];

/** Subschemas for parts of the value, and definitions. */
function memberParts(schema: Params): unknown[] {
  const named = namedKeywords.flatMap((keyword) => {
    const group = schema[keyword];
    return isRecord(group) ? Object.values(group) : [];
  });
  return [...memberKeywords.flatMap((keyword) => schema[keyword]), ...named];
}

interface Size {
  readonly parts: number;
  /** Of the longest chain of parts. */
  readonly height: number;
}

const endless: Size = { parts: Number.POSITIVE_INFINITY, height: 0 };

/** How many subschemas one value is checked against. Computed once per part: a bomb is small until it is expanded. */
class Composition {
  readonly #root: unknown;
  readonly #sizes = new Map<Params, Size>();

  constructor(root: unknown) {
    this.#root = root;
  }

  sizeOf(schema: unknown, depth = 0): Size {
    if (!isRecord(schema)) return { parts: 1, height: 0 };
    const known = this.#sizes.get(schema);
    if (known !== undefined) return known;
    if (depth > maxChain) return endless;
    // Stands until the real size is known: a part that meets itself on the way never ends.
    this.#sizes.set(schema, endless);
    const targets = referencesOf(schema).map((reference) => this.#find(reference));
    let parts = 1;
    let height = 0;
    for (const part of [...appliedParts(schema), ...targets]) {
      const size = this.sizeOf(part, depth + 1);
      parts += size.parts;
      height = Math.max(height, size.height + 1);
    }
    const size = height > maxChain ? endless : { parts, height };
    this.#sizes.set(schema, size);
    return size;
  }

  /** The target of a JSON pointer; undefined for anchors and what is missing. */
  #find(reference: string): unknown {
    if (reference === '#') return this.#root;
    if (!reference.startsWith('#/')) return undefined;
    let at: unknown = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const name = unescapeStep(step);
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
      at = Reflect.get(at, name);
    }
    return at;
  }
}

function unescapeStep(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // Not percent-encoded.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}
