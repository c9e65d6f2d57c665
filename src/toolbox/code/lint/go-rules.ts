import type { Node } from 'web-tree-sitter';
import { goNamingRules } from './go-naming-rules.ts';
import type { FileFacts, TreeProblem, TreeRule } from './lint-tree.ts';
import { ancestorOf, childrenOfType, fieldText, removeNode, statementsOf } from './tree-queries.ts';

const functions = ['function_declaration', 'method_declaration', 'func_literal'];

const correctnessRules: readonly TreeRule[] = [
  {
    name: 'unused-import',
    severity: 'major',
    area: 'correctness',
    on: ['import_spec'],
    check: checkUnusedImport,
  },
  {
    name: 'ignored-error',
    severity: 'minor',
    area: 'correctness',
    on: ['short_var_declaration', 'assignment_statement'],
    check: (node, facts) => {
      const left = node.childForFieldName('left')?.namedChildren ?? [];
      const right = node.childForFieldName('right')?.namedChildren ?? [];
      const isBlankLast = left.length > 1 && left.at(-1)?.text === '_';
      return !facts.isTest &&
        isBlankLast &&
        right.length === 1 &&
        right[0]?.type === 'call_expression'
        ? { message: 'The last result, usually the error, is thrown away; check it' }
        : undefined;
    },
  },
  {
    name: 'shadowed-error',
    severity: 'minor',
    area: 'correctness',
    on: ['short_var_declaration'],
    check: checkShadowedError,
  },
  {
    name: 'defer-in-loop',
    severity: 'major',
    area: 'performance',
    on: ['defer_statement'],
    check: (node) =>
      ancestorOf(node, ['for_statement'], functions)
        ? { message: 'defer in a loop runs only when the function returns; close it in the loop' }
        : undefined,
  },
  {
    name: 'unreachable-code',
    severity: 'major',
    area: 'correctness',
    on: ['return_statement'],
    check: (node) => {
      const next = node.nextNamedSibling;
      return next &&
        !next.isExtra &&
        next.type !== 'labeled_statement' &&
        next.type !== 'empty_statement'
        ? { message: 'Nothing after this return can run', at: next }
        : undefined;
    },
  },
  {
    name: 'self-assignment',
    severity: 'major',
    area: 'correctness',
    on: ['assignment_statement'],
    check: (node) =>
      fieldText(node, 'operator') === '=' && fieldText(node, 'left') === fieldText(node, 'right')
        ? { message: 'A variable is assigned to itself' }
        : undefined,
  },
  {
    name: 'empty-branch',
    severity: 'minor',
    area: 'correctness',
    on: ['if_statement'],
    check: (node) =>
      node.childForFieldName('consequence')?.namedChildCount === 0
        ? { message: 'The branch is empty' }
        : undefined,
  },
  {
    name: 'error-not-wrapped',
    severity: 'minor',
    area: 'correctness',
    on: ['call_expression'],
    check: (node) => {
      if (fieldText(node, 'function') !== 'fmt.Errorf') return undefined;
      const [format, ...values] = statementsOf(node.childForFieldName('arguments'));
      const hasError = values.some(({ text }) => text === 'err');
      return hasError && format && !format.text.includes('%w')
        ? { message: 'The cause is lost to errors.Is and errors.As; use %w for it' }
        : undefined;
    },
  },
  {
    name: 'panic-in-library',
    severity: 'minor',
    area: 'correctness',
    on: ['call_expression'],
    check: (node, facts) => {
      if (fieldText(node, 'function') !== 'panic' || facts.isTest || isMainPackage(facts))
        return undefined;
      const around = ancestorOf(node, ['function_declaration', 'method_declaration']);
      const name = around ? (fieldText(around, 'name') ?? '') : '';
      return /^(?:init$|[Mm]ust)/.test(name)
        ? undefined
        : { message: 'A library should return an error instead of panicking' };
    },
  },
  {
    name: 'exit-in-library',
    severity: 'minor',
    area: 'correctness',
    on: ['call_expression'],
    check: (node, facts) => {
      const called = fieldText(node, 'function') ?? '';
      return /^(?:os\.Exit|log\.Fatal(?:f|ln)?)$/.test(called) &&
        !facts.isTest &&
        !isMainPackage(facts)
        ? { message: `${called} ends the whole process; return an error from a library` }
        : undefined;
    },
  },
];

const styleRules: readonly TreeRule[] = [
  {
    name: 'dot-import',
    severity: 'minor',
    area: 'style',
    on: ['import_spec'],
    check: (node, facts) =>
      fieldText(node, 'name') === '.' && !facts.isTest
        ? { message: 'A dot import hides where names come from' }
        : undefined,
  },
  {
    name: 'needless-return',
    severity: 'info',
    area: 'style',
    on: ['return_statement'],
    check: checkNeedlessReturn,
  },
  {
    name: 'else-after-return',
    severity: 'info',
    area: 'style',
    on: ['if_statement'],
    check: (node) => {
      const last = lastStatement(node.childForFieldName('consequence'));
      const alternative = node.childForFieldName('alternative');
      return last?.type === 'return_statement' && alternative?.type === 'block'
        ? { message: 'The if block returns: drop the else and outdent its block', at: alternative }
        : undefined;
    },
  },
  {
    name: 'bool-comparison',
    severity: 'info',
    area: 'style',
    on: ['binary_expression'],
    check: (node) =>
      /^[!=]=$/.test(fieldText(node, 'operator') ?? '') &&
      ['left', 'right'].some((side) => /^(?:true|false)$/.test(fieldText(node, side) ?? ''))
        ? { message: 'Compare nothing with true or false: use the value or its negation' }
        : undefined,
  },
  {
    name: 'blank-in-range',
    severity: 'info',
    area: 'style',
    on: ['range_clause'],
    check: (node) => {
      const left = node.childForFieldName('left');
      const match = left ? /^(.+?)(\s*,\s*_)$/.exec(left.text) : null;
      if (!left || !match?.[2]) return undefined;
      const edit = { start: left.endIndex - match[2].length, end: left.endIndex, text: '' };
      return match[1] === '_' || match[1]?.includes(',')
        ? undefined
        : {
            message: 'The blank second variable of range is not needed',
            fix: 'Remove ", _"',
            edits: [edit],
          };
    },
  },
  {
    name: 'empty-interface',
    severity: 'info',
    area: 'style',
    on: ['interface_type'],
    check: (node) =>
      node.namedChildCount === 0 ? { message: 'Write any instead of interface{}' } : undefined,
  },
  {
    name: 'needless-sprintf',
    severity: 'info',
    area: 'performance',
    on: ['call_expression'],
    check: (node) => {
      if (fieldText(node, 'function') !== 'fmt.Sprintf') return undefined;
      const given = statementsOf(node.childForFieldName('arguments'));
      return (given.length === 1 && given[0]?.type.endsWith('string_literal')) ||
        (given.length === 2 && given[0]?.text === '"%s"')
        ? { message: 'Sprintf formats nothing here' }
        : undefined;
    },
  },
  {
    name: 'case-conversion-comparison',
    severity: 'minor',
    area: 'performance',
    on: ['binary_expression'],
    check: (node) =>
      ['left', 'right'].every((side) =>
        /^strings\.To(?:Lower|Upper)\(/.test(fieldText(node, side) ?? ''),
      )
        ? { message: 'Use strings.EqualFold: it makes no copies' }
        : undefined,
  },
  {
    name: 'builtin-print',
    severity: 'info',
    area: 'maintainability',
    on: ['call_expression'],
    check: (node) =>
      /^println?$/.test(fieldText(node, 'function') ?? '')
        ? { message: 'The built-in print writes to standard error and may go away; use fmt or log' }
        : undefined,
  },
  {
    name: 'init-function',
    severity: 'minor',
    area: 'maintainability',
    optIn: true,
    on: ['function_declaration'],
    check: (node) =>
      fieldText(node, 'name') === 'init'
        ? { message: 'init() runs by itself and in an order nobody sees' }
        : undefined,
  },
  {
    name: 'global-variable',
    severity: 'minor',
    area: 'maintainability',
    optIn: true,
    on: ['var_spec'],
    check: (node, facts) =>
      !facts.isTest &&
      !ancestorOf(node, functions) &&
      !/^(?:_|[eE]rr)/.test(fieldText(node, 'name') ?? '')
        ? { message: 'A package variable that anyone in the package may change' }
        : undefined,
  },
  {
    name: 'magic-number',
    severity: 'info',
    area: 'maintainability',
    optIn: true,
    on: ['int_literal', 'float_literal'],
    check: (node, facts) =>
      !facts.isTest &&
      !/^(?:[0-2]|10|100)(?:\.0)?$/.test(node.text) &&
      !ancestorOf(node, ['const_spec', 'var_spec'])
        ? { message: `Name the number ${node.text}` }
        : undefined,
  },
];

/** The Go rules of ours: what vet, staticcheck and revive find without types. */
export const goRules: readonly TreeRule[] = [...correctnessRules, ...styleRules, ...goNamingRules];

function isMainPackage(facts: FileFacts): boolean {
  return /^package\s+main\b/m.test(facts.text);
}

/** The statements of a Go block stand in a statement list below it. */
function lastStatement(block: Node | null): Node | undefined {
  const [inner] = block ? childrenOfType(block, 'statement_list') : [];
  return statementsOf(inner ?? block).at(-1);
}

/**
 * Only for the standard library: elsewhere a package may be named differently from its path. Code
 * with an unused import does not compile, so removing it cannot change what a program does.
 */
function checkUnusedImport(node: Node, facts: FileFacts): TreeProblem | undefined {
  const path = (fieldText(node, 'path') ?? '').slice(1, -1);
  const segments = path.split('/');
  if (segments[0]?.includes('.') || path === 'C' || node.childForFieldName('name'))
    return undefined;
  const last = segments.at(-1) ?? '';
  const name = /^v\d+$/.test(last) ? segments.at(-2) : last;
  if (name === undefined || !/^\w+$/.test(name)) return undefined;
  if (new RegExp(`\\b${name}\\s*\\.`).test(facts.text)) return undefined;
  const statement = node.parent?.type === 'import_declaration' ? node.parent : node;
  return {
    message: `"${path}" is imported and not used`,
    fix: 'Remove the import',
    edits: [removeNode(statement, facts.text)],
  };
}

/** `err :=` in an inner block makes a second err, and the outer one stays as it was. */
function checkShadowedError(node: Node): TreeProblem | undefined {
  if (!declaresError(node) || node.parent?.type !== 'statement_list') return undefined;
  let inner: Node | null = node.parent;
  for (let depth = 0; inner && depth < maxShadowDepth; depth += 1) {
    if (functions.includes(inner.type)) return undefined;
    const isStatement = inner.parent?.type === 'statement_list';
    if (isStatement && isErrorDeclaredBefore(inner)) {
      return { message: 'err is declared again and hides the one above; use = or another name' };
    }
    inner = inner.parent;
  }
  return undefined;
}

const maxShadowDepth = 100;
const maxStatementsBack = 200;

function declaresError(declaration: Node): boolean {
  const left = declaration.childForFieldName('left');
  return left?.namedChildren.some(({ text }) => text === 'err') ?? false;
}

function isErrorDeclaredBefore(statement: Node): boolean {
  let before = statement.previousNamedSibling;
  for (let steps = 0; before && steps < maxStatementsBack; steps += 1) {
    if (before.type === 'short_var_declaration' && declaresError(before)) return true;
    before = before.previousNamedSibling;
  }
  return false;
}

function checkNeedlessReturn(node: Node, facts: FileFacts): TreeProblem | undefined {
  const list = node.parent;
  const block = list?.type === 'statement_list' ? list.parent : list;
  const owner = block?.parent;
  if (!owner || !functions.includes(owner.type) || owner.childForFieldName('result'))
    return undefined;
  if (node.namedChildCount > 0 || lastStatement(block)?.id !== node.id) return undefined;
  return {
    message: 'The return at the end of the function does nothing',
    fix: 'Remove it',
    edits: [removeNode(node, facts.text)],
  };
}
