import type { PreviewEffect } from '../../contract/tool/index.ts';
import type { Clock, FaultPoint, Log, ProcessIdentity } from '../../kernel/index.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import type { EffectLedger } from './effect-ledger.ts';
import type { EffectLimits } from './effect-limits.ts';
import type { EffectStore } from './effect-store.ts';
import type { HeldValues } from './held-values.ts';
import type { StepCache } from './step-cache.ts';
import type { StepTracer } from './step-tracer.ts';
import type { ToolCaller } from './tool-caller.ts';

/** What activities need of the world around them, and what they share. */
export interface ActivityParts {
  readonly tools: ToolCaller;
  readonly effects: EffectStore;
  readonly ledger: EffectLedger;
  readonly values: HeldValues;
  readonly cache: StepCache;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly limits: EffectLimits;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly tracer: StepTracer | undefined;
  /** Shows what a call would do before it is approved. */
  readonly preview?: PreviewEffect;
}

/** Who this process is, and whether another is certainly dead. */
export interface Processes {
  own(): ProcessIdentity | Promise<ProcessIdentity>;
  isGone(process: ProcessIdentity): Promise<boolean>;
}
