import { randomBytes } from 'node:crypto';
import type { Caller } from '../contract/caller/index.ts';
import { digestJson } from '../kernel/index.ts';
import type { Request } from '../protocol/index.ts';
import { InputExpiredError, TooManyWaitingCallsError } from './errors.ts';
import { invalidParams } from './rpc-failure.ts';
import type { StatelessClient } from './stateless-client.ts';

/** Limits of calls that wait for their clients. */
export interface ParkingLimits {
  readonly maxParked: number;
  readonly parkedLimitMs: number;
}

export const defaultParkingLimits: ParkingLimits = {
  maxParked: 1_000,
  // Long, because people answer.
  parkedLimitMs: 10 * 60_000,
};

interface Parked {
  readonly callerId: string;
  readonly client: StatelessClient;
  readonly subject: string;
  readonly expiry: NodeJS.Timeout;
}

/** Distinguishes our states from those of upstream servers. */
const tokenPrefix = 'tutti-parked:';
const tokenBytes = 24;

/**
 * Calls of the stateless era that wait until their client returns with the requested input. A state is a random
 * token for one of them: it carries no data and is valid once, for the same caller, method, name and arguments.
 */
export class ParkedCalls {
  readonly #limits: ParkingLimits;
  readonly #parked = new Map<string, Parked>();

  constructor(limits: ParkingLimits = defaultParkingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Returns the state that the client must return with. Throws when too many calls wait. */
  park(client: StatelessClient, request: Request, caller: Caller): string {
    const { maxParked, parkedLimitMs } = this.#limits;
    if (this.#parked.size >= maxParked) throw new TooManyWaitingCallsError(maxParked);
    const token = tokenPrefix + randomBytes(tokenBytes).toString('base64url');
    const expiry = setTimeout(() => {
      this.#parked.delete(token);
      client.stop(new InputExpiredError(parkedLimitMs));
    }, parkedLimitMs);
    const subject = subjectOf(request, caller);
    this.#parked.set(token, { callerId: caller.id, client, subject, expiry });
    return token;
  }

  /** The call that a request resumes; undefined when its state is not ours. Throws when the call is gone. */
  take(request: Request, caller: Caller): StatelessClient | undefined {
    const { requestState } = request.params;
    if (typeof requestState !== 'string' || !requestState.startsWith(tokenPrefix)) return undefined;
    const found = this.#parked.get(requestState);
    if (found?.callerId !== caller.id) {
      throw invalidParams(
        'params.requestState names no waiting call: it was altered, used before, or has expired. Call again without it',
      );
    }
    if (found.subject !== subjectOf(request, caller)) {
      throw invalidParams(
        'params.requestState belongs to another request: repeat the name and the arguments of the first one',
      );
    }
    clearTimeout(found.expiry);
    this.#parked.delete(requestState);
    return found.client;
  }

  close(reason: Error): void {
    for (const { client, expiry } of this.#parked.values()) {
      clearTimeout(expiry);
      client.stop(reason);
    }
    this.#parked.clear();
  }
}

/** The parts of a request that must not change when its client returns: the answers were given for exactly these. */
function subjectOf({ method, params }: Request, caller: Caller): string {
  const { name, uri, taskId, arguments: args = {} } = params;
  return digestJson([caller.id, method, name, uri, taskId, args]);
}
