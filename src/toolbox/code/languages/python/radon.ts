import { lookupTable } from '../../../../kernel/index.ts';
import type { CodeNode, CodeTree } from '../../complexity/code-tree.ts';
import type { LineCounts } from '../../complexity/complexity-schema.ts';
import { HalsteadCounts } from '../../complexity/maintainability.ts';

/** Lines as radon's `raw` module counts them, from which its maintainability index is made. */
interface PythonLineCounts extends LineCounts {
  /** Comments, and the lines of multi-line strings that stand alone. */
  readonly commentsAndDocstrings: number;
}

interface Token {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** What Python's `str.splitlines` breaks at. */
const lineBreak = /\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/g;

export function countPythonLines(tree: CodeTree): PythonLineCounts {
  const counts = { total: 0, code: 0, logical: 0, comments: 0, alone: 0, docstrings: 0, blank: 0 };
  for (const { lines, blankLines, tokens } of groupLines(tree)) {
    counts.total += lines;
    counts.comments += tokens.filter(({ kind }) => kind === 'comment').length;
    counts.logical += countLogicalLines(tokens.filter(({ kind }) => kind !== 'comment'));
    const [only] = tokens.length === 1 ? tokens : [];
    const isLiteral = only?.kind === 'comment' || only?.kind === 'string';
    if (isLiteral && lines === 1) counts.alone += 1;
    else {
      counts[isLiteral ? 'docstrings' : 'code'] += lines - blankLines;
      counts.blank += blankLines;
    }
  }
  return {
    total: counts.total,
    code: counts.code,
    logical: counts.logical,
    comment: counts.alone + counts.docstrings,
    blank: counts.blank,
    commentsAndDocstrings: counts.comments + counts.docstrings,
  };
}

/** One line, and one more where `;` or a `:` with something behind it starts another. */
function countLogicalLines(tokens: readonly Token[]): number {
  let count = 0;
  let length = 0;
  let colon = -1;
  for (const { kind } of [...tokens, { kind: ';' }]) {
    if (kind === ';') {
      if (length > 0) count += colon >= 0 && colon < length - 1 ? 2 : 1;
      length = 0;
      colon = -1;
    } else {
      if (kind === ':') colon = length;
      length += 1;
    }
  }
  return count;
}

/** A statement with all lines it takes, or one line that is blank or a comment. */
interface LineGroup {
  readonly lines: number;
  readonly blankLines: number;
  readonly tokens: readonly Token[];
}

function* groupLines(tree: CodeTree): Generator<LineGroup> {
  const { text } = tree;
  const tokens = tokensOf(tree);
  let group = { lines: 0, blankLines: 0, tokens: [] as Token[] };
  let depth = 0;
  let next = 0;
  let start = 0;
  for (const { index: end, 0: line } of [
    ...text.matchAll(lineBreak),
    { index: text.length, 0: '' },
  ]) {
    if (line === '' && start === end) break;
    const written = text.slice(start, end).trim();
    group.lines += 1;
    if (written === '') group.blankLines += 1;
    for (let token = tokens[next]; token && token.start < end; token = tokens[(next += 1)]) {
      if ('([{'.includes(token.kind)) depth += 1;
      if (')]}'.includes(token.kind)) depth -= 1;
      group.tokens.push(token);
    }
    start = end + line.length;
    const last = group.tokens.at(-1);
    const isContinued = written.endsWith('\\') && last?.kind !== 'comment';
    if (depth > 0 || isContinued || (last?.end ?? 0) > end) continue;
    yield group;
    group = { lines: 0, blankLines: 0, tokens: [] };
  }
  if (group.lines > 0) yield group;
}

/** Leaves and comments in source order; a string is one token. */
function tokensOf({ nodes, comments }: CodeTree): readonly Token[] {
  const tokens: Token[] = comments.map(({ start, end }) => ({ kind: 'comment', start, end }));
  let hiddenUntil = -1;
  for (const { kind, start, end, index, last, parent } of nodes) {
    if (!parent || index <= hiddenUntil || start === end) continue;
    if (kind === 'string') hiddenUntil = last;
    if (kind === 'string' || index === last) tokens.push({ kind, start, end });
  }
  return tokens.sort((a, b) => a.start - b.start);
}

/** Halstead's counts with radon's rules: equal names in different functions are different names. */
export function countPythonHalstead({ nodes }: CodeTree): HalsteadCounts {
  const counts = new HalsteadCounts();
  const functions: CodeNode[] = [];
  let hiddenUntil = -1;
  for (const node of nodes) {
    while ((functions.at(-1)?.last ?? node.index) < node.index) functions.pop();
    if (isHidden(node)) hiddenUntil = Math.max(hiddenUntil, node.last);
    if (node.index <= hiddenUntil) continue;
    if (node.kind === 'function_definition') functions.push(node);
    const operation = operationAt(node);
    if (!operation) continue;
    const context = functions.at(-1)?.child('name')?.text ?? '';
    for (const operator of operation.operators) counts.addOperator(operator);
    for (const operand of operation.operands) {
      const key = operandKey(operand);
      counts.addOperand(key === undefined ? operand : `${context} ${key}`);
    }
  }
  return counts;
}

/** radon reads of a function only its body. */
function isHidden({ kind, field, parent }: CodeNode): boolean {
  if (kind === 'decorator') return parent?.children.at(-1)?.kind === 'function_definition';
  return parent?.kind === 'function_definition' && field !== 'body' && field !== '';
}

interface Operation {
  readonly operators: readonly string[];
  readonly operands: readonly CodeNode[];
}

const prefixes: Readonly<Record<string, string>> = lookupTable({
  binary_operator: 'binary',
  augmented_assignment: 'binary',
  unary_operator: 'unary',
  not_operator: 'unary',
  comparison_operator: 'compare',
  boolean_operator: 'logical',
});

/** What radon sees as one operation: a chain of one logical operator, or all of a comparison. */
function operationAt(node: CodeNode): Operation | undefined {
  const { kind, children, namedChildren } = node;
  const prefix = prefixes[kind];
  if (prefix === undefined) return undefined;
  if (kind === 'boolean_operator') return logicalChainAt(node);
  const operators = children.filter(({ isNamed }) => !isNamed).map((token) => token.kind);
  const isAssignment = kind === 'augmented_assignment';
  return {
    operators: operators.map((token) => `${prefix} ${isAssignment ? token.slice(0, -1) : token}`),
    operands: namedChildren,
  };
}

function logicalChainAt(node: CodeNode): Operation | undefined {
  const operator = logicalOperator(node);
  if (node.field === 'left' && logicalOperator(node.parent) === operator) return undefined;
  const operands: CodeNode[] = [];
  let left: CodeNode | undefined = node;
  while (left && logicalOperator(left) === operator) {
    operands.push(left.child('right') ?? left);
    left = left.child('left');
  }
  if (left) operands.push(left);
  return { operators: [`logical ${operator}`], operands };
}

function logicalOperator(node: CodeNode | undefined): string | undefined {
  return node?.kind === 'boolean_operator' ? node.child('operator')?.kind : undefined;
}

/** Equal for operands that Python holds to be equal; `undefined` for those that equal no other. */
function operandKey(written: CodeNode): string | undefined {
  let operand: CodeNode | undefined = written;
  while (operand?.kind === 'parenthesized_expression') [operand] = operand.namedChildren;
  if (!operand) return undefined;
  switch (operand.kind) {
    case 'identifier':
      return `text ${operand.text}`;
    case 'attribute':
      return `text ${operand.child('attribute')?.text}`;
    case 'true':
      return 'number 1';
    case 'false':
      return 'number 0';
    case 'none':
    case 'ellipsis':
      return operand.kind;
    case 'integer':
    case 'float':
      return `number ${numberKey(operand.text)}`;
    case 'string':
      return stringKey([operand]);
    case 'concatenated_string':
      return stringKey(operand.children.filter(({ kind }) => kind === 'string'));
    default:
      return undefined;
  }
}

/** `1`, `0x1` and `1.0` are one operand. */
function numberKey(written: string): string {
  const text = written.replaceAll('_', '').toLowerCase();
  return Number.isNaN(Number(text)) ? text : String(Number(text));
}

/** The texts between the quotes; an escape equals only the same escape. */
function stringKey(strings: readonly CodeNode[]): string | undefined {
  const parts = strings.map(({ text }) => /^([a-z]*)("""|'''|"|')([^]*)\2$/i.exec(text));
  if (parts.some((part) => !part || /f/i.test(part[1] ?? ''))) return undefined;
  const isBytes = parts.some((part) => /b/i.test(part?.[1] ?? ''));
  return `${isBytes ? 'bytes' : 'text'} ${parts.map((part) => part?.[3]).join('')}`;
}
