import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { CallContext, CallFacts } from '../../contract/server/index.ts';
import type { Tool, ToolResult, EffectPreview } from '../../contract/tool/index.ts';
import { digestJson, type ProcessIdentity } from '../../kernel/index.ts';
import type { Held } from '../engine/activity-data.ts';

export interface FoundTool {
  readonly server: string;
  readonly tool: Tool;
  /** Whether what its server says about it counts where it asks for less care. */
  readonly isTrusted?: boolean;
  /** Whether it is one of this program. */
  readonly isOwn?: boolean;
  /** Whether its server ends with the process that called it, so that no call outlives that for long. */
  readonly endsWithCaller?: boolean;
  /** How long a call may go without progress. */
  readonly timeoutMs?: number;
}

/** Tells whether a server has made another tool of one; our own change with the program alone. */
export function toolDigest({ tool, isOwn }: FoundTool): string | null {
  return isOwn === true ? null : digestJson(tool);
}

/** The tools of the fleet, by their dotted names (`server.tool`). */
export interface ToolCaller {
  /** At once where the tool is known already: every step asks. */
  find(name: string): FoundTool | undefined | Promise<FoundTool | undefined>;
  /** Throws `AppError`s and the reason of the signal; a tool's own failure is a result with `isError`. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<ToolResult>;
}

/**
 * dispatched: sent off, and no answer was noted · unknown: the same, and recorded in the run · succeeded ·
 * failed: it certainly did not happen.
 */
export type EffectState = 'dispatched' | 'unknown' | 'succeeded' | 'failed';

/** The last word about the effect of one step; written before the call is sent. */
export interface EffectRow {
  /** What the call carries as its idempotency key. */
  readonly id: string;
  readonly runId: string;
  readonly step: string;
  /** How often the step had been forgotten when it was dispatched. */
  readonly generation: number;
  readonly attempt: number;
  /** How often it was dispatched; a further dispatch names the last one. */
  readonly dispatch: number;
  readonly state: EffectState;
  readonly callerId: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly approvalId: string | null;
  readonly dispatchedAtMs: number;
  /** The process that sent it; null where that was not written down. */
  readonly dispatcher: ProcessIdentity | null;
  readonly settledAtMs: number | null;
  /** Returned to the step again after a crash; null until it succeeded. */
  readonly outcome: Json;
}

/** void: what was approved is not what was to be done, so nothing may be done with it. */
type ApprovalState = 'pending' | 'approved' | 'denied' | 'void';

export interface ApprovalRow {
  readonly approvalId: string;
  readonly callerId: string;
  readonly runId: string;
  readonly step: string;
  /** Null, like `tool`, for a gate without a call. */
  readonly server: string | null;
  /** `server.tool`. */
  readonly tool: string | null;
  readonly argumentsDigest: string;
  /** For the person who decides; cut to a text where they are long. */
  readonly arguments: Json;
  readonly policyVersion: string;
  /** Of the tool as it was when this was asked; null for a gate, our own tools, and where it was not written down. */
  readonly toolDigest: string | null;
  readonly message: string;
  /** What the call would do, for the person who decides; null where the tool cannot show it. */
  readonly preview: EffectPreview | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly state: ApprovalState;
  readonly decidedBy: string | null;
  readonly decidedAtMs: number | null;
  readonly reason: string | null;
  /** Id of the effect it was used for. */
  readonly usedBy: string | null;
}

/** The rows of one step of one run. */
export interface EffectPlace {
  readonly runId: string;
  readonly step: string;
}

export interface StepRows {
  readonly effect: EffectRow | undefined;
  /** Oldest first. */
  readonly approvals: readonly ApprovalRow[];
}

/** What to write, if anything, all of it or nothing; rows replace those with the same key. */
export interface RowChange<Result> {
  readonly effect?: EffectRow;
  readonly approval?: ApprovalRow;
  /** Sent to the run with the rows; the first value of a name counts. */
  readonly signal?: { readonly name: string; readonly payload: Json };
  readonly result: Result;
}

export interface RowRequest extends EffectPlace {
  /** What is written survives the death of every process; `full`: the loss of power, too. */
  readonly durability: 'normal' | 'full';
}

/**
 * Where effects and approvals are kept. Several processes have it open at once.
 *
 * 1. No other write happens between what `decide` sees and what it writes: of two racing calls, the second
 *    sees what the first wrote.
 * 2. What `change` returned for is kept. What `decide` throws comes out, and nothing of it was written.
 * 3. `decide` depends on nothing but what it is given: it may be called more than once.
 */
export interface EffectStore {
  change<Result>(
    request: RowRequest,
    decide: (rows: StepRows) => RowChange<Result>,
  ): Promise<Result>;
  /** The approvals of a run, oldest first. */
  approvals(runId: string): Promise<readonly ApprovalRow[]>;
  approval(approvalId: string): Promise<ApprovalRow | undefined>;
  /** The effects of a run, in the order of their steps' paths. */
  effects(runId: string): Promise<readonly EffectRow[]>;
}

/** Read-only calls with the same key give the same result, as long as it is kept. */
export interface CacheKey {
  readonly callerId: string;
  /** `server.tool`. */
  readonly tool: string;
  readonly argumentsDigest: string;
}

export interface CachedResult {
  readonly held: Held;
  readonly storedAtMs: number;
}

/** Results of read-only calls, for all runs of the same caller. Losing some costs time only. */
export interface StepCache {
  find(key: CacheKey): Promise<CachedResult | undefined>;
  /** Replaces what was there. */
  put(key: CacheKey, result: CachedResult): Promise<void>;
  /** Removes what is older, then the oldest of what is too much; gives how many went. */
  prune(bounds: { readonly beforeMs: number; readonly maxEntries: number }): Promise<number>;
}

interface StepSpanStart {
  /** `step PATH`. */
  readonly name: string;
  readonly kind: 'internal';
  readonly attributes: Readonly<Record<string, string | number>>;
  /** `_meta` of the run: may carry the `traceparent` it belongs to. */
  readonly parentMeta: Readonly<Record<string, unknown>>;
  readonly isFromLoop?: boolean;
  readonly caller: Caller;
}

export interface StepSpan {
  setAttributes(attributes: CallFacts): void;
  fail(message: string): void;
  cancel(): void;
  /** Trace context for the call of the step, to be merged into its `_meta`. */
  outgoingMeta(): object;
}

/** The port to tracing: every step runs inside a span. */
export interface StepTracer {
  traced<Result>(start: StepSpanStart, work: (span: StepSpan) => Promise<Result>): Promise<Result>;
}

/** Which calls need approval beyond those for which the plan itself asks. */
export interface ApprovalPolicy {
  /** Approvals given under another version do not count. */
  readonly version: string;
  needsApproval(tool: Tool): boolean;
}

type ApprovalMode = 'plan' | 'destructive' | 'effects';

/**
 * plan: only where the plan asks · destructive: also for tools that may destroy something, which is
 * every tool that does not deny it · effects: for every tool that is not read-only.
 */
export function approvalPolicy(mode: ApprovalMode): ApprovalPolicy {
  return { version: `1:${mode}`, needsApproval: (tool) => asks(mode, tool) };
}

/** What a plan says about repeating a call does not count: the one who wrote the plan may be a model. */
function asks(mode: ApprovalMode, { annotations }: Tool): boolean {
  if (mode === 'plan' || annotations?.readOnlyHint === true) return false;
  return mode === 'effects' || annotations?.destructiveHint !== false;
}

/** read: changes nothing · idempotent: twice is the same as once · once: a second time is a second effect. */
export type Repeatability = 'read' | 'idempotent' | 'once';

/** What the plan says counts before what the tool does not say; what the tool denies stays denied. */
export function repeatabilityOf({ annotations }: Tool, said?: Repeatability): Repeatability {
  const { readOnlyHint, idempotentHint } = annotations ?? {};
  if (said === undefined) {
    if (readOnlyHint === true) return 'read';
    return idempotentHint === true ? 'idempotent' : 'once';
  }
  // The hint says nothing about tools that only read.
  if (idempotentHint === false && readOnlyHint !== true) return 'once';
  return said === 'read' && readOnlyHint === false ? 'idempotent' : said;
}

/** Sizes are bytes of JSON. */
export interface EffectLimits {
  /** Larger values are kept as artifacts. */
  readonly inlineBytes: number;
  /** Arguments of one call. */
  readonly argumentBytes: number;
  /** The result of one call. */
  readonly resultBytes: number;
  /** An artifact whose value is filled into arguments or looked at. */
  readonly loadBytes: number;
  /** Parsed artifacts kept in memory, all together. */
  readonly cachedBytes: number;
  /** Arguments shown to the person who decides; longer ones are cut. */
  readonly shownArgumentBytes: number;
  /** How long an approval may be waited for where the plan does not say. */
  readonly approvalMs: number;
  /** How long one look at what became of a call may take. */
  readonly reconcileMs: number;
  /** How long a call may take where its server's entry does not say: so long its effect is looked for. */
  readonly callMs: number;
  /** How long after the death of a process the servers it started may still be at work. */
  readonly orphanMs: number;
}

export const defaultEffectLimits: EffectLimits = {
  inlineBytes: 65_536,
  argumentBytes: 16 * 1_048_576,
  resultBytes: 64 * 1_048_576,
  loadBytes: 64 * 1_048_576,
  cachedBytes: 32 * 1_048_576,
  shownArgumentBytes: 16_384,
  approvalMs: 7 * 86_400_000,
  reconcileMs: 60_000,
  callMs: 60_000,
  // Ours are ended within two seconds.
  orphanMs: 2_500,
};
