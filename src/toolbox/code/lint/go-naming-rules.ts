import type { Node } from 'web-tree-sitter';
import type { TreeProblem, TreeRule } from './lint-tree.ts';
import { commentBefore, fieldText, statementsOf } from './tree-queries.ts';

const named = ['function_declaration', 'method_declaration', 'type_spec', 'const_spec', 'var_spec'];

/** Names, documentation and the shape of signatures, as Effective Go wants them. */
export const goNamingRules: readonly TreeRule[] = [
  {
    name: 'missing-doc',
    severity: 'info',
    area: 'documentation',
    on: ['function_declaration', 'method_declaration', 'type_declaration'],
    check: (node, facts) => {
      const spec = node.type === 'type_declaration' ? node.namedChildren[0] : node;
      const name = spec ? (fieldText(spec, 'name') ?? '') : '';
      if (facts.isTest || !/^[A-Z]/.test(name) || hasHiddenReceiver(node)) return undefined;
      return commentBefore(node)
        ? undefined
        : { message: `Exported ${name} has no comment that begins with its name` };
    },
  },
  {
    name: 'mixed-caps',
    severity: 'minor',
    area: 'standards',
    on: named,
    check: (node, facts) => {
      const name = fieldText(node, 'name') ?? '';
      return !facts.isTest && /[A-Za-z0-9]_[A-Za-z0-9]/.test(name)
        ? { message: `Write ${name} in MixedCaps, without underscores`, ...place(node) }
        : undefined;
    },
  },
  {
    name: 'package-name',
    severity: 'minor',
    area: 'standards',
    on: ['package_clause'],
    check: (node) => {
      const name = node.namedChildren[0]?.text ?? '';
      return /^[a-z0-9]+(?:_test)?$/.test(name)
        ? undefined
        : { message: `Name the package ${name} in lower case, one word` };
    },
  },
  {
    name: 'receiver-name',
    severity: 'minor',
    area: 'standards',
    on: ['method_declaration'],
    check: (node) => {
      const receiver = statementsOf(node.childForFieldName('receiver'))[0];
      const name = receiver ? fieldText(receiver, 'name') : undefined;
      return name === 'this' || name === 'self'
        ? { message: `Name the receiver after its type instead of ${name}` }
        : undefined;
    },
  },
  {
    name: 'getter-name',
    severity: 'info',
    area: 'standards',
    on: ['method_declaration'],
    check: (node) => {
      const name = fieldText(node, 'name') ?? '';
      const hasNoParameters = statementsOf(node.childForFieldName('parameters')).length === 0;
      return /^Get[A-Z]/.test(name) && hasNoParameters
        ? { message: `Call the getter ${name.slice(3)}: Go leaves the Get out`, ...place(node) }
        : undefined;
    },
  },
  {
    name: 'error-string',
    severity: 'minor',
    area: 'style',
    on: ['call_expression'],
    check: (node) => {
      if (!/^(?:errors\.New|fmt\.Errorf)$/.test(fieldText(node, 'function') ?? ''))
        return undefined;
      const text = statementsOf(node.childForFieldName('arguments'))[0]?.text.slice(1, -1) ?? '';
      return /^[A-Z][a-z]+\s/.test(text) || /[.!\n]$/.test(text)
        ? { message: 'Error strings start in lower case and end without punctuation' }
        : undefined;
    },
  },
  {
    name: 'context-first',
    severity: 'minor',
    area: 'standards',
    on: ['function_declaration', 'method_declaration'],
    check: (node, facts) => {
      const types = statementsOf(node.childForFieldName('parameters')).map((parameter) =>
        fieldText(parameter, 'type'),
      );
      return !facts.isTest && types.indexOf('context.Context') > 0
        ? { message: 'context.Context should be the first parameter', ...place(node) }
        : undefined;
    },
  },
  {
    name: 'context-in-struct',
    severity: 'minor',
    area: 'maintainability',
    on: ['field_declaration'],
    check: (node) =>
      fieldText(node, 'type') === 'context.Context'
        ? {
            message:
              'Pass a context to the functions that need it instead of keeping it in a struct',
          }
        : undefined,
  },
  {
    name: 'error-last',
    severity: 'minor',
    area: 'standards',
    on: ['function_declaration', 'method_declaration'],
    check: (node) => {
      const results = statementsOf(node.childForFieldName('result')).map(
        (result) => fieldText(result, 'type') ?? result.text,
      );
      const at = results.indexOf('error');
      return node.childForFieldName('result')?.type === 'parameter_list' &&
        at >= 0 &&
        at < results.lastIndexOf(results.at(-1) ?? '') &&
        results.at(-1) !== 'error'
        ? { message: 'The error should be the last result', ...place(node) }
        : undefined;
    },
  },
];

function place(node: Node): Pick<TreeProblem, 'at'> {
  const name = node.childForFieldName('name');
  return name ? { at: name } : {};
}

/** Methods of an unexported type are not part of the package's documentation. */
function hasHiddenReceiver(node: Node): boolean {
  const type = /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(fieldText(node, 'receiver') ?? '')?.[1];
  return type !== undefined && !/^[A-Z]/.test(type);
}
