import type { JsonSchema } from '../../../contract/tool/index.ts';
import { recordOf, resolveReference } from '../../json-schema.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** Schemas nested deeper than this are described as "anything". */
const maxDepth = 4;
const maxNames = 12;

const words: Readonly<Record<string, string>> = lookupTable({
  string: 'text',
  boolean: 'true or false',
  integer: 'whole number',
  null: 'null',
});

/** What a value of this schema looks like, in a few words: `text`, `list of text`, `a | b | c`. */
export function typeText(schema: unknown, root: JsonSchema, depth = 0): string {
  const part = recordOf(schema);
  const { $ref, enum: choices, const: only, anyOf, oneOf, type } = part;
  if (depth > maxDepth) return 'anything';
  if (typeof $ref === 'string') return typeText(resolveReference($ref, root), root, depth + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return listed(choices.map(String), ' | ');
  const options: readonly unknown[] = [anyOf, oneOf].find(Array.isArray) ?? [];
  if (options.length > 0) {
    const texts = options.map((option) => typeText(option, root, depth + 1));
    return [...new Set(texts)].join(' or ');
  }
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (types.length === 0) return 'anything';
  return types.map((name) => oneType(name, part, { root, depth })).join(' or ');
}

function oneType(
  type: string,
  part: Readonly<Record<string, unknown>>,
  { root, depth }: { readonly root: JsonSchema; readonly depth: number },
): string {
  if (type === 'array') {
    return part['items'] === undefined
      ? 'list'
      : `list of ${typeText(part['items'], root, depth + 1)}`;
  }
  if (type === 'object') {
    const names = Object.keys(recordOf(part['properties']));
    return names.length === 0 ? 'object' : `object {${listed(names, ', ')}}`;
  }
  const word = words[type] ?? type;
  return type === 'integer' || type === 'number' ? `${word}${rangeText(part)}` : word;
}

function rangeText({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  const hasMinimum = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER;
  const hasMaximum = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (hasMinimum && hasMaximum) return ` from ${minimum} to ${maximum}`;
  if (hasMaximum) return ` up to ${maximum}`;
  return hasMinimum && minimum !== 0 ? ` from ${minimum}` : '';
}

function listed(names: readonly string[], separator: string): string {
  const more = names.length > maxNames ? `${separator}…` : '';
  return names.slice(0, maxNames).join(separator) + more;
}
