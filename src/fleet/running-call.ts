import type {
  CallAbort,
  CallContext,
  ClientPort,
  ClientRequest,
  ProgressUpdate,
} from '../contract/server/index.ts';
import {
  LazyAbort,
  SignalAbort,
  TimeLimitError,
  type Semaphore,
  type SharedTimeout,
  type Wait,
} from '../kernel/index.ts';

export interface CallLimits {
  /** Time limit without progress, including time in the queue. */
  readonly timeoutMs: number;
  /** Total time limit, regardless of progress and of time spent asking the client. */
  readonly maxTotalMs: number;
  /** How long an aborted call may keep its slot before the slot is taken away. */
  readonly abortGraceMs: number;
}

export interface CallPlan<Result> {
  /** Names the call in errors: `Tool "code.format_code"`. */
  readonly what: string;
  readonly limits: CallLimits;
  /** The shorter of the two limits. */
  readonly timeout: SharedTimeout;
  /** Limits concurrency; without it the call runs at once. */
  readonly semaphore: Semaphore | undefined;
  readonly mayRepeat?: boolean | undefined;
  readonly work: (context: CallContext) => Promise<Result>;
  /** Records facts about the call in its span. */
  readonly annotate?: CallContext['annotate'];
  /** The work ignored its abort signal, and its slot was released. */
  readonly onLeftBehind: () => void;
}

/**
 * Runs `plan.work` in a slot and within its limits. On the path of every call: it creates one promise, shares
 * a timer that it touches only when it fires, and creates an AbortSignal only where it is read.
 */
export function runCall<Result>(
  plan: CallPlan<Result>,
  context: CallContext,
  meta: CallContext['meta'],
): Promise<Result> {
  return new Promise((resolve, reject) => startCall(plan, { context, meta }, { resolve, reject }));
}

/** The same for callers that create a promise anyway. */
export function startCall<Result>(
  plan: CallPlan<Result>,
  { context, meta }: Pick<Call, 'context' | 'meta'>,
  settling: Settling<Result>,
): void {
  const abort = context.abort ?? new SignalAbort(context.signal);
  if (abort.isAborted) settling.reject(abort.reason);
  else new RunningCall(plan, { context, abort, meta }, settling).start();
}

/** The caller's context, and the `_meta` that the work sees. */
interface Call {
  readonly context: CallContext;
  readonly abort: CallAbort;
  readonly meta: CallContext['meta'];
}

/** Activity of the work that extends its time limit. */
interface Activity {
  noteProgress(update: ProgressUpdate): void;
  /** Suspends the limit until `work` settles. */
  suspend<Result>(work: Promise<Result>): Promise<Result>;
}

/** Receives the outcome of a call; only the first one counts. */
export interface Settling<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * 1. It settles once: with the outcome of the work, or with the reason of its abort.
 * 2. The time limit counts from the latest progress and is suspended while the client is asked.
 * 3. Its slot is released once: when the work ends, or a grace period after the abort.
 */
class RunningCall<Result> implements Activity {
  readonly #plan: CallPlan<Result>;
  readonly #call: Call;
  readonly #settling: Settling<Result>;
  readonly #ended = new LazyAbort();
  readonly #startedAt = performance.now();
  #activeAt = this.#startedAt;
  #asks = 0;
  #hasSlot = false;
  readonly #wait: Wait;
  /** A second timer, after progress or for the grace period. */
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: CallPlan<Result>, call: Call, settling: Settling<Result>) {
    this.#plan = plan;
    this.#call = call;
    this.#settling = settling;
    this.#wait = plan.timeout.start(this.#onTime);
    call.abort.watch(this.#onAbort);
  }

  start(): void {
    const { semaphore } = this.#plan;
    if (!semaphore || semaphore.tryEnter()) {
      this.#begin();
      return;
    }
    semaphore.enter(this.#ended.signal).then(
      () => {
        this.#plan.annotate?.({ 'tutti.queue.wait_ms': performance.now() - this.#startedAt });
        this.#begin();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #begin(): void {
    this.#hasSlot = true;
    if (this.#ended.isAborted) {
      this.#leave();
      return;
    }
    let working: Promise<Result>;
    try {
      const { work, annotate, mayRepeat = false } = this.#plan;
      const { context, meta } = this.#call;
      working = work(new WorkContext(this, { context, meta, annotate, mayRepeat }, this.#ended));
    } catch (error) {
      working = Promise.reject(error);
    }
    working.then(
      (result) => {
        this.#finish();
        this.#settling.resolve(result);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    this.#finish();
    this.#settling.reject(error);
  }

  /** Settling twice does nothing, so an aborted call that ends late needs no special case. */
  #finish(): void {
    this.#stopTimers();
    this.#call.abort.unwatch(this.#onAbort);
    this.#leave();
  }

  #stopTimers(): void {
    this.#plan.timeout.stop(this.#wait);
    if (this.#timer) clearTimeout(this.#timer);
  }

  #leave(): void {
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.#plan.semaphore?.leave();
  }

  noteProgress(update: ProgressUpdate): void {
    this.#activeAt = performance.now();
    this.#call.context.progress(update);
  }

  async suspend<Work>(work: Promise<Work>): Promise<Work> {
    this.#asks += 1;
    try {
      return await work;
    } finally {
      this.#asks -= 1;
      this.#activeAt = performance.now();
    }
  }

  readonly #onTime = (): void => {
    const { timeoutMs, maxTotalMs } = this.#plan.limits;
    const now = performance.now();
    const leftMs = this.#asks > 0 ? timeoutMs : timeoutMs - (now - this.#activeAt);
    const totalLeftMs = maxTotalMs - (now - this.#startedAt);
    // Timers fire up to a millisecond early.
    if (leftMs > 1 && totalLeftMs > 1) {
      this.#timer = setTimeout(this.#onTime, Math.min(leftMs, totalLeftMs));
      return;
    }
    const limitMs = leftMs > 1 ? maxTotalMs : timeoutMs;
    this.#end(new TimeLimitError(this.#plan.what, limitMs));
  };

  readonly #onAbort = (): void => this.#end(this.#call.abort.reason);

  #end(reason: unknown): void {
    this.#stopTimers();
    this.#call.abort.unwatch(this.#onAbort);
    const { limits, onLeftBehind } = this.#plan;
    if (this.#hasSlot) {
      this.#timer = setTimeout(() => {
        onLeftBehind();
        this.#leave();
      }, limits.abortGraceMs).unref();
    }
    this.#settling.reject(reason);
    this.#ended.abort(reason);
  }
}

interface WorkParts extends Pick<Call, 'context' | 'meta'> {
  readonly annotate: CallContext['annotate'];
  readonly mayRepeat: boolean;
}

/**
 * The context as the work sees it: progress extends the limit, and it aborts when the call is aborted for any
 * reason. `progress` is initialized where it is declared: V8 allocates a function that a constructor assigns in
 * the old generation, which would retain the whole call until a full collection.
 */
class WorkContext implements CallContext {
  readonly #activity: Activity;
  readonly caller: CallContext['caller'];
  readonly abort: LazyAbort;
  readonly meta: CallContext['meta'];
  readonly mayRepeat: boolean;
  readonly progress = (update: ProgressUpdate): void => this.#activity.noteProgress(update);
  readonly client?: ClientPort;
  readonly annotate?: NonNullable<CallContext['annotate']>;
  readonly face?: NonNullable<CallContext['face']>;
  readonly extra?: NonNullable<CallContext['extra']>;

  constructor(activity: Activity, parts: WorkParts, abort: LazyAbort) {
    const { context, meta, annotate } = parts;
    this.#activity = activity;
    this.caller = context.caller;
    this.abort = abort;
    this.meta = meta;
    this.mayRepeat = parts.mayRepeat;
    if (context.client) this.client = new TimedClient(activity, context.client);
    if (annotate) this.annotate = annotate;
    if (context.face) this.face = context.face;
    if (context.extra) this.extra = context.extra;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  suspendLimit<Result>(work: Promise<Result>): Promise<Result> {
    return this.#activity.suspend(work);
  }
}

/** Excludes the client's response time from the call's time limit. */
class TimedClient implements ClientPort {
  readonly #activity: Activity;
  readonly #client: ClientPort;

  constructor(activity: Activity, client: ClientPort) {
    this.#activity = activity;
    this.#client = client;
  }

  get id(): string {
    return this.#client.id;
  }

  get era(): ClientPort['era'] {
    return this.#client.era;
  }

  get peer(): string | undefined {
    return this.#client.peer;
  }

  get capabilities(): ClientPort['capabilities'] {
    return this.#client.capabilities;
  }

  ask(request: ClientRequest, signal: AbortSignal): ReturnType<ClientPort['ask']> {
    return this.#activity.suspend(this.#client.ask(request, signal));
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#client.notify(method, params);
  }
}
