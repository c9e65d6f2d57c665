import { Worker } from 'node:worker_threads';
import type { CallContext } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { Gate } from '../../kernel/index.ts';
import { WorkerDiedError } from '../errors.ts';
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
 * 2. A cancelled call is settled at once for the caller; its worker is free again when the call ends
 *    within the grace period, and is stopped otherwise.
 * 3. Workers never keep the process alive by themselves.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #gate: Gate;
  readonly #workers = new Set<Worker>();
  readonly #idle: { readonly worker: Worker; readonly stop: NodeJS.Timeout }[] = [];

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#gate = new Gate({ maxConcurrent: options.maxWorkers, maxWaiting: options.maxWaiting });
  }

  call(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
    return this.#gate.pass(() => this.#run(tool, args, context), context.signal);
  }

  async close(): Promise<void> {
    for (const { stop } of this.#idle.splice(0)) clearTimeout(stop);
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  async #run(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
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
    throw new WorkerDiedError(tool, outcome.reason, this.#options.maxHeapMb);
  }

  /** Speaks with the worker until the call has an outcome; listens no longer after that. */
  #converse(worker: Worker, message: ToWorker, context: CallContext): Promise<Outcome> {
    let grace: NodeJS.Timeout | undefined;
    return new Promise<Outcome>((resolve) => {
      const onMessage = (answer: FromWorker): void => {
        if (answer.kind === 'progress') return context.progress(answer.update);
        if (answer.kind === 'settled') return end({ kind: 'settled', result: answer.result });
        if (answer.kind === 'cancelled') return end({ kind: 'cancelled', reason: 'cancelled' });
        return end({ kind: 'died', reason: answer.report.message });
      };
      const onError = (error: unknown): void =>
        end({ kind: 'died', reason: error instanceof Error ? error.message : String(error) });
      const onExit = (): void => end({ kind: 'died', reason: 'its worker stopped' });
      const onAbort = (): void => {
        worker.postMessage({ kind: 'cancel' } satisfies ToWorker);
        grace = setTimeout(
          () => end({ kind: 'died', reason: 'cancelled' }),
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
    worker.unref();
    const stop = setTimeout(() => void worker.terminate(), this.#options.idleStopMs).unref();
    this.#idle.push({ worker, stop });
  }

  #forget(worker: Worker): void {
    this.#workers.delete(worker);
    const at = this.#idle.findIndex((idle) => idle.worker === worker);
    const [idle] = at === -1 ? [] : this.#idle.splice(at, 1);
    clearTimeout(idle?.stop);
  }
}

type Outcome =
  | { readonly kind: 'settled'; readonly result: ToolResult }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'died'; readonly reason: string };
