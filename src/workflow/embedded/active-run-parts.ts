import type { FaultPoint, Log, Timers } from '../../kernel/index.ts';
import type { RunActivity, RunScope } from '../engine/run-scope.ts';
import type { Lease, Release, RunRecord, WholeRun } from '../engine/run-store.ts';
import type { ActiveRun } from './active-run.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { EngineLimits, RunEnd } from './embedded-engine.ts';

/** How this process came to be through with a run. */
export type Departure =
  | { readonly kind: 'ended' }
  /** The lease is somebody else's: there is nothing to give back. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'idle' | 'closed'; readonly release: Release };

export interface ActiveRunParts {
  readonly commits: CommitQueue;
  readonly interpret: (run: RunRecord, scope: RunScope) => Promise<RunEnd>;
  readonly runActivity: RunActivity;
  readonly timers: Timers;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly limits: EngineLimits;
  readonly onDeparture: (run: ActiveRun, departure: Departure) => void;
  readonly onProgress: (runId: string) => void;
  /** The lease may be over: nothing begins until it is renewed. */
  readonly onDoubt: () => void;
}

export interface LoadedRun extends WholeRun {
  readonly lease: Lease;
}
