import { randomBytes } from 'node:crypto';
import type { Caller } from '../contract/caller/index.ts';
import { digestJson } from '../kernel/index.ts';
import type { Request } from '../protocol/index.ts';
import { InputExpiredError, TooManyWaitingCallsError } from './errors.ts';
import { invalidParams } from './rpc-failure.ts';
import type { StatelessClient } from './stateless-client.ts';

/** How many calls may wait for their clients, and for how long. */
export interface ParkingLimits {
  readonly maxParked: number;
  readonly parkedLimitMs: number;
}

export const defaultParkingLimits: ParkingLimits = {
  maxParked: 1_000,
  // People answer, and they take their time.
  parkedLimitMs: 10 * 60_000,
};

interface Parked {
  readonly client: StatelessClient;
  readonly subject: string;
  readonly expiry: NodeJS.Timeout;
}

/** Tells the states we gave out from those of servers behind us. */
const tokenPrefix = 'tutti-parked:';
const tokenBytes = 24;

/**
 * Calls of the stateless era that wait until their client comes back with what it was asked. A state
 * is a random name for one of them: it says nothing, works once, and only for the same caller and
 * the same request with the same arguments.
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

  /** Gives the state the client must come back with. Throws when too many wait. */
  park(client: StatelessClient, request: Request, caller: Caller): string {
    const { maxParked, parkedLimitMs } = this.#limits;
    if (this.#parked.size >= maxParked) throw new TooManyWaitingCallsError(maxParked);
    const token = tokenPrefix + randomBytes(tokenBytes).toString('base64url');
    const expiry = setTimeout(() => {
      this.#parked.delete(token);
      client.stop(new InputExpiredError(parkedLimitMs));
    }, parkedLimitMs);
    this.#parked.set(token, { client, subject: subjectOf(request, caller), expiry });
    return token;
  }

  /** The call a request goes on with; undefined when its state is none of ours. Throws when it is gone. */
  take(request: Request, caller: Caller): StatelessClient | undefined {
    const { requestState } = request.params;
    if (typeof requestState !== 'string' || !requestState.startsWith(tokenPrefix)) return undefined;
    const found = this.#parked.get(requestState);
    if (!found) {
      throw invalidParams(
        'params.requestState names no call that waits: it was altered, used before, or has expired. Call again without it',
      );
    }
    if (found.subject !== subjectOf(request, caller)) {
      throw invalidParams(
        'params.requestState belongs to another request: come back with the name and the arguments of the first one',
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

/** All of a request that must not be another when its client comes back: the answers were given for just that. */
function subjectOf({ method, params }: Request, caller: Caller): string {
  const { name, uri, taskId, arguments: args = {} } = params;
  return digestJson([caller.id, method, name, uri, taskId, args]);
}
