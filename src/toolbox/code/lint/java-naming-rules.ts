import type { Node } from 'web-tree-sitter';
import type { TreeRule } from './lint-tree.ts';
import { commentBefore, fieldText } from './tree-queries.ts';

const typeDeclarations = [
  'class_declaration',
  'interface_declaration',
  'enum_declaration',
  'record_declaration',
  'annotation_type_declaration',
];

/** Names and documentation, as Google's Java style and Javadoc conventions want them. */
export const javaNamingRules: readonly TreeRule[] = [
  {
    name: 'type-name',
    severity: 'minor',
    area: 'standards',
    on: typeDeclarations,
    check: (node) => wrongName(node, /^[A-Z][A-Za-z0-9]*$/, 'UpperCamelCase'),
  },
  {
    name: 'method-name',
    severity: 'minor',
    area: 'standards',
    on: ['method_declaration'],
    check: (node, facts) =>
      wrongName(
        node,
        facts.isTest ? /^[a-z][A-Za-z0-9_]*$/ : /^[a-z][A-Za-z0-9]*$/,
        'lowerCamelCase',
      ),
  },
  {
    name: 'constant-name',
    severity: 'info',
    area: 'standards',
    on: ['field_declaration'],
    check: (node) => {
      const modifiers = modifiersOf(node);
      const declarator = node.childForFieldName('declarator');
      const isConstant = /\bstatic\b/.test(modifiers) && /\bfinal\b/.test(modifiers);
      const type = fieldText(node, 'type') ?? '';
      if (
        !isConstant ||
        !declarator ||
        !/^(?:int|long|short|byte|double|float|boolean|char|String)$/.test(type)
      ) {
        return undefined;
      }
      return fieldText(declarator, 'name') === 'serialVersionUID'
        ? undefined
        : wrongName(declarator, /^[A-Z][A-Z0-9_]*$/, 'UPPER_SNAKE_CASE');
    },
  },
  {
    name: 'variable-name',
    severity: 'info',
    area: 'standards',
    on: ['formal_parameter', 'local_variable_declaration'],
    check: (node) => {
      const named = node.type === 'formal_parameter' ? node : node.childForFieldName('declarator');
      return named ? wrongName(named, /^(?:[a-z][A-Za-z0-9]*|_)$/, 'lowerCamelCase') : undefined;
    },
  },
  {
    name: 'missing-javadoc',
    severity: 'info',
    area: 'documentation',
    on: [...typeDeclarations, 'method_declaration'],
    check: (node, facts) => {
      const modifiers = modifiersOf(node);
      if (facts.isTest || !/\bpublic\b/.test(modifiers) || modifiers.includes('@Override'))
        return undefined;
      return commentBefore(node)?.text.startsWith('/**')
        ? undefined
        : {
            message: `Public ${fieldText(node, 'name') ?? 'declaration'} has no Javadoc comment`,
            ...place(node),
          };
    },
  },
];

function wrongName(node: Node, pattern: RegExp, wanted: string): ReturnType<TreeRule['check']> {
  const name = fieldText(node, 'name');
  return name === undefined || pattern.test(name)
    ? undefined
    : { message: `Write ${name} in ${wanted}`, ...place(node) };
}

function place(node: Node): { at: Node } | object {
  const name = node.childForFieldName('name');
  return name ? { at: name } : {};
}

function modifiersOf(node: Node): string {
  return node.namedChildren.find(({ type }) => type === 'modifiers')?.text ?? '';
}
