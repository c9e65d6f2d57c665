import type { CodeNode, CodeTree, TextSpan } from './code-tree.ts';
import type { ComplexityRules } from './complexity-rules.ts';
import type { LineCounts } from './complexity-schema.ts';

/** Halstead's counts as radon makes them: operators of expressions and their operands. */
export class HalsteadCounts {
  #length = 0;
  readonly #vocabulary = new Set<string | CodeNode>();

  addOperator(name: string): void {
    this.#length += 1;
    this.#vocabulary.add(`operator ${name}`);
  }

  /** A node stands for an operand that equals no other. */
  addOperand(operand: string | CodeNode): void {
    this.#length += 1;
    this.#vocabulary.add(typeof operand === 'string' ? `operand ${operand}` : operand);
  }

  /** Length times the bits one symbol of the vocabulary takes. */
  get volume(): number {
    return this.#length === 0 ? 0 : this.#length * Math.log2(this.#vocabulary.size);
  }
}

/** Operators and operands of every expression of a text; names are compared as they are written. */
export function countHalstead(tree: CodeTree, rule: ComplexityRules['halstead']): HalsteadCounts {
  const counts = new HalsteadCounts();
  for (const node of tree.nodes) {
    if (!rule.operations.has(node.kind)) continue;
    const isUnary = node.namedChildren.length === 1;
    for (const child of node.children) {
      if (child.isNamed) counts.addOperand(atomText(child, rule) ?? child);
      else counts.addOperator(`${isUnary ? 'unary ' : ''}${child.kind}`);
    }
  }
  return counts;
}

function atomText(operand: CodeNode, rule: ComplexityRules['halstead']): string | undefined {
  if (rule.atoms.has(operand.kind)) return operand.text;
  return rule.members.has(operand.kind) ? operand.namedChildren.at(-1)?.text : undefined;
}

interface MaintainabilityInput {
  readonly halstead: HalsteadCounts;
  readonly cyclomatic: number;
  readonly logicalLines: number;
  readonly codeLines: number;
  readonly commentLines: number;
}

/**
 * radon's maintainability index, 0 (hard) to 100 (easy):
 * `171 − 5.2 ln V − 0.23 G − 16.2 ln L + 50 sin √(2.46 C)`, scaled by 100/171 and cut off, where
 * `V` is Halstead's volume, `G` cyclomatic complexity, `L` logical lines and `C` the comments in
 * percent of the lines of code, taken as degrees.
 */
export function maintainabilityIndex(input: MaintainabilityInput): number {
  const { volume } = input.halstead;
  if (volume <= 0 || input.logicalLines <= 0) return 100;
  const percent = input.codeLines === 0 ? 0 : (input.commentLines / input.codeLines) * 100;
  const raw =
    171 -
    5.2 * Math.log(volume) -
    0.23 * input.cyclomatic -
    16.2 * Math.log(input.logicalLines) +
    50 * Math.sin(Math.sqrt(2.46 * ((percent * Math.PI) / 180)));
  return Math.min(Math.max(0, (raw * 100) / 171), 100);
}

interface LineCountInput {
  readonly text: string;
  readonly comments: readonly TextSpan[];
  readonly logical: number;
}

/** Lines of a language whose comments the parser found. */
export function countLines(input: LineCountInput): LineCounts {
  const { text, comments, logical } = input;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const spans = comments.toSorted((a, b) => a.start - b.start);
  const counts = { code: 0, comment: 0, blank: 0 };
  let start = 0;
  let first = 0;
  for (const line of lines) {
    const end = start + line.length;
    while ((spans[first]?.end ?? end + 1) <= start) first += 1;
    const onLine: TextSpan[] = [];
    for (let next = first; (spans[next]?.start ?? end) < end; next += 1) {
      const span = spans[next];
      if (span) onLine.push({ start: span.start - start, end: span.end - start });
    }
    const hasCode = hasTextOutside(line, onLine);
    if (onLine.length > 0) counts.comment += 1;
    if (hasCode) counts.code += 1;
    else if (onLine.length === 0) counts.blank += 1;
    start = end + 1;
  }
  return { total: lines.length, ...counts, logical };
}

/** Whether a line holds more than space outside the spans, which are relative to its start. */
function hasTextOutside(line: string, spans: readonly TextSpan[]): boolean {
  let at = 0;
  for (const span of spans) {
    if (line.slice(at, Math.max(at, span.start)).trim() !== '') return true;
    at = Math.max(at, span.end);
  }
  return line.slice(at).trim() !== '';
}

/** Statements of a tree. */
export function countStatements({ nodes }: CodeTree, statements: RegExp): number {
  return nodes.filter(({ isNamed, kind }) => isNamed && statements.test(kind)).length;
}
