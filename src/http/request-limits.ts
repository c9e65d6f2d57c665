import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Caller } from '../contract/caller/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { Refusal } from './exchange.ts';

/** How much others may ask for. The user at this machine has no limit. */
export interface RequestLimitOptions {
  /** Requests per second of a credential, and of a caller with all its credentials. */
  readonly perSecond: number;
  /** Requests at once, above that. */
  readonly burst: number;
  readonly addressPerSecond: number;
  readonly addressBurst: number;
  /** Requests of one caller that run at the same time. */
  readonly maxInFlight: number;
  /** Tokens that are not accepted, from one address. */
  readonly failedLoginsPerMinute: number;
  readonly clock: Clock;
}

export interface LoginLimit {
  /** How long no unknown token is looked at; 0 when it is. */
  waitSeconds(address: string): number;
  failed(address: string): void;
}

/** Counts the requests of callers, by credential, caller and address. */
export class RequestLimits {
  readonly login: LoginLimit;
  readonly #credentials: TokenBuckets;
  readonly #callers: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #inFlight = new Map<string, number>();
  readonly #maxInFlight: number;

  constructor(options: RequestLimitOptions) {
    const { perSecond, burst, addressPerSecond, addressBurst, clock } = options;
    this.#maxInFlight = options.maxInFlight;
    this.#credentials = new TokenBuckets({ perSecond, burst, clock });
    this.#callers = new TokenBuckets({ perSecond, burst, clock });
    this.#addresses = new TokenBuckets({ perSecond: addressPerSecond, burst: addressBurst, clock });
    const failures = new TokenBuckets({
      perSecond: options.failedLoginsPerMinute / secondsPerMinute,
      burst: options.failedLoginsPerMinute,
      clock,
    });
    this.login = {
      waitSeconds: (address) => failures.waitSeconds(address),
      failed: (address) => void failures.take(address),
    };
  }

  /** Counts a request until its response is over, or says why it is not served. */
  admit(caller: Caller, request: IncomingMessage, response: ServerResponse): Refusal | undefined {
    if (caller.role === undefined) return undefined;
    const waitSeconds =
      this.#addresses.take(addressOf(request)) ||
      this.#callers.take(caller.id) ||
      this.#credentials.take(caller.credential ?? caller.id);
    if (waitSeconds > 0) return tooMany('Too many requests', waitSeconds);
    const running = this.#inFlight.get(caller.id) ?? 0;
    if (running >= this.#maxInFlight) {
      return tooMany(`${running} requests are running, which is the limit`, 1);
    }
    this.#inFlight.set(caller.id, running + 1);
    response.once('close', () => {
      const left = (this.#inFlight.get(caller.id) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(caller.id, left);
      else this.#inFlight.delete(caller.id);
    });
    return undefined;
  }
}

const secondsPerMinute = 60;

function tooMany(what: string, waitSeconds: number): Refusal {
  return {
    status: 429,
    message: `${what}. Try again in ${waitSeconds} s`,
    headers: { 'retry-after': String(waitSeconds) },
  };
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Keys that are counted at the same time; beyond it the longest unused is forgotten. */
const maxBuckets = 10_000;

/** A token bucket for each key. */
export class TokenBuckets {
  readonly #options: { readonly perSecond: number; readonly burst: number; readonly clock: Clock };
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: {
    readonly perSecond: number;
    readonly burst: number;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one, or says in how many whole seconds there is one. */
  take(key: string): number {
    const bucket = this.#filled(key);
    if (bucket.tokens < 1) return this.#wait(bucket);
    bucket.tokens -= 1;
    return 0;
  }

  waitSeconds(key: string): number {
    return this.#buckets.has(key) ? this.#wait(this.#filled(key)) : 0;
  }

  #wait({ tokens }: Bucket): number {
    if (tokens >= 1) return 0;
    return Math.ceil((1 - tokens) / this.#options.perSecond);
  }

  #filled(key: string): Bucket {
    const { perSecond, burst, clock } = this.#options;
    const now = clock.now();
    const known = this.#buckets.get(key);
    if (known) {
      const passedMs = Math.max(0, now - known.atMs);
      known.tokens = Math.min(burst, known.tokens + (passedMs / 1_000) * perSecond);
      known.atMs = now;
      this.#buckets.delete(key);
    }
    const bucket = known ?? { tokens: burst, atMs: now };
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > maxBuckets) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

const mappedPrefix = '::ffff:';
const networkGroups = 4;

/** The address of the other end, which may be a proxy. Of IPv6 its /64 network: one machine has all of that. */
export function addressOf({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  if (!isIPv6(remoteAddress)) return remoteAddress;
  if (remoteAddress.startsWith(mappedPrefix)) return remoteAddress.slice(mappedPrefix.length);
  const [front = '', back] = remoteAddress.split('::');
  const groups = front === '' ? [] : front.split(':');
  if (back !== undefined) {
    const tail = back === '' ? [] : back.split(':');
    while (groups.length + tail.length < 8) groups.push('0');
    groups.push(...tail);
  }
  return groups.slice(0, networkGroups).join(':');
}
