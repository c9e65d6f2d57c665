import { LazyAbort } from '../kernel/index.ts';
import { IdTable, rpcErrorCode, type RequestId } from '../protocol/index.ts';
import { RequestCancelledError, TooManyRequestsError } from './errors.ts';
import { RpcFailure } from './rpc-failure.ts';

const maxInFlight = 256;

/** The pending requests of one connection, by id. */
export class RequestsInFlight {
  readonly #running = new IdTable<RunningRequest>();

  get size(): number {
    return this.#running.size;
  }

  /** Throws when the id is in use or too many requests run. */
  start(id: RequestId): RunningRequest {
    if (this.#running.has(id)) {
      throw new RpcFailure({
        code: rpcErrorCode.invalidRequest,
        message: 'The id of this request is still in use by an earlier one',
      });
    }
    if (this.#running.size >= maxInFlight) throw new TooManyRequestsError(maxInFlight);
    const running = new RunningRequest();
    this.#running.set(id, running);
    return running;
  }

  finish(id: RequestId): void {
    this.#running.delete(id);
  }

  /** False when no such request is pending. */
  cancel(id: RequestId): boolean {
    const running = this.#running.get(id);
    running?.abort(new RequestCancelledError());
    return running !== undefined;
  }

  abortAll(reason: Error): void {
    for (const running of this.#running.values()) running.abort(reason);
  }
}

/** One running request and its abort. */
export class RunningRequest extends LazyAbort {
  /** Aborts `other` together with this one. */
  bind(other: RunningRequest): void {
    this.watch(() => other.abort(this.reason));
    if (this.isAborted) other.abort(this.reason);
  }
}
