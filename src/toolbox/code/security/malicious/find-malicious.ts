import type { Node } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import { parseJavascriptFile } from '../../engines/parse-inline.ts';
import { CodeSyntaxError, TooComplexError } from '../../errors.ts';
import type { SourceFile } from '../../source-files.ts';
import { isNode, nodeAt, nodesAt, walkNodes, type TreeNode } from '../javascript/tree-node.ts';
import { parseTree } from '../parse-tree.ts';
import type { SecurityFinding } from '../security-rule.ts';
import { walkSyntaxTree } from '../walk-syntax-tree.ts';
import { matchMaliciousRules } from './match-malicious-rules.ts';
import { lookupTable } from '../../../../kernel/index.ts';

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
  const reading = await (file.language === 'python' ? readPython : readScript)(file, context);
  if (!reading) return suspected;
  const effective = blank(file.text, reading.mentions);
  // The quotes stay: how a text is written down may be the sign itself.
  const contents = reading.tables.map(({ start, end }) => ({ start: start + 1, end: end - 1 }));
  const text = runs.test(effective) ? effective : blank(effective, contents);
  return matchMaliciousRules({ ...file, text });
}

/** Ways to run what stands in a text. */
const runs =
  /\b(?:child_process|exec\w*|spawn\w*|eval|system|popen|Popen|subprocess|fork|shell|socket)\b\s*[("'`.]|\bnew Function\b/;

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Reading {
  /** Text that only mentions something. */
  readonly mentions: readonly Range[];
  /** Strings in tables. */
  readonly tables: readonly Range[];
}

async function readScript(file: SourceFile, context: CodeContext): Promise<Reading | undefined> {
  const parsed = await parseJavascriptFile(file, context.trees).catch((error: unknown) => {
    if (error instanceof CodeSyntaxError || error instanceof TooComplexError) return undefined;
    throw error;
  });
  if (!parsed || parsed.errors.length > 0) return undefined;
  const mentions: Range[] = [...parsed.comments];
  const tables: Range[] = [];
  // oxc's program is an ESTree: every node has type, start and end, which is all TreeNode claims.
  walkNodes(parsed.program as unknown as TreeNode, (node) => {
    if (node.type === 'Literal' && 'regex' in node) mentions.push(node);
    else if (isPrinting(node)) mentions.push(...nodesAt(node, 'arguments').filter(isText));
    const value = nodeAt(node, valueOf[node.type] ?? '');
    if (value) tables.push(...textsInTable(value));
  });
  return { mentions, tables };
}

/** Where a value is given to a name. */
const valueOf: Readonly<Record<string, string>> = lookupTable({
  VariableDeclarator: 'init',
  PropertyDefinition: 'value',
  AssignmentExpression: 'right',
  ExportDefaultDeclaration: 'declaration',
});

const tableTypes: ReadonlySet<string> = new Set([
  'ArrayExpression',
  'ObjectExpression',
  'Property',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'ParenthesizedExpression',
]);

/** The texts in an array or object, at any depth, except in calls and functions inside of it. */
function textsInTable(value: TreeNode): TreeNode[] {
  if (isText(value)) return [];
  const texts: TreeNode[] = [];
  const pending = [value];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (isText(node)) texts.push(node);
    const isTable = tableTypes.has(node.type);
    // `new Set([…])` and `new Map([…])` are tables too.
    const isCollection =
      node.type === 'NewExpression' && isNamed(nodeAt(node, 'callee'), /^(?:Set|Map)$/);
    if (isTable || isCollection) pending.push(...Object.values(node).flat().filter(isNode));
  }
  return texts;
}

function isNamed(node: TreeNode | undefined, name: RegExp): boolean {
  return typeof node?.['name'] === 'string' && name.test(node['name']);
}

function isPrinting(node: TreeNode): boolean {
  const callee = nodeAt(node, 'callee');
  if (node.type === 'NewExpression') return isNamed(callee, /Error$/);
  return (
    node.type === 'CallExpression' && isNamed(nodeAt(callee, 'object'), /^(?:console|log|logger)$/)
  );
}

/** A template with values in it may compute something. */
function isText(node: TreeNode): boolean {
  if (node.type === 'TemplateLiteral') return nodesAt(node, 'expressions').length === 0;
  return node.type === 'Literal' && typeof node['value'] === 'string';
}

async function readPython(file: SourceFile, context: CodeContext): Promise<Reading | undefined> {
  const tree = await parseTree(context, 'python', file.text);
  if (!tree) return undefined;
  const mentions: Range[] = [];
  const tables: Range[] = [];
  try {
    if (tree.rootNode.hasError) return undefined;
    walkSyntaxTree(tree, {
      types: new Set(['comment', 'expression_statement', 'call', 'assignment']),
      visit: (node) => {
        if (node.type === 'comment') mentions.push(rangeOf(node));
        else if (node.type === 'expression_statement') {
          mentions.push(...node.namedChildren.filter(isPythonText).map(rangeOf));
        } else if (node.type === 'call') mentions.push(...mentionedBy(node));
        else tables.push(...pythonTable(node.childForFieldName('right')));
        return true;
      },
    });
    return { mentions, tables };
  } finally {
    tree.delete();
  }
}

/** Calls whose text is shown to people or is a pattern to look for. */
const mentioningCalls = /^(?:print|log(?:ger|ging)?\.\w+|re\.\w+|\w*(?:Error|Exception|Warning))$/;

function mentionedBy(call: Node): Range[] {
  if (!mentioningCalls.test(call.childForFieldName('function')?.text ?? '')) return [];
  const given = call.childForFieldName('arguments')?.namedChildren ?? [];
  return given.filter(isPythonText).map(rangeOf);
}

const pythonTableTypes: ReadonlySet<string> = new Set([
  'list',
  'tuple',
  'set',
  'dictionary',
  'pair',
  'parenthesized_expression',
  'concatenated_string',
]);

function pythonTable(value: Node | null): Range[] {
  if (!value || !pythonTableTypes.has(value.type)) return [];
  const texts: Range[] = [];
  const pending = [value];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (isPythonText(node)) texts.push(rangeOf(node));
    else if (pythonTableTypes.has(node.type)) pending.push(...node.namedChildren);
  }
  return texts;
}

function isPythonText(node: Node): boolean {
  return node.type === 'string' && node.descendantsOfType('interpolation').length === 0;
}

function rangeOf(node: Node): Range {
  return { start: node.startIndex, end: node.endIndex };
}

/** The text with ranges replaced by spaces; every position stays where it was. */
function blank(text: string, ranges: readonly Range[]): string {
  let blanked = '';
  let done = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    blanked += text.slice(done, from) + text.slice(from, end).replaceAll(/[^\n]/g, ' ');
    done = end;
  }
  return blanked + text.slice(done);
}
