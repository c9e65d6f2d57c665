import { Worker } from 'node:worker_threads';
import type { CallContext } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { Gate } from '../../kernel/index.ts';
import { WorkerDiedError, type WorkerDeath } from '../errors.ts';
import type { FromWorker, ToWorker } from './message.ts';

export interface WorkerPoolOptions {
  /** The module a worker runs: it must call `hostServer`. */
  readonly entry: URL;
  /** What the module finds in `workerData`; plain data. */
  readonly data: unknown;
  readonly maxWorkers: number;
  readonly maxWaiting: number;
  readonly maxHeapMb: number;
  /** How long a cancelled call may take to end by itself before its worker is stopped. */
  readonly cancelGraceMs: number;
  /** How long a worker without work is kept. */
  readonly idleStopMs: number;
}

/**
 * Runs tool calls in worker threads, so that an engine that computes for a minute neither blocks the
 * server nor outlives its call.
 *
 * 1. A worker runs one call at a time; a call that ended badly takes its worker with it.
 * 2. A cancelled call is settled when it has ended by itself, which leaves its worker free, or when the
 *    grace period is over, and then its worker is stopped.
 * 3. An idle worker that is to be stopped is given no more calls.
 * 4. Workers never keep the process alive by themselves; after `close()` none is started.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #gate: Gate;
  readonly #workers = new Set<Worker>();
  readonly #idle: { readonly worker: Worker; readonly stop: NodeJS.Timeout }[] = [];
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#gate = new Gate({ maxConcurrent: options.maxWorkers, maxWaiting: options.maxWaiting });
  }

  call(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
    return this.#gate.pass(() => this.#run(tool, args, context), context.signal);
  }

  /** Stops all workers. Calls that run, wait or come later end with `toolbox.worker_died`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#idle.splice(0)) clearTimeout(stop);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  async #run(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
    if (this.#isClosed) throw new WorkerDiedError(tool, stopping);
    context.signal.throwIfAborted();
    const worker = this.#take();
    const message: ToWorker = {
      kind: 'call',
      tool,
      args,
      meta: context.meta,
      callerId: context.caller.id,
    };
    const outcome = await this.#converse(worker, message, context);
    if (outcome.kind === 'died') await worker.terminate();
    else this.#giveBack(worker);
    if (outcome.kind === 'settled') return outcome.result;
    context.signal.throwIfAborted();
    throw new WorkerDiedError(tool, this.#isClosed ? stopping : this.#deathBy(outcome));
  }

  /** Speaks with the worker until the call has an outcome; listens no longer after that. */
  #converse(worker: Worker, message: ToWorker, context: CallContext): Promise<Outcome> {
    let grace: NodeJS.Timeout | undefined;
    return new Promise<Outcome>((resolve) => {
      const onMessage = (answer: FromWorker): void => {
        if (answer.kind === 'progress') return context.progress(answer.update);
        if (answer.kind === 'settled') return end({ kind: 'settled', result: answer.result });
        if (answer.kind === 'cancelled') return end({ kind: 'cancelled', cause: 'cancelled' });
        return end({ kind: 'died', cause: answer.report.message });
      };
      const onError = (error: unknown): void => end({ kind: 'died', cause: error });
      const onExit = (): void => end({ kind: 'died', cause: 'the thread it ran in stopped' });
      const onAbort = (): void => {
        worker.postMessage({ kind: 'cancel' } satisfies ToWorker);
        grace = setTimeout(
          () => end({ kind: 'died', cause: 'cancelled' }),
          this.#options.cancelGraceMs,
        );
      };
      const end = (result: Outcome): void => {
        clearTimeout(grace);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        context.signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      context.signal.addEventListener('abort', onAbort, { once: true });
      worker.postMessage(message);
    });
  }

  #take(): Worker {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.stop);
      idle.worker.ref();
      return idle.worker;
    }
    const worker = new Worker(this.#options.entry, {
      workerData: this.#options.data,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.maxHeapMb },
    });
    this.#workers.add(worker);
    worker.on('exit', () => this.#forget(worker));
    // Without a listener a crash between two calls would take the process down.
    worker.on('error', () => this.#forget(worker));
    return worker;
  }

  #giveBack(worker: Worker): void {
    if (this.#isClosed) return;
    worker.unref();
    const stop = setTimeout(() => {
      this.#withdraw(worker);
      void worker.terminate();
    }, this.#options.idleStopMs).unref();
    this.#idle.push({ worker, stop });
  }

  #forget(worker: Worker): void {
    this.#workers.delete(worker);
    this.#withdraw(worker);
  }

  /** No call gets it any more. */
  #withdraw(worker: Worker): void {
    const at = this.#idle.findIndex((idle) => idle.worker === worker);
    const [idle] = at === -1 ? [] : this.#idle.splice(at, 1);
    clearTimeout(idle?.stop);
  }

  #deathBy({ cause }: Unfinished): WorkerDeath {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const limit = `memory limit ${this.#options.maxHeapMb} MB`;
      return { reason: `${reason} (${limit})`, advice: 'Give it less at once' };
    }
    return { reason, advice: 'Call it again; if that fails too, give it less at once' };
  }
}

const stopping: WorkerDeath = {
  reason: 'the server is stopping',
  advice: 'Call it again when the server is back',
};

type Outcome = { readonly kind: 'settled'; readonly result: ToolResult } | Unfinished;

interface Unfinished {
  readonly kind: 'cancelled' | 'died';
  /** An error, or words for what ended it. */
  readonly cause: unknown;
}
