import type { Node } from 'web-tree-sitter';
import type { TreeProblem, TreeRule } from './lint-tree.ts';
import { fieldText } from './tree-queries.ts';

const typeItems = [
  'struct_item',
  'enum_item',
  'trait_item',
  'type_item',
  'union_item',
  'enum_variant',
];
const documented = [
  'function_item',
  'struct_item',
  'enum_item',
  'trait_item',
  'type_item',
  'mod_item',
];

/** Names and documentation, as the Rust API guidelines want them. */
export const rustNamingRules: readonly TreeRule[] = [
  {
    name: 'type-name',
    severity: 'minor',
    area: 'standards',
    on: typeItems,
    check: (node) => wrongName(node, /^[A-Z][A-Za-z0-9]*$/, 'UpperCamelCase'),
  },
  {
    name: 'function-name',
    severity: 'minor',
    area: 'standards',
    on: ['function_item', 'mod_item'],
    check: (node) => wrongName(node, /^(?:r#)?[a-z_][a-z0-9_]*$/, 'snake_case'),
  },
  {
    name: 'constant-name',
    severity: 'minor',
    area: 'standards',
    on: ['const_item', 'static_item'],
    check: (node) => wrongName(node, /^[A-Z_][A-Z0-9_]*$/, 'UPPER_SNAKE_CASE'),
  },
  {
    name: 'missing-doc',
    severity: 'info',
    area: 'documentation',
    on: documented,
    check: (node, facts) => {
      const isPublic = node.namedChildren.some(
        ({ type, text }) => type === 'visibility_modifier' && text === 'pub',
      );
      if (!isPublic || facts.isTest || hasDocumentation(node)) return undefined;
      return {
        message: `Public ${fieldText(node, 'name') ?? 'item'} has no doc comment`,
        ...place(node),
      };
    },
  },
];

const maxAttributes = 50;

/** A doc comment or a doc attribute above the item, other attributes between. */
function hasDocumentation(node: Node): boolean {
  let before = node.previousNamedSibling;
  for (let seen = 0; before && seen < maxAttributes; seen += 1) {
    if (before.type === 'attribute_item') {
      if (/^#\[\s*(?:doc\b|cfg_attr\(.*\bdoc\b)/.test(before.text)) return true;
    } else if (before.isExtra) {
      if (/^\/(?:\/\/|\*\*)/.test(before.text)) return true;
    } else {
      return false;
    }
    before = before.previousNamedSibling;
  }
  return false;
}

function wrongName(node: Node, pattern: RegExp, wanted: string): TreeProblem | undefined {
  const name = fieldText(node, 'name');
  return name === undefined || pattern.test(name)
    ? undefined
    : { message: `Write ${name} in ${wanted}`, ...place(node) };
}

function place(node: Node): Pick<TreeProblem, 'at'> {
  const name = node.childForFieldName('name');
  return name ? { at: name } : {};
}
