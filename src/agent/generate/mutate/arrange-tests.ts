import type { Node } from 'web-tree-sitter';
import { findTests } from '../guard/find-tests.ts';
import { withTree, type ParsedLanguage, type SyntaxParser } from '../syntax-parser.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';

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

/** All of them where the last one stands, so that what is defined between them is defined before. */
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
