import type { ErrorReport } from '../../contract/error/index.ts';
import type { Resolved } from '../engine/activity-data.ts';
import type { JournalEntry, SignalRecord } from '../engine/run-store.ts';
import type { PlannedRun, RunOutcome } from './run-outcome.ts';
import type { StepPicture } from './step-picture.ts';

/** What is known about a run without executing anything of it. */
export interface RecordedRun extends PlannedRun {
  readonly runId: string;
  readonly entries: readonly JournalEntry[];
  readonly signals: readonly SignalRecord[];
  readonly maxItems: number;
  /** Activities under way at once, where that is known: those beyond it are then not shown as running. */
  readonly maxParallel?: number;
}

/** How a run stands, as its journal tells it. Times are milliseconds since the epoch. */
export interface RunPicture {
  /**
   * By path, in the order of the plan: every step of the plan, elements of a `forEach` (`build[3]`)
   * after their step, steps of sub-plans (`outer/inner`, `outer[2]/inner`) after what they are within.
   */
  readonly steps: ReadonlyMap<string, StepPicture>;
  /** Empty once there is an outcome. */
  readonly waitingFor: readonly PictureWait[];
  /** What the run comes to by what is recorded; absent while something is still to happen. */
  readonly outcome?: RunOutcome;
}

/** A wait nobody has answered yet; sending `signal` answers it. */
export type PictureWait = {
  readonly step: string;
  readonly key: string;
  /** The name of the signal that ends the wait. */
  readonly signal: string;
} & (
  | {
      readonly kind: 'approval';
      readonly approvalId: string;
      readonly message: Resolved | null;
      readonly tool: string | null;
      readonly args: Resolved;
      /** Null when the engine has not noted it yet. */
      readonly expiresAt: number | null;
    }
  | { readonly kind: 'signal' }
  | { readonly kind: 'resolve'; readonly tool: string; readonly message: string }
  | { readonly kind: 'repair'; readonly error: ErrorReport }
);
