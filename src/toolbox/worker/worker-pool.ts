import { Worker } from 'node:worker_threads';
import type { CallContext, ProgressUpdate } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { Semaphore, stopWorker } from '../../kernel/index.ts';
import { WorkerDiedError, type WorkerDeath } from '../errors.ts';
import { slowItemsMetaKey, type FromWorker, type ToWorker } from './worker-host.ts';

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
  /** How long a worker that is stopped may take to end before it counts as hanging. */
  readonly stopLimitMs?: number;
  /** How long a worker without work is kept. */
  readonly idleStopMs: number;
  /** For tools that go through items, name each as the message of their progress, and leave out `slowItemsMetaKey`. */
  readonly items?: ItemLimits;
}

export interface ItemLimits {
  readonly tools: ReadonlySet<string>;
  /** A call that works longer on one of several items is begun again without it. */
  readonly maxItemMs: number;
  /** With one slow item more than these the call fails. */
  readonly maxSlowItems: number;
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
 * 5. A worker that hangs in a call of the system is waited for no longer than `stopWorker` does. As many as
 *    may work may hang; then no more are started until one has ended.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: Semaphore;
  readonly #seats = new Set<Seat>();
  readonly #idle: Seat[] = [];
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#slots = new Semaphore({
      maxConcurrent: options.maxWorkers,
      maxWaiting: options.maxWaiting,
    });
  }

  call(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
    return this.#slots.pass(() => this.#run(tool, args, context), context.signal);
  }

  /** Stops all workers. Calls that run, wait or come later end with `toolbox.worker_died`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.length = 0;
    for (const { idleStop } of this.#seats) clearTimeout(idleStop);
    await Promise.all([...this.#seats].map(({ worker }) => this.#stop(worker)));
  }

  async #run(tool: string, args: unknown, context: CallContext): Promise<ToolResult> {
    const slow: string[] = [];
    for (;;) {
      if (this.#isClosed) throw new WorkerDiedError(tool, stopping);
      context.signal.throwIfAborted();
      const seat = this.#take(tool);
      const meta = { ...context.meta, [slowItemsMetaKey]: slow };
      const message = { kind: 'call', tool, args, meta, callerId: context.caller.id } as const;
      const outcome = await this.#converse(seat, message, context);
      if (outcome.kind === 'died') await this.#stop(seat.worker);
      else this.#giveBack(seat);
      if (outcome.kind === 'settled') return outcome.result;
      context.signal.throwIfAborted();
      const isSlow = outcome.slowItem !== undefined && !this.#isClosed;
      if (!isSlow || slow.length >= (this.#options.items?.maxSlowItems ?? 0)) {
        throw new WorkerDiedError(tool, this.#isClosed ? stopping : this.#deathBy(outcome));
      }
      slow.push(outcome.slowItem);
    }
  }

  /** Speaks with the worker until the call has an outcome; listens no longer after that. */
  #converse(
    seat: Seat,
    message: Extract<ToWorker, { kind: 'call' }>,
    context: CallContext,
  ): Promise<Outcome> {
    let grace: NodeJS.Timeout | undefined;
    let late: NodeJS.Timeout | undefined;
    return new Promise<Outcome>((resolve) => {
      const progress: CallContext['progress'] = (update) => {
        clearTimeout(late);
        late = this.#watchItem(message, update, end);
        context.progress(update);
      };
      const onAbort = (): void => {
        seat.worker.postMessage({ kind: 'cancel' } satisfies ToWorker);
        grace = setTimeout(
          () => end({ kind: 'died', cause: 'cancelled' }),
          this.#options.cancelGraceMs,
        );
      };
      const end = (result: Outcome): void => {
        clearTimeout(grace);
        clearTimeout(late);
        seat.listener = undefined;
        context.signal.removeEventListener('abort', onAbort);
        resolve(result);
      };
      seat.listener = { end, progress };
      context.signal.addEventListener('abort', onAbort, { once: true });
      seat.worker.postMessage(message);
    });
  }

  /** Ends the call when it is not done in time with the item that an update names. */
  #watchItem(
    { tool }: Extract<ToWorker, { kind: 'call' }>,
    { message: item, progress, total = 0 }: ProgressUpdate,
    end: (outcome: Outcome) => void,
  ): NodeJS.Timeout | undefined {
    const { items } = this.#options;
    if (!items?.tools.has(tool) || item === undefined || total < 2 || progress >= total) return;
    const cause = `it took longer than ${items.maxItemMs} ms for ${item}`;
    return setTimeout(() => end({ kind: 'died', cause, slowItem: item }), items.maxItemMs);
  }

  #take(tool: string): Seat {
    const idle = this.#idle.pop();
    if (!idle && this.#seats.size >= 2 * this.#options.maxWorkers) {
      throw new WorkerDiedError(tool, hanging);
    }
    if (!idle) return this.#start();
    idle.worker.ref();
    return idle;
  }

  #start(): Seat {
    const worker = new Worker(this.#options.entry, {
      workerData: this.#options.data,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.maxHeapMb },
    });
    const seat: Seat = { worker, listener: undefined, idleStop: undefined };
    this.#seats.add(seat);
    worker.on('message', (answer: FromWorker) => hear(seat, answer));
    // Attached between calls too: an unhandled `error` event would crash the process.
    worker.on('error', (error: unknown) => {
      this.#forget(seat);
      seat.listener?.end({ kind: 'died', cause: error });
    });
    worker.on('exit', () => {
      this.#forget(seat);
      seat.listener?.end({ kind: 'died', cause: 'the thread it ran in stopped' });
    });
    return seat;
  }

  #giveBack(seat: Seat): void {
    if (this.#isClosed || !this.#seats.has(seat)) return;
    seat.worker.unref();
    this.#idle.push(seat);
    // One timer for the worker's life, which starts anew here: it does nothing while a call runs.
    if (seat.idleStop) seat.idleStop.refresh();
    else seat.idleStop = setTimeout(() => this.#stopIdle(seat), this.#options.idleStopMs).unref();
  }

  /** Still among the seats until it has ended, so that `close()` waits for it. */
  #stopIdle(seat: Seat): void {
    if (this.#withdraw(seat)) void seat.worker.terminate();
  }

  #stop(worker: Worker): Promise<void> {
    return stopWorker(worker, this.#options.stopLimitMs);
  }

  #forget(seat: Seat): void {
    this.#seats.delete(seat);
    clearTimeout(seat.idleStop);
    this.#withdraw(seat);
  }

  /** No call gets it any more. Whether it was idle. */
  #withdraw(seat: Seat): boolean {
    const at = this.#idle.indexOf(seat);
    if (at === -1) return false;
    this.#idle.splice(at, 1);
    return true;
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

const hanging: WorkerDeath = {
  reason: 'earlier calls still hang in the system',
  advice: 'Restart the server',
};

type Outcome = { readonly kind: 'settled'; readonly result: ToolResult } | Unfinished;

interface Unfinished {
  readonly kind: 'cancelled' | 'died';
  /** An error, or words for what ended it. */
  readonly cause: unknown;
  readonly slowItem?: string;
}

/** A worker and the call it runs, if it runs one. Its events are listened to once, not anew for every call. */
interface Seat {
  readonly worker: Worker;
  listener: Listener | undefined;
  idleStop: NodeJS.Timeout | undefined;
}

interface Listener {
  readonly end: (outcome: Outcome) => void;
  readonly progress: CallContext['progress'];
}

function hear({ listener }: Seat, answer: FromWorker): void {
  switch (answer.kind) {
    case 'progress':
      return listener?.progress(answer.update);
    case 'settled':
      return listener?.end({ kind: 'settled', result: answer.result });
    case 'cancelled':
      return listener?.end({ kind: 'cancelled', cause: 'cancelled' });
    case 'broken':
      return listener?.end({ kind: 'died', cause: answer.report.message });
  }
}
