import type { Condition } from '../plan/index.ts';
import type { ConditionNode } from '../plan/read-condition.ts';
import { formatReference } from '../plan/index.ts';
import { checkReference, type StepPlace } from './step-place.ts';
import { kind, kindsOf, numberKinds } from './schema/kinds.ts';
import { show } from './schema/mismatch.ts';
import { describeType, neverFits } from './schema/never-fits.ts';
import { Effort, type SchemaNode } from './schema/schema-node.ts';

/** The references of a condition, and comparisons that come out the same whatever the steps give. */
export function checkCondition(
  condition: Condition,
  place: StepPlace,
  at: readonly (string | number)[],
): void {
  const left: ConditionNode[] = [condition.node];
  for (let node = left.pop(); node; node = left.pop()) {
    switch (node.kind) {
      case 'literal':
        break;
      case 'reference':
        checkReference(node.reference, at, place);
        checkTruth(node, place, at);
        break;
      case 'exists':
        // Asking for what is not there is what `exists` is for: worth a word, and no more.
        checkReference(node.reference, at, {
          ...place,
          report: (where, finding) => place.report(where, { ...finding, severity: 'warning' }),
        });
        break;
      case 'not':
        left.push(node.part);
        break;
      case 'all':
      case 'any':
        left.push(...node.parts);
        break;
      case 'compare':
        for (const side of [node.left, node.right]) {
          if (side.kind === 'reference') checkReference(side.reference, at, place);
          else left.push(side);
        }
        checkComparison(node, place, at);
        break;
    }
  }
}

/** A value by itself, such as that of a sleep, which is always null. */
function checkTruth(
  { reference }: ConditionNode & { readonly kind: 'reference' },
  { checking, locals, report }: StepPlace,
  at: readonly (string | number)[],
): void {
  if (kindsOf(checking.types.typeOf(reference, locals), new Effort()) !== kind.null) return;
  const shown = formatReference(reference);
  report(at, {
    code: 'plan.constant_condition',
    message: `${shown} is always null, which counts as false. Whether it is over is asked with exists(${shown})`,
    severity: 'warning',
  });
}

type CompareNode = ConditionNode & { readonly kind: 'compare' };

function checkComparison(
  node: CompareNode,
  { checking, locals, report }: StepPlace,
  at: readonly (string | number)[],
): void {
  const typeOf = (side: ConditionNode): SchemaNode =>
    conditionType(side, (reference) => checking.types.typeOf(reference, locals));
  const [left, right] = [typeOf(node.left), typeOf(node.right)];
  const fitting = { effort: new Effort(), testPattern: checking.testPattern };
  const [leftKinds, rightKinds] = [kindsOf(left, new Effort()), kindsOf(right, new Effort())];
  const isEquality = node.comparison === '==' || node.comparison === '!=';
  if (isEquality) {
    const conflict = neverFits(left, right, fitting);
    if (!conflict || conflict.isEmptyOnly) return;
  } else {
    const shared = leftKinds & rightKinds;
    const areNumbers = (leftKinds & numberKinds) !== 0 && (rightKinds & numberKinds) !== 0;
    if (areNumbers || (shared & kind.string) !== 0 || leftKinds === 0 || rightKinds === 0) return;
  }
  const sides = `${describeSide(node.left, left)}, ${describeSide(node.right, right)}`;
  report(at, {
    code: 'plan.constant_condition',
    message: `"${node.comparison}" here is always ${node.comparison === '!=' ? 'true' : 'false'}: ${sides}`,
    severity: 'warning',
  });
}

function conditionType(
  node: ConditionNode,
  typeOf: (reference: (ConditionNode & { kind: 'reference' })['reference']) => SchemaNode,
): SchemaNode {
  switch (node.kind) {
    case 'literal':
      return { schema: { const: node.value }, root: true };
    case 'reference':
      return typeOf(node.reference);
    case 'exists':
    case 'not':
    case 'all':
    case 'any':
    case 'compare':
      return { schema: { type: 'boolean' }, root: true };
  }
}

function describeSide(node: ConditionNode, type: SchemaNode): string {
  switch (node.kind) {
    case 'literal':
      return `the other side is ${show(node.value)}`;
    case 'reference':
      return `${formatReference(node.reference)} is ${describeType(type, new Effort())}`;
    case 'exists':
    case 'not':
    case 'all':
    case 'any':
    case 'compare':
      return 'one side is true or false';
  }
}
