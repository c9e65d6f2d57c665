import { LazyAbort } from '../kernel/index.ts';

/** One request while it is served, and how to stop it. */
export class RunningRequest extends LazyAbort {
  /** Stops another one together with this one. */
  bind(other: RunningRequest): void {
    this.watch(() => other.abort(this.reason));
    if (this.isAborted) other.abort(this.reason);
  }
}
