import type { JsonLimits } from '../../../protocol/index.ts';
import { defaultRateLimits, type RateLimits } from './rate-limiter.ts';
import { defaultMessageLimits } from './message-dispatcher.ts';

export interface HttpLinkLimits {
  readonly message: JsonLimits;
  readonly rate: RateLimits;
  /** Concurrent exchanges; further ones are queued. */
  readonly maxSockets: number;
  readonly connectLimitMs: number;
  /**
   * Time to the response headers, for exchanges without a caller. The headers of a request may arrive as late
   * as its result, so only the caller's signal limits it.
   */
  readonly headLimitMs: number;
  readonly maxRedirects: number;
  /** How long a stream may stay open after the response before its connection is destroyed. */
  readonly lingerMs: number;
  /** Attempts to resume a stream that yielded no event. */
  readonly maxResumes: number;
  readonly firstReconnectDelayMs: number;
  readonly maxReconnectDelayMs: number;
  /** Time limit of the DELETE that ends the session. */
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
