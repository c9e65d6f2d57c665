import type { ErrorReport } from '../../contract/error/index.ts';
import type { StepStatus } from '../../contract/run/index.ts';
import type { Held } from '../engine/activity-data.ts';

/**
 * How a step, or one element of a `forEach`, stands. Times are milliseconds since the epoch, null when
 * nobody knows.
 */
export interface StepPicture {
  readonly status: StepStatus;
  readonly tool: string | null;
  readonly held?: Held;
  /** The tool's own words about its result. */
  readonly text?: string;
  /** Also where a failed step counts as skipped (`onFailure: skip`), and while it waits for a repair. */
  readonly error?: ErrorReport;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly attempts: number;
  readonly items?: { readonly total: number; readonly done: number };
  readonly isCached?: true;
}
