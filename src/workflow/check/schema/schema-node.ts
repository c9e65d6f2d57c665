import type { JsonSchema } from '../../../contract/tool/index.ts';

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
 * The work one question about schemas may cost. When it is used up, the answer is the one that accuses
 * nobody, so that a schema that refers to itself or branches without end can only hide mistakes.
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
export interface SchemaParts {
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
export function embed(node: SchemaNode): JsonSchema {
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
