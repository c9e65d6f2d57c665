import type { Opening, StartConditions } from '../../contract/opening/index.ts';
import type { Timers } from '../../kernel/index.ts';
import { conditionsDigest, type Call } from './conditions-digest.ts';
import { answerKey, writeKeptAnswers, type KeptAnswers } from './kept-answers.ts';
import { firstLists, resultOf } from './result-line.ts';

interface KeeperParts {
  readonly folder: string;
  readonly call: Call;
  readonly conditions: StartConditions;
  /** What was kept before. */
  readonly kept: KeptAnswers | undefined;
  readonly timers: Timers;
}

/** Answers are written when no other followed for so long. */
const keepAfterMs = 500;

/**
 * Keeps what the system answers to the first requests of a client, unless something it depends on has
 * changed until it is written: an answer may be of before the change.
 */
export function createKeeper(parts: KeeperParts): Opening['onAnswer'] {
  const { folder, call, conditions, kept, timers } = parts;
  const digest = conditionsDigest(conditions, call);
  const known = kept?.digest === digest ? kept?.results : undefined;
  const fresh: Record<string, string> = {};
  let opening: unknown;
  let stopWaiting = (): void => {};

  const keep = (): void => {
    const isNews = Object.entries(fresh).some(([key, result]) => known?.[key] !== result);
    if (!isNews || digest === undefined || conditionsDigest(conditions, call) !== digest) return;
    try {
      writeKeptAnswers(folder, call, { conditions, digest, results: { ...known, ...fresh } });
    } catch {
      // The next start takes longer, and nothing else.
    }
  };

  return ({ id, method, params }, line) => {
    if (method === 'initialize') opening ??= params;
    else if (!firstLists.includes(method)) return;
    const result = resultOf(id, line);
    if (digest === undefined || opening === undefined || result === undefined) return;
    const key = answerKey(opening, method, params);
    if (key === undefined) return;
    fresh[key] = result;
    stopWaiting();
    stopWaiting = timers.after(keepAfterMs, keep);
  };
}
