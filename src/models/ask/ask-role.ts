import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelCall, ModelRole, ModelText, ModelUsage } from '../../contract/model/index.ts';
import { AppError, countTokens, type Semaphore, type Log, orAborted } from '../../kernel/index.ts';
import type { Budgets, Charge } from '../budget/budgets.ts';
import { costOf, type ModelPrice, noSpending, spendingOf } from '../budget/spending-store.ts';
import {
  AllModelsFailedError,
  BudgetExceededError,
  type FailedModel,
  ModelCallError,
  NoModelError,
} from '../errors.ts';
import type { ModelLimits, TextModel, TextModelAnswer, TextModelRequest } from '../text-model.ts';
import type { CoolDowns, ModelPool } from './model-pool.ts';
import { Output, withoutThinking } from './without-thinking.ts';

export interface AskParts {
  readonly pool: ModelPool;
  readonly semaphore: Semaphore;
  readonly budgets: Budgets;
  readonly coolDowns: CoolDowns;
  readonly limits: ModelLimits;
  readonly priceOf: (model: string) => ModelPrice;
  readonly random: () => number;
  readonly log: Log;
}

interface RoleRequest {
  readonly role: ModelRole;
  readonly request: TextModelRequest;
  readonly call: ModelCall;
}

/** Messages are wrapped in a few tokens each. */
const tokensPerMessage = 4;
/** Our count is rather too high; beyond this a request surely does not fit. */
const surelyTooLong = 2;

/** Asks the models of a role one after the other until one answers. */
export async function askRole(parts: AskParts, asked: RoleRequest): Promise<ModelText> {
  const { role, call } = asked;
  const failures: FailedModel[] = [];
  const output = new Output(call);
  for await (const { model, source } of parts.pool.inOrder(role, call.client)) {
    try {
      const answer = await parts.semaphore.pass(
        () => askModel(parts, { ...asked, model, output }),
        call.signal,
      );
      parts.coolDowns.answered(model.name);
      return answer;
    } catch (error) {
      call.signal.throwIfAborted();
      if (!mayOthersDoBetter(error)) throw error;
      // All clients go by one name: what one of them lacks is not held against the next.
      if (source !== 'client') parts.coolDowns.failed(model.name, error);
      parts.log.warn('model did not answer', { model: model.name, code: error.code });
      failures.push({ model: model.name, error });
    }
  }
  const [only, ...others] = failures;
  if (only === undefined) throw new NoModelError(role, parts.pool.namesFor(role));
  throw others.length === 0 ? only.error : new AllModelsFailedError(role, failures);
}

/** Whether another model may do better: not where a budget is used up or too much is going on here. */
function mayOthersDoBetter(error: unknown): error is AppError {
  if (error instanceof BudgetExceededError) return false;
  return error instanceof AppError && error.code.startsWith('models.');
}

interface ModelAsk extends RoleRequest {
  readonly model: TextModel;
  readonly output: Output;
}

async function askModel(parts: AskParts, asked: ModelAsk): Promise<ModelText> {
  const { model, request, call } = asked;
  const inputTokens = tokensOf(request);
  checkLength(model, inputTokens);
  let usage: ModelUsage | undefined;
  const answer = await askWithRetries(model, {
    limits: parts.limits,
    random: parts.random,
    signal: call.signal,
    isDown: parts.coolDowns.problemOf(model.name) !== null,
    attempt: async (signal) => {
      const attempt = await askOnce(parts, { ...asked, inputTokens, signal });
      usage = attempt.usage;
      return attempt.answer;
    },
  });
  const { text, finish } = answer;
  return { text, finish, model: model.name, usage: usage ?? noUsage };
}

const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, isEstimated: true, costUsd: null };

interface Attempt extends ModelAsk {
  readonly inputTokens: number;
  readonly signal: AbortSignal;
}

/** One request, counted against its budgets. */
async function askOnce(
  parts: AskParts,
  asked: Attempt,
): Promise<{ readonly answer: TextModelAnswer; readonly usage: ModelUsage }> {
  const { model, call, inputTokens } = asked;
  const price = parts.priceOf(model.name);
  const charge = await parts.budgets.charge({
    caller: call.caller,
    scopes: call.budgets ?? [],
    limits: call.limits ?? [],
    inputTokens,
    price,
  });
  asked.output.restart();
  let watching: Watched;
  try {
    watching = await watched(asked, charge);
  } catch (error) {
    await charge.settle(error instanceof ModelCallError && error.isUnpaid ? noSpending : null);
    throw error;
  }
  const { answer, thoughtTokens } = watching;
  const counted = credible(answer);
  const outputTokens = countTokens(answer.text) + thoughtTokens;
  const used = counted ?? { inputTokens, outputTokens };
  await charge.settle(spendingOf(used, price));
  const usage = { ...used, isEstimated: counted === null, costUsd: costOf(used, price) };
  return { answer: { ...answer, text: plainText(answer, model) }, usage };
}

interface Watched {
  readonly answer: TextModelAnswer;
  /** Of what it said to itself, which is in no answer. */
  readonly thoughtTokens: number;
}

/** Ends the request at once when its pieces pass the budget, or when their receiver throws. */
async function watched(asked: Attempt, charge: Charge): Promise<Watched> {
  const stop = new AbortController();
  const signal = AbortSignal.any([asked.signal, stop.signal]);
  let thoughtTokens = 0;
  const take = (piece: string, use: (piece: string, tokens: number) => void): void => {
    // Pieces after the end are dropped.
    if (signal.aborted) return;
    try {
      const tokens = countTokens(piece);
      charge.grow(tokens);
      use(piece, tokens);
    } catch (error) {
      stop.abort(error);
    }
  };
  const asking = asked.model.ask(asked.request, {
    signal,
    onText: (piece) => take(piece, asked.output.push),
    onThought: (piece) => take(piece, (_thought, tokens) => void (thoughtTokens += tokens)),
  });
  const answer = await orAborted(asking, signal);
  asked.output.end();
  // The last piece may have been one too many.
  stop.signal.throwIfAborted();
  return { answer, thoughtTokens };
}

/** More than any model takes or gives. */
const maxTokens = 1_000_000_000;

/** Some servers send zeros, or nonsense, where they do not count. */
function credible({ usage, text }: TextModelAnswer): TextModelAnswer['usage'] {
  if (usage === null) return null;
  const least = text === '' ? 0 : 1;
  const counts = [usage.inputTokens, usage.outputTokens];
  return counts.every((count) => count >= least && count <= maxTokens) ? usage : null;
}

function plainText({ text, finish }: TextModelAnswer, { name }: TextModel): string {
  const plain = withoutThinking(text);
  if (plain.trim() !== '' || finish === 'filtered') return plain;
  throw new ModelCallError('models.empty_answer', {
    model: name,
    reason: 'it only thought, and said nothing',
  });
}

function checkLength({ name, contextTokens }: TextModel, inputTokens: number): void {
  if (contextTokens === null || inputTokens <= contextTokens * surelyTooLong) return;
  const reason = `it is about ${inputTokens} tokens, and the model takes ${contextTokens}`;
  throw new ModelCallError('models.too_long', { model: name, reason });
}

function tokensOf({ messages, json }: TextModelRequest): number {
  const schema = json === undefined ? 0 : countTokens(JSON.stringify(json.schema));
  return messages.reduce(
    (sum, { content }) => sum + countTokens(content) + tokensPerMessage,
    schema,
  );
}

interface Trying {
  readonly limits: ModelLimits;
  /** Ends waits and requests; its reason is thrown as it is. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1), so that requests that failed together are not retried together. */
  readonly random: () => number;
  /** One of the attempts a model that is down gets. */
  readonly isDown: boolean;
  /** One request; it gets the signal that ends with the time of the call. */
  readonly attempt: (signal: AbortSignal) => Promise<TextModelAnswer>;
}

/** Asks one model until it answers, has failed for good, or the time of the call is over. */
async function askWithRetries(model: TextModel, trying: Trying): Promise<TextModelAnswer> {
  const { limits, signal } = trying;
  signal.throwIfAborted();
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    const reason = `${limits.callMs} ms were over; models.timeout_seconds says how long it may take`;
    ended.abort(new ModelCallError('models.timeout', { model: model.name, reason }));
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
