import { setTimeout as pause } from 'node:timers/promises';
import type { FaceParts } from './faces.ts';
import type { InstancesHere } from './instances.ts';

/** Minimum time for balancers to see that this instance takes nothing new. */
const drainShownMs = 5_000;
const secondMs = 1_000;

/** What it has begun is waited for once, however often it is asked to end. */
export function drainOnce(
  parts: readonly { drain(limitMs: number): Promise<unknown> }[],
  limitMs: number,
): () => { readonly endsAtMs: number; readonly isOver: Promise<unknown> } {
  let drain: ReturnType<ReturnType<typeof drainOnce>> | undefined;
  return () => {
    drain ??= {
      endsAtMs: performance.now() + limitMs,
      isOver: Promise.all(parts.map((part) => part.drain(limitMs))),
    };
    return drain;
  };
}

interface Membership {
  readonly drained: Promise<void>;
  leave(): Promise<void>;
}

export function joinInstances(
  {
    instances,
    log,
    settings,
  }: Pick<FaceParts, 'log' | 'settings'> & {
    readonly instances: Pick<InstancesHere, 'join'>;
  },
  {
    drain,
    ...serving
  }: Omit<Parameters<InstancesHere['join']>[0], 'drain'> & {
    readonly drain: () => Promise<unknown>;
  },
): Membership {
  const drained = Promise.withResolvers<void>();
  const shownMs = Math.min(drainShownMs, settings.server.drain_seconds * secondMs);
  const leave = instances.join({
    ...serving,
    drain: () => {
      log.info('draining this instance');
      const seen = pause(shownMs, undefined, { ref: false });
      void Promise.all([drain(), seen]).then(() => drained.resolve());
    },
  });
  return { drained: drained.promise, leave };
}
