import { setTimeout as sleep } from 'node:timers/promises';
import { orAborted } from '../../kernel/index.ts';
import { ModelCallError, ModelTimeoutError } from '../errors.ts';
import type { ModelLimits } from '../model-limits.ts';
import type { TextModel, TextModelAnswer } from '../text-model.ts';

export interface Trying {
  readonly limits: ModelLimits;
  /** Ends waits and requests; its reason is thrown as it is. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1), so that those who failed together do not come back together. */
  readonly random: () => number;
  /** One of the attempts a model that is down gets. */
  readonly isDown: boolean;
  /** One request; it gets the signal that ends with the time of the call. */
  readonly attempt: (signal: AbortSignal) => Promise<TextModelAnswer>;
}

/** Asks one model until it answers, has failed for good, or the time of the call is over. */
export async function askWithRetries(model: TextModel, trying: Trying): Promise<TextModelAnswer> {
  const { limits, signal } = trying;
  signal.throwIfAborted();
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    const reason = `${limits.callMs} ms were over; models.timeout_seconds says how long it may take`;
    ended.abort(new ModelTimeoutError({ model: model.name, reason }));
  }, limits.callMs);
  try {
    // A model that does not listen to the signal is not waited for.
    return await orAborted(tryAgain(trying, ended.signal), ended.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Whatever is left of a request that was given up ends with it.
    ended.abort();
  }
}

async function tryAgain(trying: Trying, signal: AbortSignal): Promise<TextModelAnswer> {
  const attempts = trying.isDown ? 1 : trying.limits.attempts;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await trying.attempt(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelCallError) || !error.retryable || attempt >= attempts)
        throw error;
      const delayMs = delayAfter(error, attempt, trying);
      if (delayMs > trying.limits.maxRetryDelayMs) throw error;
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  }
}

/** What the model asked for, else twice as long each time, give or take a quarter. */
function delayAfter(error: ModelCallError, attempt: number, { limits, random }: Trying): number {
  const grown = limits.retryDelayMs * 2 ** (attempt - 1);
  const delayMs = Math.min(grown * (0.75 + random() / 2), limits.maxRetryDelayMs);
  return Math.max(delayMs, error.retryAfterMs ?? 0);
}
