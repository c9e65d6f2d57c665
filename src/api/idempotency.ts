import type {
  AnswerStore,
  KeptAnswer,
  KeyedRequest,
  KeyedState,
} from '../contract/answer/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import { isGone, lazy, ownIdentity } from '../kernel/index.ts';
import {
  AnswerLostError,
  IdempotencyKeyReusedError,
  InvalidRequestError,
  RequestInProgressError,
} from './errors.ts';

/** Answers larger than this are not kept; a repeated request gets `api.answer_lost`. */
const maxKeptChars = 1024 * 1024;
const keyPattern = /^[\x21-\x7e]{1,200}$/;

export interface KeyedWork {
  readonly caller: Caller;
  readonly key: string;
  readonly digest: string;
  readonly repeat: 'safe' | 'once';
  readonly isSecret: boolean;
  readonly work: () => Promise<KeptAnswer>;
}

export function checkKey(key: string): void {
  if (keyPattern.test(key)) return;
  const message = 'must be 1 to 200 visible ASCII characters';
  throw new InvalidRequestError([{ in: 'header', path: 'Idempotency-Key', message }]);
}

const self = lazy(ownIdentity);

/**
 * Makes the answer of a request once.
 *
 * 1. The key is on disk before the work begins, and the answer before it is sent.
 * 2. A request whose process died unanswered is made again only where that does nothing twice.
 * 3. A server error of such a request is not kept: trying again is the point of the key.
 */
export async function answerOnce(store: AnswerStore, keyed: KeyedWork): Promise<KeptAnswer> {
  const { caller, key, digest, work, isSecret } = keyed;
  const request: KeyedRequest = { key, digest, owner: await self() };
  const state = await store.begin(caller, request);
  if (state.kind !== 'new' && state.digest !== digest) throw new IdempotencyKeyReusedError();
  if (state.kind === 'answered') return keptAnswer(state.answer);
  if (state.kind === 'pending') await takeOver(store, keyed, { request, state });
  const answer = await work();
  if (answer.status >= 500 && keyed.repeat === 'safe') await store.forget(caller, key);
  else {
    const isKept = !isSecret && (answer.text?.length ?? 0) <= maxKeptChars;
    await store.finish(caller, key, isKept ? answer : { ...answer, text: null });
  }
  return answer;
}

function keptAnswer(answer: KeptAnswer): KeptAnswer {
  if (answer.text === null) throw new AnswerLostError('its answer was not kept');
  return answer;
}

async function takeOver(
  store: AnswerStore,
  { caller, repeat }: KeyedWork,
  {
    request,
    state,
  }: { readonly request: KeyedRequest; readonly state: Extract<KeyedState, { kind: 'pending' }> },
): Promise<void> {
  if (!(await isGone(state.owner))) throw new RequestInProgressError();
  if (repeat === 'once') throw new AnswerLostError('the process ended before it was answered');
  const isOurs = await store.takeOver(caller, request, state.owner);
  if (!isOurs) throw new RequestInProgressError();
}
