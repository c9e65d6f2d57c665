import type { PoolReport } from '../../contract/sandbox/index.ts';
import { orAborted, type Log, type Timers } from '../../kernel/index.ts';
import type { PreparedSandbox, SandboxShape } from '../driver.ts';

export interface PoolOptions {
  /** Whether sandboxes are started in advance: for a server, not for a single call. */
  readonly warm: boolean;
  /** Sandboxes that run at once. */
  readonly maxRunning: number;
  /** Runs that wait for a slot; more are refused with `sandbox.too_busy`. */
  readonly maxWaiting: number;
  /** What all sandboxes started in advance may cost together. */
  readonly maxIdleMemoryBytes: number;
  /** Sandboxes of one shape started in advance. */
  readonly maxIdlePerShape: number;
  /** How long a sandbox waits before it is replaced. */
  readonly maxIdleMs: number;
  /** Starts in advance at once. */
  readonly maxStarting: number;
}

export interface PoolParts {
  readonly options: PoolOptions;
  readonly timers: Timers;
  readonly log: Log;
  prepare(shape: SandboxShape, signal: AbortSignal): Promise<PreparedSandbox>;
}

/** A sandbox for one run, and whether it had been started in advance. */
export interface TakenSandbox {
  readonly sandbox: PreparedSandbox;
  readonly wasWarm: boolean;
}

/** The sandboxes of one shape that wait or start, and how many there should be. */
interface Shelf {
  /** With the limits of the latest run: sandboxes that are started get these. */
  shape: SandboxShape;
  idle: { readonly sandbox: PreparedSandbox; readonly startedAt: number }[];
  /** Runs that wait for a start under way; the first to start goes to the first of them. */
  readonly waiters: ((sandbox: PreparedSandbox | undefined) => void)[];
  starting: number;
  target: number;
  usesInRound: number;
  usedAt: number;
  failures: number;
  /** After a failed start, when the next one may be tried. */
  retryAt: number;
  /** What the latest one cost while it waited. */
  costBytes: number | undefined;
}

/** How often idle sandboxes are checked: age, deaths, and whether fewer would do. */
const roundMs = 30_000;
/** Longer than a small program takes from its start to its first output. */
const refillDelayMs = 15;
/** Shapes that are remembered; the least recently used one is forgotten. */
const maxShapes = 32;
/** Assumed cost of a sandbox before one of its shape was seen. */
const guessedIdleBytes = 48 * 1024 * 1024;
const firstRetryMs = 1000;
const maxRetryMs = 60_000;

/**
 * Sandboxes started in advance, per shape.
 *
 * 1. A sandbox is taken once and never comes back.
 * 2. Nothing is started in advance for a shape before its first use, or with `warm` off.
 * 3. Each miss doubles the target of a shape; each round halves it, but not below the uses in that round.
 *    Without use for `maxIdleMs` it is zero.
 * 4. Idle and starting sandboxes cost `maxIdleMemoryBytes` together at most; a shape in use displaces one
 *    that is not.
 * 5. At most `maxStarting` start in advance at once; after a failure a shape waits, longer each time.
 * 6. A run takes an idle sandbox, else joins one that starts already, else starts its own.
 * 7. After `close` nothing is idle, starting or being disposed of.
 */
export class SandboxPool {
  readonly #parts: PoolParts;
  /** Least recently used first. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #starting = 0;
  #hits = 0;
  #misses = 0;
  #roundEndsAt = 0;
  #wakeAt = Infinity;
  #cancelWake: () => void = () => {};

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** A sandbox of that shape that can be given those limits. Throws `sandbox.not_started`. */
  async take(shape: SandboxShape, signal: AbortSignal): Promise<TakenSandbox> {
    const { warm, maxIdlePerShape } = this.#parts.options;
    if (!warm) return this.#startCold(shape, signal);
    const shelf = this.#shelfOf(shape);
    const index = shelf.idle.findIndex(({ sandbox }) => fits(sandbox, shape));
    const [hit] = index < 0 ? [] : shelf.idle.splice(index, 1);
    if (hit) {
      this.#hits += 1;
      this.#wakeIn(refillDelayMs);
      return { sandbox: hit.sandbox, wasWarm: true };
    }
    // One with other limits, or dead, makes room for one that fits.
    this.#disposeIdle(shelf.idle.splice(0, 1));
    shelf.target = Math.min(maxIdlePerShape, Math.max(1, shelf.target * 2));
    const joined = await joinStart(shelf, signal);
    if (joined && fits(joined, shape)) {
      this.#misses += 1;
      this.#wakeIn(refillDelayMs);
      return { sandbox: joined, wasWarm: true };
    }
    if (joined) this.#dispose(joined);
    const taken = await this.#startCold(shape, signal);
    shelf.costBytes ??= taken.sandbox.idleMemoryBytes;
    // Not at once: a start beside the program that was just given its sandbox would slow that one down.
    this.#wakeIn(refillDelayMs);
    return taken;
  }

  report(): Pick<PoolReport, 'idle' | 'hits' | 'misses'> {
    const idle: Record<string, number> = {};
    for (const shelf of this.#shelves.values()) {
      if (shelf.idle.length === 0) continue;
      const label = shapeLabel(shelf.shape);
      idle[label] = (idle[label] ?? 0) + shelf.idle.length;
    }
    return { idle, hits: this.#hits, misses: this.#misses };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelWake();
    for (const shelf of this.#shelves.values()) this.#disposeIdle(shelf.idle.splice(0));
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.#shelves.clear();
  }

  async #startCold(shape: SandboxShape, signal: AbortSignal): Promise<TakenSandbox> {
    signal.throwIfAborted();
    this.#misses += 1;
    const preparing = this.#parts.prepare(shape, signal);
    try {
      return { sandbox: await orAborted(preparing, signal), wasWarm: false };
    } catch (error) {
      // A cancelled run does not wait for the driver; a sandbox that comes too late has no owner.
      const disposeLate = (late: PreparedSandbox): void => this.#dispose(late);
      this.#track(preparing.then(disposeLate, () => {}));
      throw error;
    }
  }

  #shelfOf(shape: SandboxShape): Shelf {
    const now = this.#parts.timers.now();
    if (this.#shelves.size === 0) this.#roundEndsAt = now + roundMs;
    const key = shapeKey(shape);
    const shelf = this.#shelves.get(key) ?? emptyShelf(shape);
    this.#shelves.delete(key);
    this.#shelves.set(key, shelf);
    shelf.shape = shape;
    shelf.usedAt = now;
    shelf.usesInRound += 1;
    for (const [oldestKey, oldest] of this.#shelves) {
      if (this.#shelves.size <= maxShapes) break;
      this.#shelves.delete(oldestKey);
      oldest.target = 0;
      this.#disposeIdle(oldest.idle.splice(0));
    }
    return shelf;
  }

  #wakeIn(delayMs: number): void {
    const at = this.#parts.timers.now() + delayMs;
    if (this.#closing.signal.aborted || this.#wakeAt <= at) return;
    this.#cancelWake();
    this.#wakeAt = at;
    this.#cancelWake = this.#parts.timers.after(delayMs, () => this.#wake());
  }

  #wake(): void {
    this.#wakeAt = Infinity;
    const now = this.#parts.timers.now();
    if (now >= this.#roundEndsAt) this.#endRound(now);
    this.#refill();
    if (this.#shelves.size === 0) return;
    const retries = [...this.#shelves.values()].map(({ retryAt }) => retryAt);
    const next = retries.filter((at) => at > now).concat(this.#roundEndsAt);
    this.#wakeIn(Math.min(...next) - now);
  }

  #endRound(now: number): void {
    this.#roundEndsAt = now + roundMs;
    const { maxIdleMs } = this.#parts.options;
    for (const [key, shelf] of this.#shelves) {
      const { target, usesInRound } = shelf;
      if (now - shelf.usedAt >= maxIdleMs) shelf.target = 0;
      else shelf.target = Math.min(target, Math.max(usesInRound, Math.ceil(target / 2)));
      shelf.usesInRound = 0;
      const isGood = ({ sandbox, startedAt }: Shelf['idle'][number]): boolean =>
        sandbox.isUsable() && now - startedAt < maxIdleMs;
      const good = shelf.idle.filter(isGood);
      const staying = good.slice(Math.max(0, good.length - shelf.target));
      this.#disposeIdle(shelf.idle.filter((idle) => !staying.includes(idle)));
      shelf.idle = staying;
      if (shelf.target === 0 && shelf.starting === 0) this.#shelves.delete(key);
    }
  }

  /** Starts what is missing, for the most recently used shape first. */
  #refill(): void {
    if (this.#closing.signal.aborted) return;
    const now = this.#parts.timers.now();
    for (const shelf of [...this.#shelves.values()].reverse()) {
      while (isShort(shelf) && now >= shelf.retryAt) {
        if (this.#starting >= this.#parts.options.maxStarting) return;
        if (!this.#makeRoomFor(shelf)) break;
        this.#start(shelf);
      }
    }
  }

  /** Whether one more of that shape fits the budget, after disposing of idle ones of shapes used less recently. */
  #makeRoomFor(shelf: Shelf): boolean {
    const budget = this.#parts.options.maxIdleMemoryBytes;
    const cost = shelf.costBytes ?? guessedIdleBytes;
    const isOver = (): boolean => {
      const costs = [...this.#shelves.values()].map(idleBytes);
      return costs.reduce((sum, bytes) => sum + bytes, cost) > budget;
    };
    for (const other of this.#shelves.values()) {
      if (other === shelf) break;
      while (isOver() && other.idle.length > 0) this.#disposeIdle(other.idle.splice(0, 1));
    }
    return !isOver();
  }

  #start(shelf: Shelf): void {
    this.#starting += 1;
    shelf.starting += 1;
    const start = this.#parts
      .prepare(shelf.shape, this.#closing.signal)
      .then((sandbox) => this.#onStarted(shelf, sandbox))
      .catch((error: unknown) => this.#onFailed(shelf, error))
      .finally(() => {
        this.#starting -= 1;
        this.#refill();
      });
    this.#track(start);
  }

  #onStarted(shelf: Shelf, sandbox: PreparedSandbox): void {
    shelf.starting -= 1;
    shelf.failures = 0;
    shelf.costBytes = sandbox.idleMemoryBytes;
    const isClosing = this.#closing.signal.aborted;
    const waiter = shelf.waiters.shift();
    if (waiter && !isClosing) return waiter(sandbox);
    waiter?.(undefined);
    if (isClosing || shelf.idle.length >= shelf.target) return this.#dispose(sandbox);
    shelf.idle.push({ sandbox, startedAt: this.#parts.timers.now() });
  }

  #onFailed(shelf: Shelf, error: unknown): void {
    shelf.starting -= 1;
    shelf.waiters.shift()?.(undefined);
    if (this.#closing.signal.aborted) return;
    const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** shelf.failures);
    shelf.failures += 1;
    shelf.retryAt = this.#parts.timers.now() + waitMs;
    this.#parts.log.warn('failed to pre-start a sandbox', {
      shape: shapeLabel(shelf.shape),
      waitMs,
      reason: error instanceof Error ? error.message : String(error),
    });
    this.#wakeIn(waitMs);
  }

  #disposeIdle(idle: readonly Shelf['idle'][number][]): void {
    for (const { sandbox } of idle) this.#dispose(sandbox);
  }

  #dispose(sandbox: PreparedSandbox): void {
    const disposed = sandbox.dispose().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.log.warn('failed to dispose of an idle sandbox', { reason });
    });
    this.#track(disposed);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}

function emptyShelf(shape: SandboxShape): Shelf {
  const counts = { starting: 0, target: 0, usesInRound: 0, usedAt: 0, failures: 0, retryAt: 0 };
  return { shape, idle: [], waiters: [], ...counts, costBytes: undefined };
}

/** Fewer wait or start than should. */
function isShort({ idle, starting, waiters, target }: Shelf): boolean {
  return idle.length + starting - waiters.length < target;
}

/** What the idle and the starting ones cost. */
function idleBytes({ idle, starting, costBytes = guessedIdleBytes }: Shelf): number {
  return idle.reduce((sum, { sandbox }) => sum + sandbox.idleMemoryBytes, starting * costBytes);
}

function fits(sandbox: PreparedSandbox, { limits }: SandboxShape): boolean {
  return sandbox.isUsable() && sandbox.accepts(limits);
}

/** Waits for a start that no other run waits for; undefined without one, or when it fails or the signal aborts. */
async function joinStart(shelf: Shelf, signal: AbortSignal): Promise<PreparedSandbox | undefined> {
  if (shelf.starting <= shelf.waiters.length) return undefined;
  return new Promise((resolve) => {
    const onAbort = (): void => {
      shelf.waiters.splice(shelf.waiters.indexOf(waiter), 1);
      resolve(undefined);
    };
    const waiter = (sandbox: PreparedSandbox | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(sandbox);
    };
    shelf.waiters.push(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Two runs with the same key can use the same idle sandbox, if it accepts their limits. */
function shapeKey({ toolchain, boot, mounts, limits }: SandboxShape): string {
  const { name, program, version } = toolchain;
  const folders = mounts.map(({ source, target }) => [source, target]);
  const parts = [name, program, version, boot, folders, limits.diskBytes, limits.openFiles];
  return JSON.stringify(parts);
}

/** Its name in reports. */
function shapeLabel({ toolchain, boot }: SandboxShape): string {
  return `${toolchain.name}/${boot}`;
}
