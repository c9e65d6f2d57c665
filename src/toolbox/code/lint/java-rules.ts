import type { Node } from 'web-tree-sitter';
import type { TreeProblem, TreeRule } from './lint-tree.ts';
import { javaNamingRules } from './java-naming-rules.ts';
import { isEquality, javaStyleRules, operands } from './java-style-rules.ts';
import { ancestorOf, childrenOfType, fieldText, hasKeyword, removeNode } from './tree-queries.ts';

const methods = ['method_declaration', 'constructor_declaration', 'lambda_expression'];

const correctnessRules: readonly TreeRule[] = [
  {
    name: 'empty-catch',
    severity: 'major',
    area: 'correctness',
    on: ['catch_clause'],
    check: (node) => {
      const isIgnored = /^(?:ignored?|expected)/.test(fieldTextOfParameter(node));
      const body = node.childForFieldName('body');
      return body?.namedChildCount === 0 && !isIgnored
        ? { message: 'The catch block swallows the exception; handle it or say why not' }
        : undefined;
    },
  },
  {
    name: 'string-equality',
    severity: 'major',
    area: 'correctness',
    on: ['binary_expression'],
    check: (node) =>
      isEquality(node) && operands(node).some(({ type }) => type === 'string_literal')
        ? { message: 'Strings are compared by identity; use equals()' }
        : undefined,
  },
  {
    name: 'self-assignment',
    severity: 'major',
    area: 'correctness',
    on: ['assignment_expression'],
    check: (node) =>
      fieldText(node, 'operator') === '=' && fieldText(node, 'left') === fieldText(node, 'right')
        ? { message: 'A variable is assigned to itself' }
        : undefined,
  },
  {
    name: 'switch-fallthrough',
    severity: 'minor',
    area: 'correctness',
    on: ['switch_block_statement_group'],
    check: checkFallthrough,
  },
  {
    name: 'missing-default',
    severity: 'info',
    area: 'correctness',
    on: ['switch_block'],
    check: (node) =>
      childrenOfType(node, 'switch_block_statement_group').length > 0 &&
      !node.namedChildren.some((group) =>
        group.namedChildren.some(
          (label) => label.type === 'switch_label' && label.text.startsWith('default'),
        ),
      )
        ? { message: 'The switch has no default' }
        : undefined,
  },
  {
    name: 'return-in-finally',
    severity: 'major',
    area: 'correctness',
    on: ['return_statement', 'throw_statement'],
    check: (node) =>
      ancestorOf(node, ['finally_clause'], methods)
        ? { message: 'Leaving a finally block this way hides the exception of the try block' }
        : undefined,
  },
  {
    name: 'equals-without-hashcode',
    severity: 'major',
    area: 'correctness',
    on: ['class_body'],
    check: checkEqualsAndHashCode,
  },
  {
    name: 'catch-generic-exception',
    severity: 'minor',
    area: 'correctness',
    on: ['catch_type'],
    check: (node) =>
      /^(?:Exception|Throwable|RuntimeException|Error)$/.test(node.text)
        ? { message: `Catching ${node.text} also catches what nobody foresaw; name the exception` }
        : undefined,
  },
  {
    name: 'throw-generic-exception',
    severity: 'minor',
    area: 'maintainability',
    on: ['throw_statement'],
    check: (node) => {
      const name = /^throw\s+new\s+(Exception|Throwable|RuntimeException|Error)\s*\(/.exec(
        node.text,
      )?.[1];
      return name === undefined
        ? undefined
        : {
            message: `Throw a specific exception instead of ${name}: callers cannot tell it apart`,
          };
    },
  },
];

const upkeepRules: readonly TreeRule[] = [
  {
    name: 'unused-import',
    severity: 'minor',
    area: 'maintainability',
    on: ['import_declaration'],
    check: (node, facts) => {
      const name = /([\p{L}_$][\p{L}\p{N}_$]*)\s*;$/u.exec(node.text)?.[1];
      if (name === undefined || hasKeyword(node, 'asterisk') || node.text.includes('*'))
        return undefined;
      return facts.countWord(name) === 1
        ? {
            message: `The import of ${name} is unused`,
            fix: 'Remove the import',
            edits: [removeNode(node, facts.text)],
          }
        : undefined;
    },
  },
  {
    name: 'star-import',
    severity: 'minor',
    area: 'style',
    on: ['import_declaration'],
    check: (node) =>
      node.text.includes('*') ? { message: 'Import the names you use instead of *' } : undefined,
  },
  {
    name: 'unused-local',
    severity: 'minor',
    area: 'maintainability',
    on: ['local_variable_declaration'],
    check: (node, facts) => {
      const unused = childrenOfType(node, 'variable_declarator')
        .map((declarator) => fieldText(declarator, 'name'))
        .find((name) => name !== undefined && name !== '_' && facts.countWord(name) === 1);
      return unused === undefined ? undefined : { message: `The variable ${unused} is never used` };
    },
  },
  {
    name: 'unused-private-field',
    severity: 'minor',
    area: 'maintainability',
    on: ['field_declaration'],
    check: (node, facts) => {
      const name = firstDeclaredName(node);
      if (name === undefined || name === 'serialVersionUID' || !hasModifier(node, 'private'))
        return undefined;
      return facts.countWord(name) === 1 && !hasAnnotation(node)
        ? { message: `The private field ${name} is never used` }
        : undefined;
    },
  },
  {
    name: 'print-stack-trace',
    severity: 'minor',
    area: 'maintainability',
    on: ['method_invocation'],
    check: (node) =>
      fieldText(node, 'name') === 'printStackTrace'
        ? { message: 'Log the exception instead of printing its stack trace' }
        : undefined,
  },
  {
    name: 'system-out',
    severity: 'info',
    area: 'maintainability',
    on: ['method_invocation'],
    check: (node, facts) =>
      !facts.isTest && /^System\.(?:out|err)$/.test(fieldText(node, 'object') ?? '')
        ? { message: 'Use a logger instead of System.out or System.err' }
        : undefined,
  },
  {
    name: 'system-exit',
    severity: 'minor',
    area: 'maintainability',
    on: ['method_invocation'],
    check: (node) => {
      if (fieldText(node, 'object') !== 'System' || fieldText(node, 'name') !== 'exit')
        return undefined;
      const method = ancestorOf(node, ['method_declaration']);
      return method && fieldText(method, 'name') === 'main'
        ? undefined
        : { message: 'System.exit ends the whole process; only main should' };
    },
  },
  {
    name: 'public-field',
    severity: 'minor',
    area: 'maintainability',
    on: ['field_declaration'],
    check: (node) =>
      hasModifier(node, 'public') &&
      !hasModifier(node, 'final') &&
      node.parent?.type === 'class_body'
        ? { message: 'A public field that anyone may change; make it private or final' }
        : undefined,
  },
  {
    name: 'finalize-method',
    severity: 'minor',
    area: 'maintainability',
    on: ['method_declaration'],
    check: (node) =>
      fieldText(node, 'name') === 'finalize' && parameterCount(node) === 0
        ? { message: 'finalize() is deprecated; use AutoCloseable or a Cleaner' }
        : undefined,
  },
  {
    name: 'parameter-reassignment',
    severity: 'minor',
    area: 'maintainability',
    optIn: true,
    on: ['assignment_expression'],
    check: (node) => {
      const method = ancestorOf(node, ['method_declaration', 'constructor_declaration']);
      const name = fieldText(node, 'left');
      const isParameter = method
        ?.childForFieldName('parameters')
        ?.namedChildren.some((parameter) => fieldText(parameter, 'name') === name);
      return isParameter ? { message: `The parameter ${name} is assigned a new value` } : undefined;
    },
  },
];

/** The Java rules of ours: what checkstyle and PMD find without types. */
export const javaRules: readonly TreeRule[] = [
  ...correctnessRules,
  ...upkeepRules,
  ...javaStyleRules,
  ...javaNamingRules,
];

function fieldTextOfParameter(clause: Node): string {
  const parameter = clause.namedChildren.find(({ type }) => type === 'catch_formal_parameter');
  return parameter ? (fieldText(parameter, 'name') ?? '') : '';
}

const leavesSwitch: ReadonlySet<string> = new Set([
  'break_statement',
  'return_statement',
  'throw_statement',
  'continue_statement',
  'yield_statement',
]);

function checkFallthrough(node: Node): TreeProblem | undefined {
  const next = node.nextNamedSibling;
  const statements = node.namedChildren.filter((child) => child.type !== 'switch_label');
  const last = statements.findLast((child) => !child.isExtra);
  if (!last || !next || next.isExtra || mayLeave(last)) return undefined;
  const isAnnounced = [...statements, next].some(
    (child) => child.isExtra && /fall/i.test(child.text),
  );
  return isAnnounced
    ? undefined
    : { message: 'The case runs on into the next; add break, or a comment "fall through"' };
}

/** Whether control surely or possibly leaves; blocks, ifs and tries get the benefit of the doubt. */
function mayLeave(statement: Node): boolean {
  return (
    leavesSwitch.has(statement.type) ||
    /\b(?:break|return|throw|continue|exit)\b/.test(statement.text)
  );
}

function checkEqualsAndHashCode(node: Node): TreeProblem | undefined {
  const declared = childrenOfType(node, 'method_declaration');
  const equals = declared.find(
    (method) =>
      fieldText(method, 'name') === 'equals' &&
      /^\(\s*(?:final\s+)?(?:@\w+\s+)?(?:java\.lang\.)?Object\s+\w+\s*\)$/.test(
        fieldText(method, 'parameters') ?? '',
      ),
  );
  const hasHashCode = declared.some((method) => fieldText(method, 'name') === 'hashCode');
  return equals && !hasHashCode
    ? { message: 'equals() without hashCode() breaks hash maps and sets', at: equals }
    : undefined;
}

function parameterCount(method: Node): number {
  return method.childForFieldName('parameters')?.namedChildCount ?? 0;
}

function firstDeclaredName(declaration: Node): string | undefined {
  const declarator = declaration.childForFieldName('declarator');
  return declarator ? fieldText(declarator, 'name') : undefined;
}

function hasModifier(node: Node, modifier: string): boolean {
  const modifiers = node.namedChildren.find(({ type }) => type === 'modifiers');
  return modifiers ? hasKeyword(modifiers, modifier) : false;
}

function hasAnnotation(node: Node): boolean {
  return node.namedChildren.some(({ type, text }) => type === 'modifiers' && text.includes('@'));
}
