import type { Json } from '../../contract/plan/index.ts';
import type { EffectPreview } from '../../contract/tool/index.ts';
import type { ProcessIdentity } from '../../kernel/index.ts';

/**
 * dispatched: sent off, and no answer was noted · unknown: the same, and the run was told so · succeeded ·
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
  /** How often it was dispatched; who wants to dispatch it again names the last one. */
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
  /** What the step is told again after a crash; null until it succeeded. */
  readonly outcome: Json;
}

/** void: what was approved is not what was to be done, so nothing may be done with it. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'void';

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
 * 1. Between what `decide` sees and what it writes nobody else writes: of two who race, the second sees
 *    what the first wrote.
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
