import type { Node, Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import type { GrammarName } from '../syntax-tree.ts';
import { parseTree } from './parse-tree.ts';
import type { FileScan } from './scan-file-security.ts';
import { findingOf, type Place, type SecurityFinding, type SecurityRule } from './security-rule.ts';
import { walkSyntaxTree } from './walk-syntax-tree.ts';

/** What one rule looks at in a syntax tree, and when it holds. */
export interface TreeMatcher {
  readonly on: readonly string[];
  readonly match: (node: Node, facts: TreeFacts) => boolean;
}

export interface TreeFacts {
  /** The whole source. */
  readonly text: string;
}

export type TreeMatchers = Readonly<Record<string, TreeMatcher>>;

export interface TreeRules {
  readonly grammar: GrammarName;
  readonly rules: ReadonlyMap<string, SecurityRule>;
  readonly matchers: TreeMatchers;
}

/** Runs the rules of a language over a file. */
export async function scanTree(
  file: SourceFile,
  context: CodeContext,
  language: TreeRules,
): Promise<FileScan> {
  const byType = groupByType(language.matchers);
  const findings: SecurityFinding[] = [];
  const tree = await parseTree(context, language.grammar, file.text);
  if (!tree) return { findings, unparsed: startOfText };
  try {
    walkSyntaxTree(tree, {
      types: new Set(byType.keys()),
      visit: (node) => {
        for (const [name, matcher] of byType.get(node.type) ?? []) {
          const rule = language.rules.get(name);
          if (!rule || !matcher.match(node, { text: file.text })) continue;
          const { row, column } = node.startPosition;
          findings.push(findingOf(rule, { file: file.path, line: row + 1, column: column + 1 }));
        }
        return true;
      },
    });
    return { findings, unparsed: firstError(tree) };
  } finally {
    tree.delete();
  }
}

/** Where a text is said not to parse that could not be read at all. */
export const startOfText: Place = { line: 1, column: 1 };

type Entry = readonly [string, TreeMatcher];

function groupByType(matchers: TreeMatchers): ReadonlyMap<string, readonly Entry[]> {
  const grouped = new Map<string, Entry[]>();
  for (const entry of Object.entries(matchers)) {
    for (const type of entry[1].on) grouped.set(type, [...(grouped.get(type) ?? []), entry]);
  }
  return grouped;
}

/** Where the grammar first did not fit. */
export function firstError(tree: Tree): Place | undefined {
  if (!tree.rootNode.hasError) return undefined;
  const cursor = tree.walk();
  try {
    while (cursor.gotoFirstChild()) {
      while (!cursor.currentNode.hasError && cursor.gotoNextSibling());
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) break;
    }
    const { row, column } = cursor.startPosition;
    return { line: row + 1, column: column + 1 };
  } finally {
    cursor.delete();
  }
}

/** The source of a node, cut where nothing decisive can follow. */
export function sourceOf(node: Node | null | undefined): string {
  if (!node) return '';
  return node.text.length > maxSource ? node.text.slice(0, maxSource) : node.text;
}

const maxSource = 2_000;
