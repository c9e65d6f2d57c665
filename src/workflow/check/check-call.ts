import type { Tool } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import { repeatabilityOf } from '../effects/effect-ports.ts';
import type { ConditionNode } from '../plan/condition.ts';
import {
  delegateTool,
  parseCondition,
  type CompiledStep,
  type Condition,
  type Template,
  formatReference,
} from '../plan/index.ts';
import { readTemplate } from '../plan/template.ts';
import { checkDelegation } from './check-delegation.ts';
import { outputOfTool } from './plan-types.ts';
import { fitValue, unlistedFields, describeType, neverFits } from './schema/fit-value.ts';
import {
  showPath,
  type Mismatch,
  Effort,
  isRecord,
  nodeOf,
  kind,
  kindsOf,
  numberKinds,
  show,
  type SchemaNode,
} from './schema/schema-node.ts';
import { checkReferences, type StepPlace, type StepReport, checkReference } from './step-place.ts';

type CallStep = CompiledStep & { readonly kind: 'call' };

export function checkCall(step: CallStep, place: StepPlace): void {
  const { report, checking } = place;
  const tool = checking.tools.find(step.tool);
  if (tool) {
    checkArguments(tool, step.args, { ...place, name: step.tool, field: ['args'] });
    checkEffect(step, tool, place);
    const { agents } = checking;
    if (agents && step.tool === delegateTool) checkDelegation(step, { agents, report });
  } else {
    report(['tool'], {
      code: 'plan.unknown_tool',
      message: checking.describeUnknownTool(step.tool),
    });
  }
  checkReconcile(step, place);
}

interface ArgumentsPlace extends StepPlace {
  /** The tool as the plan names it. */
  readonly name: string;
  /** Where the arguments stand in the step. */
  readonly field: readonly string[];
}

function checkArguments(tool: Tool, args: Template, place: ArgumentsPlace): void {
  const { checking, locals, report, name, field } = place;
  const schema = nodeOf(tool.inputSchema, tool.inputSchema);
  const value = checking.types.fill(args.node, locals);
  const effort = new Effort();
  for (const mismatch of fitValue(value, schema, { effort, testPattern: checking.testPattern })) {
    reportMismatch(mismatch, { report, name: `of ${name}`, field, noun: 'argument' });
  }
  if (!isRecord(value)) return;
  for (const { at, message } of unlistedFields(value, schema, new Effort())) {
    report([...field, ...at], {
      code: 'plan.unknown_argument',
      message: `Argument "${showPath(at)}" of ${name} ${message}`,
      severity: 'warning',
    });
  }
}

interface MismatchPlace {
  readonly report: StepReport;
  readonly name: string;
  readonly field: readonly string[];
  readonly noun: 'argument' | 'input';
}

const codes = {
  argument: [
    { code: 'plan.missing_argument' },
    { code: 'plan.unknown_argument' },
    { code: 'plan.invalid_argument' },
  ],
  input: [
    { code: 'plan.missing_input' },
    { code: 'plan.unknown_input' },
    { code: 'plan.invalid_input' },
  ],
} as const;

/** Says of an argument, or an input of a sub-plan, that it does not fit. */
function reportMismatch(mismatch: Mismatch, { report, name, field, noun }: MismatchPlace): void {
  const { is, at } = mismatch;
  const [missing, unknown, invalid] = codes[noun];
  const what = noun === 'argument' ? 'Argument' : 'Input';
  const message = `${what} "${showPath(at)}" ${name} ${mismatch.message}`;
  switch (is) {
    case 'missing':
      // What is missing has no place of its own.
      report([...field, ...at.slice(0, -1)], { ...missing, message });
      return;
    case 'unknown':
      report([...field, ...at], { ...unknown, message });
      return;
    case 'value':
      report([...field, ...at], { ...invalid, message });
      return;
    case 'type':
      report([...field, ...at], { code: 'plan.type_mismatch', message });
      return;
    case 'empty':
      report([...field, ...at], { code: 'plan.type_mismatch', message, severity: 'warning' });
      return;
  }
}

/** Annotations count as MCP says: who does not say otherwise may write, and may destroy. */
function checkEffect(step: CallStep, tool: Tool, { checking, report }: StepPlace): void {
  const { readOnlyHint = false, destructiveHint = true } = tool.annotations ?? {};
  const { cache, approval, effect } = step.step;
  checkRepeats(step, tool, report);
  if (cache !== undefined && cache !== false && !readOnlyHint && effect !== 'read') {
    report(['cache'], {
      code: 'plan.cache_not_read_only',
      message: `The result of ${step.tool} must not be taken from the cache, because the tool is not known to be read-only. Remove "cache", or say "effect: read" if it changes nothing`,
    });
  }
  const { policy } = checking;
  const isAsked =
    policy === 'effects'
      ? !readOnlyHint
      : policy === 'destructive' && !readOnlyHint && destructiveHint;
  if (!isAsked || (approval !== undefined && approval !== false)) return;
  report(approval === undefined ? [] : ['approval'], {
    code: 'plan.needs_approval',
    message: `The tool ${step.tool} ${policy === 'effects' ? 'is not known to be read-only' : 'may destroy something'}, and the setting workflow.approval: ${policy} asks for approval of such calls. Add "approval: true"`,
  });
}

/** A plan cannot say that a call is less than its tool says it is. */
function checkRepeats({ step, tool: name }: CallStep, tool: Tool, report: StepReport): void {
  const { effect } = step;
  if (effect === undefined) return;
  const counting = repeatabilityOf(tool, effect);
  if (counting === effect) return;
  const denied = counting === 'once' ? 'idempotent' : 'read-only';
  report(['effect'], {
    code: 'plan.effect_denied',
    message: `The plan says "effect: ${effect}", and ${name} says of itself that it is not ${denied}: it counts as "${counting}"`,
    severity: 'warning',
  });
}

function checkReconcile(step: CallStep, place: StepPlace): void {
  const { reconcile } = step.step;
  const { checking, report } = place;
  if (!reconcile) return;
  const tool = checking.tools.find(reconcile.tool);
  if (!tool) {
    report(['reconcile', 'tool'], {
      code: 'plan.unknown_tool',
      message: checking.describeUnknownTool(reconcile.tool),
    });
  } else if (tool.annotations?.readOnlyHint !== true) {
    report(['reconcile', 'tool'], {
      code: 'plan.reconcile_not_read_only',
      message: `The tool ${reconcile.tool} is to find out whether ${step.tool} has happened, and is not marked as read-only: it may change something itself`,
      severity: 'warning',
    });
  }
  const args = step.reconcileArgs;
  if (args) {
    checkReferences(args, { field: ['reconcile', 'args'], ...place });
    if (tool)
      checkArguments(tool, args, { ...place, name: reconcile.tool, field: ['reconcile', 'args'] });
  }
  const after = {
    ...place,
    locals: { ...place.locals, result: outputOfTool(reconcile.tool, checking.tools) },
  };
  const happened = readCondition(reconcile.happened);
  if (happened) checkCondition(happened, after, ['reconcile', 'happened']);
  if (reconcile.output === undefined) return;
  const { template } = readTemplate(reconcile.output);
  checkReferences(template, { field: ['reconcile', 'output'], ...after });
}

/** What cannot be read was found when the plan was. */
function readCondition(text: string): Condition | undefined {
  try {
    return parseCondition(text);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Every input of the sub-plan is bound or has a default, and what is bound fits. */
export function checkSubPlanInput(
  step: CompiledStep & { readonly kind: 'plan' },
  { checking, locals, report }: StepPlace,
): void {
  const value = checking.types.fill(step.input.node, locals);
  const { input } = checking.types.within(step);
  const fitting = { effort: new Effort(), testPattern: checking.testPattern };
  for (const mismatch of fitValue(value, input, fitting)) {
    reportMismatch(mismatch, { report, name: 'of the sub-plan', field: ['input'], noun: 'input' });
  }
}

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
