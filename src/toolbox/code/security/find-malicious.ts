import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import type { SourceFile } from '../source-files.ts';
import { blank, matchText } from './scan-text.ts';
import { parseTree } from './scan-tree.ts';
import { readRules, type SecurityFinding } from './security-rules.ts';

/**
 * Signs of harmful intent in a file. What only speaks of such code is no sign: comments, docstrings, regular
 * expressions, text that is printed, and text in a table (a list or mapping given to a name) of a file that
 * runs nothing. A file that does not parse gets no such benefit.
 */
export async function findMalicious(
  file: SourceFile,
  context: CodeContext,
): Promise<readonly SecurityFinding[]> {
  const suspected = matchMaliciousRules(file);
  if (suspected.length === 0) return suspected;
  const reading = await readFile(file, context);
  if (!reading) return suspected;
  const effective = blank(file.text, reading.mentions);
  const text = runs.test(effective) ? effective : blank(effective, reading.tables);
  return matchMaliciousRules({ ...file, text });
}

/** Signs of harmful intent anywhere in a text, in comments and strings too. */
export function matchMaliciousRules(file: SourceFile): SecurityFinding[] {
  return matchText('malicious', file, [{ start: 0, text: file.text, code: file.text }]);
}

/** Ways to run what stands in a text. */
const runs =
  /\b(?:child_process|exec\w*|spawn\w*|eval|system|popen|Popen|subprocess|fork|shell|socket)\b\s*[("'`.]|\bnew Function\b/;

type Range = [start: number, end: number];

interface Reading {
  /** Text that only mentions something. */
  readonly mentions: readonly Range[];
  /** The contents of strings in tables. Their quotes stay: how a text is written down may be the sign itself. */
  readonly tables: readonly Range[];
}

async function readFile(file: SourceFile, context: CodeContext): Promise<Reading | undefined> {
  const parsed = await parseTree(file, context);
  if (!parsed) return undefined;
  const { tree, grammar } = parsed;
  const { Query } = await import('web-tree-sitter');
  const shapes = Object.values(readRules('malicious').shapes);
  const fitting = shapes.filter(({ grammars }) => grammars?.includes(grammar) ?? true);
  const source = fitting.map(({ query }) => query).join('\n');
  const query = new Query(await context.trees.grammar(grammar), source);
  try {
    if (tree.rootNode.hasError) return undefined;
    const captures = query.captures(tree.rootNode);
    const nodesOf = (name: string): Node[] =>
      captures.flatMap((capture) => (capture.name === name ? [capture.node] : []));
    return {
      mentions: nodesOf('mention')
        .filter(isFixed)
        .map((node) => [node.startIndex, node.endIndex]),
      tables: nodesOf('table')
        .flatMap(textsInTable)
        .map((node) => [node.startIndex + 1, node.endIndex - 1]),
    };
  } finally {
    query.delete();
    tree.delete();
  }
}

/** A text with values in it may compute something. */
function isFixed(node: Node): boolean {
  return node.descendantsOfType(['interpolation', 'template_substitution']).length === 0;
}

const containers =
  /^(?:list|tuple|set|dictionary|pair|array|object|as_expression|satisfies_expression|parenthesized_expression|concatenated_string)$/;

/** The texts in a list or mapping, at any depth, except in calls and functions inside of it. */
function textsInTable(table: Node): Node[] {
  const texts: Node[] = [];
  const pending = contentsOf(table);
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (/^(?:string|template_string)$/.test(node.type) && isFixed(node)) texts.push(node);
    pending.push(...contentsOf(node));
  }
  return texts;
}

function contentsOf(node: Node): Node[] {
  if (containers.test(node.type)) return node.namedChildren;
  // `new Set([…])` and `new Map([…])` are tables too.
  const isCollection =
    node.type === 'new_expression' &&
    /^(?:Set|Map)$/.test(node.childForFieldName('constructor')?.text ?? '');
  return isCollection ? (node.childForFieldName('arguments')?.namedChildren ?? []) : [];
}
