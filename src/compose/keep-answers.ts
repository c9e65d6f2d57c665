import type { Artifacts } from '../contract/artifact/index.ts';
import type { Clock, Log } from '../kernel/index.ts';
import type { KeepText } from '../models/index.ts';

export interface KeepAnswersParts {
  readonly artifacts: () => Promise<Pick<Artifacts, 'put' | 'release'>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What belongs to neither a run nor a session, as it was kept before there were months. */
const ownerless = 'model-answers';
/** This one and two whole ones. */
const monthsKept = 3;
/** Who had no such answer for longer than this keeps the older ones. */
const monthsLookedBack = 24;

/**
 * Answers of models that could not be used go with the run or session they belong to. Those of calls outside of
 * both go with their month, when one comes more than two months later.
 */
export function keepAnswersIn({ artifacts, clock, log }: KeepAnswersParts): KeepText {
  return async (caller, content, budgets) => {
    const opened = await artifacts();
    const scope = budgets.find((one) => one.startsWith('run:')) ?? budgets[0];
    const nowMs = clock.now();
    const runId = scope === undefined ? monthOf(nowMs, 0) : scope.slice(scope.indexOf(':') + 1);
    const lineage = { runId, step: 'model', tool: null, argumentsDigest: null, inputs: [] };
    const mediaType = 'text/plain; charset=utf-8';
    const kept = await opened.put(caller, { content, mediaType, lineage });
    if (scope === undefined) {
      await opened.release(caller, outdated(nowMs)).catch((error: unknown) => {
        log.warn('old answers of models could not be removed', { error });
      });
    }
    return kept.id;
  };
}

function outdated(nowMs: number): readonly string[] {
  const before = Array.from({ length: monthsLookedBack }, (_, n) => monthOf(nowMs, monthsKept + n));
  return [ownerless, ...before];
}

/** "model-answers 2026-11", so many months ago. */
function monthOf(nowMs: number, ago: number): string {
  const now = new Date(nowMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
  return `${ownerless} ${month.toISOString().slice(0, 7)}`;
}
