import type { JsonLimits } from '../../../protocol/index.ts';
import { defaultRateLimits, type RateLimits } from './rate-limiter.ts';
import { defaultMessageLimits } from './message-dispatcher.ts';

export interface HttpLinkLimits {
  readonly message: JsonLimits;
  readonly rate: RateLimits;
  /** Exchanges at once; the next wait for one to end. */
  readonly maxSockets: number;
  readonly connectLimitMs: number;
  /**
   * From the request to the head of the response, where no caller waits for an answer. A request's
   * head may come as late as its answer, so that only its caller's signal ends it.
   */
  readonly headLimitMs: number;
  readonly maxRedirects: number;
  /** How long a stream may stay open behind the answer before its connection is given up. */
  readonly lingerMs: number;
  /** Attempts to resume a broken stream that brought nothing. */
  readonly maxResumes: number;
  readonly firstReconnectDelayMs: number;
  readonly maxReconnectDelayMs: number;
  /** How long ending the session at the server may take. */
  readonly closeLimitMs: number;
}

export const defaultHttpLinkLimits: HttpLinkLimits = {
  message: defaultMessageLimits,
  rate: defaultRateLimits,
  maxSockets: 256,
  connectLimitMs: 10_000,
  headLimitMs: 30_000,
  maxRedirects: 3,
  lingerMs: 1_000,
  maxResumes: 5,
  firstReconnectDelayMs: 1_000,
  maxReconnectDelayMs: 30_000,
  closeLimitMs: 1_500,
};
