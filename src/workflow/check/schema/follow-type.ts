import {
  describeKinds,
  kind,
  kindsOf,
  allOfNodes,
  anything,
  Effort,
  namedParts,
  nodeOf,
  oneOfNodes,
  partsOf,
  type SchemaNode,
} from './schema-node.ts';

/**
 * What a field of a value is. absent: the schema rules it out · unlisted: the schema names fields and this
 * is none of them, but more are allowed · unknown: the schema does not say.
 */
export type Field =
  | { readonly is: 'found'; readonly node: SchemaNode }
  | { readonly is: 'absent' | 'unlisted'; readonly known: readonly string[] }
  | { readonly is: 'unknown' };

/** Where following a path ended: at its end with a type, or at the field that is not there. */
export type Followed =
  | { readonly is: 'found'; readonly node: SchemaNode }
  | {
      readonly is: 'absent' | 'unlisted';
      /** Length of the path up to and with the field that is missing. */
      readonly length: number;
      readonly known: readonly string[];
      /** What the value is in which the field was looked for. */
      readonly within: string;
    };

export function followType(start: SchemaNode, path: readonly (string | number)[]): Followed {
  let node = start;
  for (const [index, key] of path.entries()) {
    const effort = new Effort();
    const field = fieldOf(node, key, effort);
    switch (field.is) {
      case 'found':
        node = field.node;
        break;
      case 'unknown':
        return { is: 'found', node: anything };
      case 'absent':
      case 'unlisted':
        return {
          is: field.is,
          length: index + 1,
          known: field.known,
          within: describeKinds(kindsOf(node, new Effort())),
        };
    }
  }
  return { is: 'found', node };
}

/** The field of an object by its name, or the element of a list by its number. */
export function fieldOf(node: SchemaNode, key: string | number, effort: Effort): Field {
  return effort.spend<Field>({ is: 'unknown' }, () => {
    const kinds = kindsOf(node, effort);
    // A list has its length, beside its elements.
    if (key === 'length' && (kinds & kind.array) !== 0) {
      return (kinds & kind.object) === 0 ? { is: 'found', node: lengthOfList } : { is: 'unknown' };
    }
    if (!canHold(kinds, key)) return { is: 'absent', known: [] };
    const { own, all, groups } = partsOf(node);
    return joinAll([
      ownField(own, key, node.root),
      ...all.map((part) => fieldOf(part, key, effort)),
      ...groups.map((group) =>
        joinAny(
          group
            .filter((part) => canHold(kindsOf(part, effort), key))
            .map((part) => fieldOf(part, key, effort)),
        ),
      ),
    ]);
  });
}

/** The type of the elements of a list. */
export function elementOf(node: SchemaNode, effort: Effort): SchemaNode {
  const field = fieldOf(node, anyElement, effort);
  return field.is === 'found' ? field.node : anything;
}

const lengthOfList: SchemaNode = { schema: { type: 'integer', minimum: 0 }, root: true };

/** Stands for whichever element. */
const anyElement = -1;

function canHold(kinds: number, key: string | number): boolean {
  const holders = typeof key === 'number' ? kind.array | kind.object : kind.object;
  return (kinds & holders) !== 0;
}

function ownField(
  own: Readonly<Record<string, unknown>>,
  key: string | number,
  root: SchemaNode['root'],
): Field {
  if (typeof key === 'number' && (own['items'] !== undefined || own['prefixItems'] !== undefined)) {
    return ownElement(own, key, root);
  }
  const name = String(key);
  const properties = namedParts(own['properties']);
  if (Object.hasOwn(properties, name)) return { is: 'found', node: nodeOf(properties[name], root) };
  if (own['patternProperties'] !== undefined) return { is: 'unknown' };
  const more = own['additionalProperties'];
  if (typeof key === 'number') return { is: 'unknown' };
  if (more === false) return { is: 'absent', known: Object.keys(properties) };
  if (more !== undefined) return { is: 'found', node: nodeOf(more, root) };
  const known = Object.keys(properties);
  return known.length > 0 ? { is: 'unlisted', known } : { is: 'unknown' };
}

function ownElement(
  own: Readonly<Record<string, unknown>>,
  index: number,
  root: SchemaNode['root'],
): Field {
  const first = Array.isArray(own['prefixItems']) ? own['prefixItems'] : [];
  const rest = own['items'];
  if (index === anyElement) {
    const parts = rest === false ? first : [...first, rest ?? true];
    return { is: 'found', node: oneOfNodes(parts.map((part) => nodeOf(part, root))) };
  }
  const { maxItems } = own;
  if (typeof maxItems === 'number' && index >= maxItems) return { is: 'absent', known: [] };
  if (index < first.length) return { is: 'found', node: nodeOf(first[index], root) };
  return rest === false
    ? { is: 'absent', known: [] }
    : { is: 'found', node: nodeOf(rest ?? true, root) };
}

/** All of them hold: one that rules the field out decides. */
function joinAll(fields: readonly Field[]): Field {
  const absent = fields.find((field) => field.is === 'absent');
  if (absent) return absent;
  const found = fields.flatMap((field) => (field.is === 'found' ? [field.node] : []));
  if (found.length > 0) return { is: 'found', node: allOfNodes(found) };
  const known = fields.flatMap((field) => (field.is === 'unlisted' ? field.known : []));
  return known.length > 0 ? { is: 'unlisted', known } : { is: 'unknown' };
}

/** One of them holds: only what each rules out is ruled out. */
function joinAny(fields: readonly Field[]): Field {
  const known = fields.flatMap((field) => ('known' in field ? field.known : []));
  if (fields.length === 0 || fields.some((field) => field.is === 'unknown'))
    return { is: 'unknown' };
  const found = fields.flatMap((field) => (field.is === 'found' ? [field.node] : []));
  if (fields.every((field) => field.is === 'absent')) return { is: 'absent', known };
  if (found.length === 0) return { is: 'unlisted', known };
  const isOpen = fields.some((field) => field.is === 'unlisted');
  return { is: 'found', node: isOpen ? anything : oneOfNodes(found) };
}
