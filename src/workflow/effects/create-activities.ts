import { agentBudgetMetaKey } from '../../contract/agents/index.ts';
import type { Artifacts } from '../../contract/artifact/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { PreviewEffect } from '../../contract/tool/index.ts';
import {
  isGone,
  ownIdentity,
  type Clock,
  type FaultPoint,
  type Log,
  type ProcessIdentity,
  reportError,
} from '../../kernel/index.ts';
import type {
  CallInput,
  CallOutcome,
  Held,
  LookInput,
  LookOutcome,
} from '../engine/activity-data.ts';
import { type ActivityRequest, type RunActivity, depthMetaKey } from '../engine/run-scope.ts';
import { NotAListError } from '../interpret/errors.ts';
import { pathOfKey } from '../interpret/keys.ts';
import { evaluateCondition, parseCondition } from '../plan/condition.ts';
import { ReferenceToNothingError } from '../plan/errors.ts';
import { askApproval } from './ask-approval.ts';
import { asJson, callStep } from './call-step.ts';
import { createEffectLedger } from './effect-ledger.ts';
import {
  type ApprovalPolicy,
  defaultEffectLimits,
  type EffectLimits,
  type EffectStore,
  type StepCache,
  type StepSpan,
  type StepTracer,
  type ToolCaller,
} from './effect-ports.ts';
import { HeldValues, type ValueUser } from './held-values.ts';
import type { ActivityParts, Processes } from './step-call.ts';

export interface ActivitiesParts {
  readonly tools: ToolCaller;
  readonly artifacts: Artifacts;
  readonly effects: EffectStore;
  readonly cache: StepCache;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  /** Without one no spans are recorded, and the trace of the run goes on in its calls. */
  readonly tracer?: StepTracer;
  /** Shows what a call would do before it is approved; without one only its arguments are shown. */
  readonly preview?: PreviewEffect;
  readonly limits?: Partial<EffectLimits>;
  /** What the ends of effects survive; `normal` when not given. */
  readonly durability?: 'normal' | 'full';
  /** Those of this machine when not given. */
  readonly processes?: Processes;
}

/** What steps do, for whichever engine executes them. */
export function createActivities(given: ActivitiesParts): RunActivity {
  const { artifacts, tracer, effects, durability = 'normal', ...others } = given;
  const limits = { ...defaultEffectLimits, ...given.limits };
  const parts: ActivityParts = {
    ...others,
    effects,
    ledger: createEffectLedger(effects, durability),
    values: new HeldValues(artifacts, limits),
    limits,
    tracer,
    processes: given.processes ?? ownProcesses(),
  };
  return (request) => {
    switch (request.activity) {
      case 'call':
        return asJson(call(parts, request));
      case 'approve':
        return asJson(askApproval(parts, request));
      case 'look':
        return asJson(look(parts, request));
    }
  };
}

function ownProcesses(): Processes {
  let identity: Promise<ProcessIdentity> | undefined;
  return { own: () => (identity ??= ownIdentity()), isGone };
}

function call(parts: ActivityParts, request: ActivityRequest): Promise<CallOutcome> {
  const { tracer } = parts;
  const carried = carriedMeta(request.meta);
  if (!tracer) return callStep(parts, request, carried);
  // Made by the interpreter for this activity.
  const { step, attempt, tool } = request.input as unknown as CallInput;
  const start = {
    name: `step ${step}`,
    kind: 'internal',
    attributes: {
      'tutti.run.id': request.runId,
      'tutti.step.attempt': attempt,
      'gen_ai.tool.name': tool,
    },
    parentMeta: request.meta ?? {},
    // The engine begins a step in the tick in which another step, or another run, was committed.
    isFromLoop: true,
    caller: { id: request.callerId },
  } as const;
  return tracer.traced(start, async (span) => {
    try {
      const outcome = await callStep(parts, request, { ...carried, ...span.outgoingMeta() });
      describe(span, outcome);
      return outcome;
    } catch (error) {
      // Only a cancellation comes here.
      span.cancel();
      throw error;
    }
  });
}

function describe(span: StepSpan, outcome: CallOutcome): void {
  const { kind } = outcome;
  const isCached = kind === 'succeeded' && outcome.isCached === true;
  span.setAttributes({
    'tutti.step.outcome': kind,
    ...(isCached ? { 'tutti.step.cached': true } : {}),
  });
  if (kind === 'failed') {
    span.setAttributes({ 'error.type': outcome.error.code });
    span.fail(outcome.error.message);
  }
  if (kind === 'unknown') span.fail(outcome.message);
}

const traceKeys = ['traceparent', 'tracestate', 'baggage'] as const;

/** What of a run's `_meta` its calls carry: the trace, and that what they start is one run deeper. */
function carriedMeta(meta: ActivityRequest['meta']): Readonly<Record<string, Json>> {
  if (meta === undefined) return {};
  const carried: Record<string, Json> = {};
  for (const key of traceKeys) {
    const value = meta[key];
    if (typeof value === 'string') carried[key] = value;
  }
  const depth = meta[depthMetaKey];
  if (typeof depth === 'number') carried[depthMetaKey] = depth + 1;
  const budget = meta[agentBudgetMetaKey];
  // It was stored as JSON.
  if (budget !== undefined) carried[agentBudgetMetaKey] = budget as Json;
  return carried;
}

/** Evaluates a condition, or counts a list, over values that lie in artifacts. */
async function look({ values }: ActivityParts, request: ActivityRequest): Promise<LookOutcome> {
  // Made by the interpreter for this activity.
  const input = request.input as unknown as LookInput;
  const user = { caller: { id: request.callerId }, step: pathOfKey(request.key) };
  try {
    request.signal.throwIfAborted();
    if (input.kind === 'count') {
      const list = await values.load(input.list, user);
      if (Array.isArray(list)) return { kind: 'count', count: list.length };
      throw new NotAListError(user.step, list === null ? 'null' : `a ${typeof list}`);
    }
    const condition = parseCondition(input.text);
    const loaded = new Map<string, Held>();
    for (const [root, held] of Object.entries(input.held)) {
      const value = await loadIfThere(values, held, user);
      if (value) loaded.set(root, value);
    }
    const holds = evaluateCondition(condition, (root) => loaded.get(root)) === true;
    return { kind: 'condition', holds };
  } catch (error) {
    request.signal.throwIfAborted();
    return { kind: 'failed', error: reportError(error) };
  }
}

/** In a condition, nothing is a value like others. */
async function loadIfThere(
  values: ActivityParts['values'],
  held: Held,
  user: ValueUser,
): Promise<Held | undefined> {
  try {
    return { value: await values.load(held, user) };
  } catch (error) {
    if (error instanceof ReferenceToNothingError) return undefined;
    throw error;
  }
}

/** Where a step may die, for who tests that it may. */
export const effectFaultPoints = [
  'effects.begin.before',
  'effects.begin.after',
  'effects.call.after',
  'effects.artifact.after',
  'effects.settle.after',
  'effects.reconcile.before',
  'effects.reconcile.after',
  'effects.ask.before',
  'effects.ask.after',
] as const;
