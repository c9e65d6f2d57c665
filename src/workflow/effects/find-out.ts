import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../contract/plan/index.ts';
import { reconcileMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { reportError, withTimeLimit } from '../../kernel/index.ts';
import type { CallInput } from '../engine/activity-data.ts';
import { evaluateCondition, parseCondition } from '../plan/condition.ts';
import { parseTemplate, resolveTemplate, type Lookup } from '../plan/template.ts';
import { failureOfResult, resultValue } from './call-result.ts';
import type { EffectRow, EffectLimits, ApprovalPolicy, ToolCaller } from './effect-ports.ts';
import type { HeldValues } from './held-values.ts';
import { type StepCall, argumentsObject, contextOf } from './step-call.ts';

const firstPauseMs = 200;
const maxPauseMs = 5_000;

interface FindOutParts extends LookupParts {
  readonly clock: { now(): number };
  readonly limits: LookupParts['limits'] & Pick<EffectLimits, 'callMs' | 'orphanMs'>;
}

/** A call that was sent and whose answer is missing. */
interface LostCall extends Pick<EffectRow, 'id' | 'dispatchedAtMs'> {
  /** The server that was sent it ended with the process that sent it, which is dead. */
  readonly isOrphaned: boolean;
}

type FoundOut =
  | Extract<Lookedup, { readonly kind: 'happened' }>
  /** And will not happen any more. */
  | { readonly kind: 'not-happened' }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Finds out what became of a call, by the lookup the step names, else by the one its tool does.
 *
 * 1. "Not found" proves nothing while the call may still be under way: it is looked for again until it is
 *    found, or until nothing of it can come any more by the word of the plan, a trusted server, or the death
 *    of a server that ended with its caller.
 * 2. Otherwise it is looked for as long as a call may take, and is unknown then: it is not known when a server
 *    somewhere else stops working on a call that its caller left.
 * 3. Waiting goes by the time of this process: what the clock says may be another after a restart.
 *
 * Never throws but for a cancellation.
 */
export async function findOut(
  parts: FindOutParts,
  call: StepCall,
  lost: LostCall,
): Promise<FoundOut> {
  const { signal, onProgress } = call.request;
  const beganAt = performance.now();
  const { finalMs, searchMs } = patienceOf(parts, call, lost);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const passedMs = performance.now() - beganAt;
    const found = await lookUp(parts, call, lost.id);
    if (found.kind === 'happened' || found.isLastWord === true) return found;
    if (passedMs >= searchMs) {
      if (found.kind === 'unknown') return found;
      return finalMs === undefined ? { kind: 'unknown', why: notYet } : found;
    }
    onProgress({ progress: Math.round(passedMs), total: searchMs, message: looking });
    await pause(Math.min(pauseMs, searchMs - passedMs), undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

const looking = 'looking up whether the call took effect';
const notYet = 'nothing of it was found, but it may still be under way';

interface Patience {
  /** When "not found" is final; undefined for never. */
  readonly finalMs: number | undefined;
  readonly searchMs: number;
}

function patienceOf(
  { clock, limits }: FindOutParts,
  { input, found }: StepCall,
  { dispatchedAtMs, isOrphaned }: LostCall,
): Patience {
  const finalMs = input.reconcile?.finalAfterMs ?? (isOrphaned ? limits.orphanMs : undefined);
  if (finalMs !== undefined) return { finalMs, searchMs: finalMs };
  // The plan shortens how long we wait, not how long the server works.
  const limitMs = Math.max(input.timeoutMs ?? 0, found.timeoutMs ?? limits.callMs);
  const leftMs = dispatchedAtMs + limitMs - clock.now();
  return { finalMs, searchMs: Math.min(Math.max(leftMs, 0), limitMs) };
}

/** What one look at a call whose answer was lost says. */
type Lookedup =
  | { readonly kind: 'happened'; readonly value: unknown }
  /** Nothing of it was found. `isLastWord`: nothing of it will be. */
  | { readonly kind: 'not-happened'; readonly isLastWord?: boolean }
  /** `isLastWord`: looking again is of no use. */
  | { readonly kind: 'unknown'; readonly why: string; readonly isLastWord?: boolean };

interface LookupParts {
  readonly tools: ToolCaller;
  readonly values: HeldValues;
  readonly policy: ApprovalPolicy;
  readonly limits: Pick<EffectLimits, 'reconcileMs'>;
}

/** Looks once, by the lookup the step names, else by the one its tool does. Never throws but for a cancellation. */
async function lookUp(parts: LookupParts, call: StepCall, effectId: string): Promise<Lookedup> {
  const { request, input } = call;
  const ofTool = toolLookup(call);
  if (!input.reconcile && ofTool === undefined) {
    const why = 'neither the step nor the tool names a way to look it up';
    return { kind: 'unknown', why, isLastWord: true };
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
  if (found.isTrusted !== true) return false;
  const named: { repeat?: unknown } = Object(found.tool._meta?.[reconcileMetaKey]);
  return named.repeat === true;
}

interface LookupCall extends StepCall {
  readonly signal: AbortSignal;
  readonly effectId: string;
}

async function lookUpByStep(
  parts: LookupParts,
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

async function lookUpByTool(parts: LookupParts, call: LookupCall, tool: string): Promise<Lookedup> {
  const result = await ask(parts, call, { tool, args: { idempotency_key: call.effectId } });
  if ('kind' in result) return result;
  const { state, result: value }: { state?: unknown; result?: unknown } = Object(
    result.structuredContent,
  );
  if (state === 'happened') return { kind: 'happened', value: value ?? null };
  // A server that knows its calls by their keys may say so; a stranger may just not have got to it yet.
  if (state === 'not_happened') {
    return { kind: 'not-happened', isLastWord: call.found.isTrusted === true };
  }
  return { kind: 'unknown', why: `"${tool}" does not know it either`, isLastWord: true };
}

interface Question {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the lookup answers. One that the policy wants approved would be a way around approvals. */
async function ask(
  { tools, policy }: LookupParts,
  call: LookupCall,
  { tool, args }: Question,
): Promise<ToolResult | Lookedup> {
  const found = await tools.find(tool);
  if (!found) return { kind: 'unknown', why: `there is no tool "${tool}" to look it up with` };
  if (policy.needsApproval(found.tool)) {
    const why = `"${tool}" may not be called without approval`;
    return { kind: 'unknown', why, isLastWord: true };
  }
  const result = await tools.call(tool, args, contextOf(call, call.signal, call.effectId));
  const failure = failureOfResult({ name: tool, isTrusted: found.isTrusted }, result);
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
