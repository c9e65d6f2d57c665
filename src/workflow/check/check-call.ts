import type { Tool } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import { parseCondition, type CompiledStep, type Condition, type Template } from '../plan/index.ts';
import { readTemplate } from '../plan/template.ts';
import { repeatabilityOf } from '../effects/repeatability.ts';
import { checkCondition } from './check-condition.ts';
import { checkReferences, type StepPlace, type StepReport } from './step-place.ts';
import { outputOfTool } from './plan-types.ts';
import { fitValue, unlistedFields } from './schema/fit-value.ts';
import { showPath, type Mismatch } from './schema/mismatch.ts';
import { Effort, isRecord, nodeOf } from './schema/schema-node.ts';

type CallStep = CompiledStep & { readonly kind: 'call' };

export function checkCall(step: CallStep, place: StepPlace): void {
  const { report, checking } = place;
  const tool = checking.tools.find(step.tool);
  if (tool) {
    checkArguments(tool, step.args, { ...place, name: step.tool, field: ['args'] });
    checkEffect(step, tool, place);
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
export function reportMismatch(
  mismatch: Mismatch,
  { report, name, field, noun }: MismatchPlace,
): void {
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
