import type { Json } from '../../contract/plan/index.ts';
import type { EffectRow } from '../effects/index.ts';
import type { CallOutcome } from '../engine/activity-data.ts';
import type { LeftEffect } from '../interpret/index.ts';

/** Effects that were sent, as their steps are to be told of them; those that certainly did not happen are none. */
export function leftEffects(rows: readonly EffectRow[]): readonly LeftEffect[] {
  return rows.flatMap((row) => {
    const { step, generation, state } = row;
    if (state === 'failed') return [];
    const isHappened = state === 'succeeded';
    return [{ step, generation, isHappened, outcome: isHappened ? row.outcome : unknown(row) }];
  });
}

function unknown({ id, tool, step, runId, dispatchedAtMs }: EffectRow): Json {
  return {
    kind: 'unknown',
    effectId: id,
    message: `Run ${runId} called ${tool} for its step "${step}", and what became of that is not known`,
    startedAt: dispatchedAtMs,
    endedAt: dispatchedAtMs,
  } satisfies CallOutcome;
}
