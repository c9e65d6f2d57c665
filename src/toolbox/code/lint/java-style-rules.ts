import type { Node } from 'web-tree-sitter';
import type { TreeRule } from './lint-tree.ts';
import { ancestorOf, fieldText, removeNode, statementsOf } from './tree-queries.ts';

const loops = ['for_statement', 'enhanced_for_statement', 'while_statement', 'do_statement'];
const methods = ['method_declaration', 'constructor_declaration', 'lambda_expression'];

/** Notation and needless work. */
export const javaStyleRules: readonly TreeRule[] = [
  {
    name: 'missing-braces',
    severity: 'minor',
    area: 'style',
    on: ['if_statement', ...loops],
    check: (node) => {
      const body = node.childForFieldName('consequence') ?? node.childForFieldName('body');
      return body && body.type !== 'block' && body.type !== ';'
        ? { message: 'Put braces around the body' }
        : undefined;
    },
  },
  {
    name: 'needless-return',
    severity: 'info',
    area: 'style',
    on: ['return_statement'],
    check: (node, facts) => {
      const block = node.parent;
      const isLast = statementsOf(block).at(-1)?.id === node.id;
      const isEnd = block?.parent?.type === 'method_declaration' && isLast;
      return isEnd && node.namedChildCount === 0
        ? {
            message: 'The return at the end of a void method does nothing',
            fix: 'Remove it',
            edits: [removeNode(node, facts.text)],
          }
        : undefined;
    },
  },
  {
    name: 'lowercase-long-suffix',
    severity: 'minor',
    area: 'style',
    on: ['decimal_integer_literal', 'hex_integer_literal'],
    check: (node) =>
      node.text.endsWith('l')
        ? {
            message: 'The suffix l looks like the digit 1',
            fix: 'Write L',
            edits: [{ start: node.endIndex - 1, end: node.endIndex, text: 'L' }],
          }
        : undefined,
  },
  {
    name: 'boolean-comparison',
    severity: 'info',
    area: 'style',
    on: ['binary_expression'],
    check: (node) =>
      isEquality(node) && operands(node).some(({ type }) => type === 'true' || type === 'false')
        ? { message: 'Compare nothing with true or false: use the value or its negation' }
        : undefined,
  },
  {
    name: 'array-notation',
    severity: 'info',
    area: 'style',
    on: ['variable_declarator', 'formal_parameter'],
    check: (node) =>
      node.childForFieldName('dimensions')
        ? { message: 'Write the brackets at the type: String[] names' }
        : undefined,
  },
  {
    name: 'magic-number',
    severity: 'info',
    area: 'maintainability',
    optIn: true,
    on: ['decimal_integer_literal', 'decimal_floating_point_literal'],
    check: (node, facts) =>
      !facts.isTest &&
      !/^[0-2](?:\.0)?[lLfFdD]?$/.test(node.text) &&
      !ancestorOf(node, ['field_declaration', 'annotation', 'enum_constant'])
        ? { message: `Name the number ${node.text}` }
        : undefined,
  },
  {
    name: 'boxed-constructor',
    severity: 'minor',
    area: 'performance',
    on: ['object_creation_expression'],
    check: (node) => {
      const type = fieldText(node, 'type') ?? '';
      return /^(?:Integer|Long|Short|Byte|Double|Float|Boolean|Character)$/.test(type) ||
        /^new\s+String\s*\(\s*"/.test(node.text)
        ? { message: `new ${type}() makes an object for nothing; use the value itself or valueOf` }
        : undefined;
    },
  },
  {
    name: 'string-concatenation-in-loop',
    severity: 'minor',
    area: 'performance',
    on: ['assignment_expression'],
    check: (node) =>
      fieldText(node, 'operator') === '+=' &&
      fieldText(node, 'right')?.includes('"') &&
      ancestorOf(node, loops, methods)
        ? { message: 'Building a string with += in a loop is quadratic; use a StringBuilder' }
        : undefined,
  },
];

export function isEquality(node: Node): boolean {
  return /^[!=]=$/.test(fieldText(node, 'operator') ?? '');
}

export function operands(node: Node): readonly Node[] {
  return ['left', 'right'].flatMap((field) => node.childForFieldName(field) ?? []);
}
