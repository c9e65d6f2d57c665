import type { CodeNode, CodeTree } from './code-tree.ts';
import type { ComplexityRules } from './complexity-rules.ts';

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
