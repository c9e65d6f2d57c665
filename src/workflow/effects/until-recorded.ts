import type { ActivityRequest } from '../engine/run-scope.ts';

/** Waits for all that an activity rests on. Throws the signal's reason where the run was stopped meanwhile. */
export async function untilRecorded({ recorded, signal }: ActivityRequest): Promise<void> {
  await recorded?.();
  signal.throwIfAborted();
}
