import type { Caller } from '../caller/index.ts';

/** A process, told apart from every other one that had or will have its pid. */
export interface AnswerOwner {
  readonly pid: number;
  readonly processStart: string;
}

/** A request that its caller may send again with the same `Idempotency-Key`. */
export interface KeyedRequest {
  readonly key: string;
  /** Of method, path and body: another request with this key is a mistake of the client. */
  readonly digest: string;
  /** The process that makes the answer. */
  readonly owner: AnswerOwner;
}

export interface KeptAnswer {
  readonly status: number;
  readonly location: string | null;
  /** Null where it was not kept: too large, or secret. */
  readonly text: string | null;
}

export type KeyedState =
  /** The key is new, and now taken by this request. */
  | { readonly kind: 'new' }
  | { readonly kind: 'pending'; readonly digest: string; readonly owner: AnswerOwner }
  | { readonly kind: 'answered'; readonly digest: string; readonly answer: KeptAnswer };

/**
 * Answers by the keys of callers, for a day. What a method resolved for survives the death of every process.
 * Of each caller the latest keys are kept; one without an answer is never dropped for its number.
 */
export interface AnswerStore {
  begin(caller: Caller, request: KeyedRequest): Promise<KeyedState>;
  /** Takes over a request whose owner is gone; false when another process was faster. */
  takeOver(caller: Caller, request: KeyedRequest, from: AnswerOwner): Promise<boolean>;
  finish(caller: Caller, key: string, answer: KeptAnswer): Promise<void>;
  /** The key counts as never used. */
  forget(caller: Caller, key: string): Promise<void>;
}
