import type { Json } from '../../contract/plan/index.ts';
import { reconcileMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { reportError, withTimeLimit } from '../../kernel/index.ts';
import { evaluateCondition, parseCondition } from '../plan/condition.ts';
import { parseTemplate, resolveTemplate, type Lookup } from '../plan/template.ts';
import type { CallInput } from '../engine/activity-data.ts';
import { failureOfResult } from './call-failure.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import type { EffectLimits } from './effect-limits.ts';
import type { HeldValues } from './held-values.ts';
import { resultValue } from './result-value.ts';
import { argumentsObject, contextOf, type StepCall } from './step-call.ts';
import type { ToolCaller } from './tool-caller.ts';

/** What became of a call whose answer was lost. */
export type Lookedup =
  | { readonly kind: 'happened'; readonly value: unknown }
  | { readonly kind: 'not-happened' }
  | { readonly kind: 'unknown'; readonly why: string };

export interface ReconcileParts {
  readonly tools: ToolCaller;
  readonly values: HeldValues;
  readonly policy: ApprovalPolicy;
  readonly limits: Pick<EffectLimits, 'reconcileMs'>;
}

/**
 * Finds out what became of a call, by the lookup the step names, else by the one its tool does. Never
 * throws but for a cancellation: what cannot be found out is unknown.
 */
export async function reconcile(
  parts: ReconcileParts,
  call: StepCall,
  effectId: string,
): Promise<Lookedup> {
  const { request, input } = call;
  const ofTool = toolLookup(call);
  if (!input.reconcile && ofTool === undefined) {
    return { kind: 'unknown', why: 'neither the step nor the tool names a way to look it up' };
  }
  const limit = {
    what: `Finding out what became of step "${input.step}"`,
    limitMs: parts.limits.reconcileMs,
    signal: request.signal,
  };
  try {
    return await withTimeLimit(limit, (signal) =>
      input.reconcile
        ? lookUpByStep(parts, { ...call, signal, effectId }, input.reconcile)
        : lookUpByTool(parts, { ...call, signal, effectId }, ofTool ?? ''),
    );
  } catch (error) {
    request.signal.throwIfAborted();
    return { kind: 'unknown', why: `looking it up failed: ${reportError(error).message}` };
  }
}

/** Whether a call that was sent before may be sent again under its key, because it is the same one then. */
export function isKnownByKey({ found }: StepCall): boolean {
  const named: { repeat?: unknown } = Object(found.tool._meta?.[reconcileMetaKey]);
  return named.repeat === true;
}

interface LookupCall extends StepCall {
  readonly signal: AbortSignal;
  readonly effectId: string;
}

async function lookUpByStep(
  parts: ReconcileParts,
  call: LookupCall,
  spec: NonNullable<CallInput['reconcile']>,
): Promise<Lookedup> {
  const user = { caller: call.caller, step: call.input.step };
  const args = await parts.values.fill(spec.args, user);
  const result = await ask(parts, call, { tool: spec.tool, args: argumentsObject(args) });
  if ('kind' in result) return result;
  // What a tool gives is JSON, or was turned into it on the way.
  const value = resultValue(result) as Json;
  const lookup: Lookup = (root) => (root === 'result' ? { value } : undefined);
  if (evaluateCondition(parseCondition(spec.happened), lookup) !== true) {
    return { kind: 'not-happened' };
  }
  if (spec.output === undefined) return { kind: 'happened', value };
  return {
    kind: 'happened',
    value: resolveTemplate(parseTemplate(spec.output), lookup).value,
  };
}

async function lookUpByTool(
  parts: ReconcileParts,
  call: LookupCall,
  tool: string,
): Promise<Lookedup> {
  const result = await ask(parts, call, { tool, args: { idempotency_key: call.effectId } });
  if ('kind' in result) return result;
  const { state, result: value }: { state?: unknown; result?: unknown } = Object(
    result.structuredContent,
  );
  if (state === 'happened') return { kind: 'happened', value: value ?? null };
  if (state === 'not_happened') return { kind: 'not-happened' };
  return { kind: 'unknown', why: `"${tool}" does not know it either` };
}

interface Question {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the lookup answers. One that the policy wants approved would be a way around approvals. */
async function ask(
  { tools, policy }: ReconcileParts,
  call: LookupCall,
  { tool, args }: Question,
): Promise<ToolResult | Lookedup> {
  const found = await tools.find(tool);
  if (!found) return { kind: 'unknown', why: `there is no tool "${tool}" to look it up with` };
  if (policy.needsApproval(found.tool)) {
    return { kind: 'unknown', why: `"${tool}" may not be called without approval` };
  }
  const result = await tools.call(tool, args, contextOf(call, call.signal, call.effectId));
  const failure = failureOfResult(tool, result);
  if (!failure) return result;
  return { kind: 'unknown', why: `"${tool}" failed: ${failure.error.message}` };
}

/** The dotted name of the lookup that the tool names: one of its own server. */
function toolLookup({ input, found }: StepCall): string | undefined {
  const named: { tool?: unknown } = Object(found.tool._meta?.[reconcileMetaKey]);
  if (typeof named.tool !== 'string' || named.tool === '') return undefined;
  const suffix = `.${found.tool.name}`;
  const server = input.tool.endsWith(suffix) ? input.tool.slice(0, -suffix.length) : found.server;
  return `${server}.${named.tool}`;
}
