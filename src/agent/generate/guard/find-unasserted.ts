import type { Node } from 'web-tree-sitter';
import { walkTree } from '../mutate/tree-walk.ts';
import type { ParsedLanguage } from '../syntax-parser.ts';

/** Names of the tests in a file that check nothing: without an assertion, or with such as cannot fail. */
export function findUnasserted(root: Node, language: ParsedLanguage): string[] {
  const rules = assertionRules[language];
  const helpers = new Set<string>();
  const tests: { readonly name: string; readonly node: Node }[] = [];
  walkTree(root, root, (node, parent) => {
    const test = rules.testName(node, parent);
    if (test !== undefined) tests.push({ name: test, node });
    else if (functionNodes.has(node.type) && asserts(node, rules, new Set())) {
      helpers.add(node.childForFieldName('name')?.text ?? '');
    }
    return node;
  });
  return tests.filter(({ node }) => !asserts(node, rules, helpers)).map(({ name }) => name);
}

/** The tests of a file, without those inside of others. */
export function findTests(
  root: Node,
  language: ParsedLanguage,
): { readonly name: string; readonly node: Node }[] {
  const tests: { readonly name: string; readonly node: Node }[] = [];
  walkTree(root, root, (node, parent) => {
    const name = assertionRules[language].testName(node, parent);
    if (name !== undefined) tests.push({ name, node });
    return name === undefined ? node : undefined;
  });
  return tests;
}

/**
 * Names of tests that are written down and were not run, or that another of the same name hides: nothing is known
 * about what they would have said.
 */
export function findNotRun(
  root: Node,
  { language, run }: { readonly language: ParsedLanguage; readonly run: readonly string[] },
): string[] {
  const rules = assertionRules[language];
  const found: string[] = [];
  const hidden = new Set<string>();
  const written = new Set<string>();
  walkTree(root, { parent: root, scope: '' }, (node, { parent, scope }) => {
    const name = rules.testName(node, parent);
    if (name !== undefined && rules.isRunnable(node)) {
      found.push(name);
      const key = `${scope}.${name}`;
      if (language === 'python' && written.has(key)) hidden.add(name);
      written.add(key);
    }
    if (language === 'python' && functionNodes.has(node.type)) return undefined;
    const isClass = node.type === 'class_definition';
    if (isClass && !isTestClass(node)) return undefined;
    return { parent: node, scope: isClass ? `${scope}.${node.startIndex}` : scope };
  });
  const isRun = (name: string): boolean => run.some((one) => one.includes(name));
  return [...new Set([...hidden, ...found.filter((name) => !isRun(name))])];
}

function isTestClass(node: Node): boolean {
  const name = node.childForFieldName('name')?.text ?? '';
  return (
    name.startsWith('Test') || /TestCase/.test(node.childForFieldName('superclasses')?.text ?? '')
  );
}

interface AssertionRules {
  /** The name of the test that a node is; undefined when it is none. */
  readonly testName: (node: Node, parent: Node) => string | undefined;
  readonly isAssertion: (node: Node) => boolean;
  /** Whether a test is told about by this name, so that one can say whether it was run. */
  readonly isRunnable: (node: Node) => boolean;
}

const functionNodes: ReadonlySet<string> = new Set([
  'function_definition',
  'function_declaration',
  'function_item',
  'method_declaration',
]);

function asserts(test: Node, rules: AssertionRules, helpers: ReadonlySet<string>): boolean {
  let found = false;
  walkTree(test, true, (node) => {
    if (found) return undefined;
    const called = calledName(node);
    found = rules.isAssertion(node) || (called !== undefined && helpers.has(called));
    return true;
  });
  return found;
}

function calledName(node: Node): string | undefined {
  if (!/^(?:call|call_expression|method_invocation)$/.test(node.type)) return undefined;
  const called = node.childForFieldName('function') ?? node.childForFieldName('name');
  return called?.text.split('.').at(-1);
}

const scripts: AssertionRules = {
  testName: (node) => {
    if (node.type !== 'call_expression') return undefined;
    const called = node.childForFieldName('function')?.text ?? '';
    if (!/^(?:test|it|t\.test)$/.test(called)) return undefined;
    const name = node.childForFieldName('arguments')?.namedChild(0)?.text ?? called;
    return name.replaceAll(/^['"`]|['"`]$/g, '').slice(0, 100);
  },
  isAssertion: (node) => {
    if (node.type !== 'call_expression') return false;
    const called = node.childForFieldName('function')?.text ?? '';
    if (!/^(?:assert|expect|t\.assert|strict)\b/.test(called)) return false;
    return namesSomething(node.childForFieldName('arguments'));
  },
  // Names that are put together are not known before.
  isRunnable: (node) => {
    const name = node.childForFieldName('arguments')?.namedChild(0);
    return name?.type === 'string' && !name.text.includes('\\');
  },
};

const assertionRules: Readonly<Record<ParsedLanguage, AssertionRules>> = {
  python: {
    testName: (node, parent) => {
      const name =
        node.type === 'function_definition' ? node.childForFieldName('name')?.text : undefined;
      const isFixture =
        parent.type === 'decorated_definition' && /@[\w.]*fixture\b/.test(parent.text);
      return name?.startsWith('test') === true && !isFixture ? name : undefined;
    },
    isAssertion: (node) => {
      if (node.type === 'assert_statement') return namesSomething(node);
      if (node.type !== 'call') return false;
      const called = node.childForFieldName('function')?.text ?? '';
      const isCheck = /(?:^|\.)(?:assert\w*|raises|warns|fail)$/.test(called);
      return isCheck && namesSomething(node.childForFieldName('arguments'));
    },
    isRunnable: () => true,
  },
  javascript: scripts,
  typescript: scripts,
  go: {
    testName: (node) => {
      const name =
        node.type === 'function_declaration' ? node.childForFieldName('name')?.text : undefined;
      return name !== undefined && /^Test(?![a-z])/.test(name) ? name : undefined;
    },
    isAssertion: (node) =>
      node.type === 'call_expression' &&
      /\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/.test(
        node.childForFieldName('function')?.text ?? '',
      ),
    isRunnable: () => true,
  },
  rust: {
    testName: (node, parent) => {
      if (node.type !== 'function_item') return undefined;
      const before = parent.children[parent.children.findIndex((child) => child.equals(node)) - 1];
      const isTest = before?.type === 'attribute_item' && /\btest\b|should_panic/.test(before.text);
      return isTest ? node.childForFieldName('name')?.text : undefined;
    },
    isAssertion: (node) =>
      node.type === 'macro_invocation' &&
      /^(?:debug_)?assert/.test(node.childForFieldName('macro')?.text ?? ''),
    isRunnable: () => true,
  },
  java: {
    testName: (node) => {
      if (node.type !== 'method_declaration') return undefined;
      const isTest = /@(?:Test|ParameterizedTest|RepeatedTest)\b/.test(
        node.namedChild(0)?.text ?? '',
      );
      return isTest ? node.childForFieldName('name')?.text : undefined;
    },
    isAssertion: (node) =>
      node.type === 'method_invocation' &&
      /^(?:assert\w*|fail|verify)$/.test(node.childForFieldName('name')?.text ?? ''),
    isRunnable: () => true,
  },
};

/** `assert True` and `assert 1 == 1` hold whatever the code does. */
function namesSomething(node: Node | null): boolean {
  if (!node) return false;
  let found = false;
  walkTree(node, true, (part) => {
    found ||= part.type === 'identifier';
    return found ? undefined : true;
  });
  return found;
}
