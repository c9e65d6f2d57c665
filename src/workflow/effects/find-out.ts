import { setTimeout as pause } from 'node:timers/promises';
import type { EffectRow } from './effect-store.ts';
import type { EffectLimits } from './effect-limits.ts';
import { lookUp, type Lookedup, type LookupParts } from './look-up.ts';
import type { StepCall } from './step-call.ts';

const firstPauseMs = 200;
const maxPauseMs = 5_000;

export interface FindOutParts extends LookupParts {
  readonly clock: { now(): number };
  readonly limits: LookupParts['limits'] & Pick<EffectLimits, 'callMs' | 'orphanMs'>;
}

/** A call that was sent and whose answer is missing. */
export interface LostCall extends Pick<EffectRow, 'id' | 'dispatchedAtMs'> {
  /** The server that was sent it ended with the process that sent it, which is dead. */
  readonly isOrphaned: boolean;
}

export type FoundOut =
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
 * 2. Otherwise it is looked for as long as a call may take, and is unknown then: nobody knows when a server
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
