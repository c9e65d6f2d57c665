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
} from '../../kernel/index.ts';
import type { CallInput, CallOutcome } from '../engine/activity-data.ts';
import type { ActivityRequest, RunActivity } from '../engine/run-scope.ts';
import { depthMetaKey } from '../engine/run-depth.ts';
import type { ActivityParts, Processes } from './activity-parts.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { askApproval } from './ask-approval.ts';
import { asJson, callStep } from './call-step.ts';
import { createEffectLedger } from './effect-ledger.ts';
import { defaultEffectLimits, type EffectLimits } from './effect-limits.ts';
import type { EffectStore } from './effect-store.ts';
import { HeldValues } from './held-values.ts';
import { look } from './look.ts';
import type { StepCache } from './step-cache.ts';
import type { StepSpan, StepTracer } from './step-tracer.ts';
import type { ToolCaller } from './tool-caller.ts';

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
  return carried;
}
