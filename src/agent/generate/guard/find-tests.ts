import type { Node } from 'web-tree-sitter';
import {
  applyEdits,
  type SyntaxParser,
  type TextEdit,
  walkTree,
  withTree,
} from '../syntax-tree.ts';
import type { ParsedLanguage } from '../language.ts';

/** The tests of a file, without those inside of others. */
export function findTests(
  root: Node,
  language: ParsedLanguage,
): { readonly name: string; readonly node: Node }[] {
  const tests: { readonly name: string; readonly node: Node }[] = [];
  walkTree(root, root, (node, parent) => {
    const name = testRules[language].testName(node, parent);
    if (name !== undefined) tests.push({ name, node });
    return name === undefined ? node : undefined;
  });
  return tests;
}

/**
 * Names of tests in the source that did not run, or that are hidden by another test of the same name.
 */
export function findNotRun(
  root: Node,
  { language, run }: { readonly language: ParsedLanguage; readonly run: readonly string[] },
): string[] {
  const rules = testRules[language];
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

interface TestRules {
  /** The name of the test that a node is; undefined when it is none. */
  readonly testName: (node: Node, parent: Node) => string | undefined;
  /** Whether reports use this name for the test. */
  readonly isRunnable: (node: Node) => boolean;
}

const functionNodes: ReadonlySet<string> = new Set([
  'function_definition',
  'function_declaration',
  'function_item',
  'method_declaration',
]);

const scripts: TestRules = {
  testName: (node) => {
    if (node.type !== 'call_expression') return undefined;
    const called = node.childForFieldName('function')?.text ?? '';
    if (!/^(?:test|it|t\.test)$/.test(called)) return undefined;
    const name = node.childForFieldName('arguments')?.namedChild(0)?.text ?? called;
    return name.replaceAll(/^['"`]|['"`]$/g, '').slice(0, 100);
  },
  // Names that are put together are not known before.
  isRunnable: (node) => {
    const name = node.childForFieldName('arguments')?.namedChild(0);
    return name?.type === 'string' && !name.text.includes('\\');
  },
};

const testRules: Readonly<Record<ParsedLanguage, TestRules>> = {
  python: {
    testName: (node, parent) => {
      const name =
        node.type === 'function_definition' ? node.childForFieldName('name')?.text : undefined;
      const isFixture =
        parent.type === 'decorated_definition' && /@[\w.]*fixture\b/.test(parent.text);
      return name?.startsWith('test') === true && !isFixture ? name : undefined;
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
    isRunnable: () => true,
  },
  rust: {
    testName: (node, parent) => {
      if (node.type !== 'function_item') return undefined;
      const before = parent.children[parent.children.findIndex((child) => child.equals(node)) - 1];
      const isTest = before?.type === 'attribute_item' && /\btest\b|should_panic/.test(before.text);
      return isTest ? node.childForFieldName('name')?.text : undefined;
    },
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
    isRunnable: () => true,
  },
};

export interface ArrangedTests {
  /** The same tests in the opposite order. */
  readonly reversed: string;
  /** One test without the others; for some of those that the two orders put between others. */
  readonly alone: readonly { readonly name: string; readonly text: string }[];
}

const maxAlone = 3;

/** The tests of a Python or JavaScript file in other arrangements. */
export function arrangeTests(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
): Promise<ArrangedTests> {
  const { language, text } = source;
  const empty = language === 'python' ? 'pass' : ';';
  return withTree(parser, source, (root) => {
    const tests = findTests(root, language).map(({ name, node }) => ({
      name,
      node: statementOf(node),
    }));
    const groups = Map.groupBy(tests, ({ node }) => node.parent?.id ?? 0);
    const edits = [...groups.values()].flatMap((group) =>
      reverse(
        group.map(({ node }) => node),
        empty,
      ),
    );
    const between = tests.slice(1, -1);
    const step = Math.max(1, Math.ceil(between.length / maxAlone));
    const chosen = between.filter((_test, index) => index % step === 0);
    return {
      reversed: applyEdits(text, edits),
      alone: chosen.map(({ name, node }) => ({
        name,
        text: applyEdits(
          text,
          tests
            .filter((other) => other.node.id !== node.id)
            .map((other) => edit(other.node, empty)),
        ),
      })),
    };
  });
}

/** All at the position of the last one, after every definition between them. */
function reverse(nodes: readonly Node[], empty: string): TextEdit[] {
  const last = nodes.at(-1);
  if (!last) return [];
  const gap = `\n\n${' '.repeat(last.startPosition.column)}`;
  const all = nodes.toReversed().map(({ text }) => text);
  return [...nodes.slice(0, -1).map((node) => edit(node, empty)), edit(last, all.join(gap))];
}

function edit({ startIndex, endIndex }: Node, text: string): TextEdit {
  return { start: startIndex, end: endIndex, text };
}

/** With its decorators, or as the statement that the call is. */
function statementOf(node: Node): Node {
  let statement = node;
  while (
    /^(?:decorated_definition|await_expression|expression_statement)$/.test(
      statement.parent?.type ?? '',
    )
  )
    statement = statement.parent ?? statement;
  return statement;
}
