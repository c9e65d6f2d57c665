import type { PoolReport } from '../../contract/sandbox/index.ts';
import { orAborted, type Log, type Timers } from '../../kernel/index.ts';
import type { PreparedSandbox, SandboxShape } from '../driver.ts';
import { IdleShape, type PoolOptions, shapeKey, shapeLabel } from './idle-shape.ts';

/** What a pool needs besides its options. */
export interface PoolGround {
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

/** How often idle sandboxes are looked at: age, deaths, and whether fewer would do. */
const roundMs = 30_000;
/** Longer than a small program takes from its start to its first output. */
const refillDelayMs = 15;
/** Shapes that are kept in mind; the one not used for longest is forgotten. */
const maxShapes = 32;
/** What a sandbox is thought to cost before one of its shape was seen. */
const guessedIdleBytes = 48 * 1024 * 1024;

/**
 * Sandboxes started in advance, per shape.
 *
 * 1. A sandbox is taken once and never comes back.
 * 2. Nothing is started in advance for a shape before its first use, or with `warm` off.
 * 3. Idle ones and those that start cost `maxIdleMemoryBytes` together at most; a shape in use takes
 *    the place of one that is not.
 * 4. At most `maxStarting` start in advance at once; after a failure a shape waits, longer each time.
 * 5. A run takes an idle sandbox, else joins one that starts already, else starts its own.
 * 6. After `close` nothing is idle, starting or being disposed of.
 */
export class SandboxPool {
  readonly #ground: PoolGround;
  readonly #shapes = new Map<string, IdleShape>();
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #starting = 0;
  #hits = 0;
  #misses = 0;
  #cancelRound: (() => void) | undefined;
  #cancelRefill: (() => void) | undefined;

  constructor(ground: PoolGround) {
    this.#ground = ground;
  }

  /** A sandbox of that shape that can be given those limits. Throws `sandbox.not_started`. */
  async take(shape: SandboxShape, signal: AbortSignal): Promise<TakenSandbox> {
    if (!this.#ground.options.warm) return this.#takeCold(shape, signal);
    const kept = this.#shapeOf(shape);
    kept.noteUse(shape, this.#ground.timers.now());
    const idle = kept.take();
    if (idle) {
      this.#hits += 1;
      this.#refillSoon();
      return { sandbox: idle, wasWarm: true };
    }
    // One of other limits, or dead, makes place for one that fits.
    const unfit = kept.takeOldest();
    if (unfit) this.#dispose(unfit);
    kept.noteMiss(this.#ground.options.maxIdlePerShape);
    const joined = kept.join(signal);
    if (joined) {
      const sandbox = await joined;
      if (sandbox?.isUsable() === true && sandbox.accepts(shape.limits)) {
        this.#misses += 1;
        this.#refillSoon();
        return { sandbox, wasWarm: true };
      }
      if (sandbox) this.#dispose(sandbox);
      signal.throwIfAborted();
    }
    const taken = await this.#takeCold(shape, signal);
    kept.costOfOne ??= taken.sandbox.idleMemoryBytes;
    this.#refillSoon();
    return taken;
  }

  report(): Pick<PoolReport, 'idle' | 'hits' | 'misses'> {
    const idle: Record<string, number> = {};
    for (const kept of this.#shapes.values()) {
      if (kept.idleCount === 0) continue;
      const label = shapeLabel(kept.shape);
      idle[label] = (idle[label] ?? 0) + kept.idleCount;
    }
    return { idle, hits: this.#hits, misses: this.#misses };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRound?.();
    this.#cancelRefill?.();
    for (const kept of this.#shapes.values()) {
      kept.forgetRetry();
      for (const sandbox of kept.removeAll()) this.#dispose(sandbox);
    }
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.#shapes.clear();
  }

  async #takeCold(shape: SandboxShape, signal: AbortSignal): Promise<TakenSandbox> {
    this.#misses += 1;
    const preparing = this.#ground.prepare(shape, signal);
    try {
      return { sandbox: await orAborted(preparing, signal), wasWarm: false };
    } catch (error) {
      // Who cancels does not wait for a driver; what it brings too late is nobody's.
      const disposeOfLate = (late: PreparedSandbox): void => this.#dispose(late);
      this.#track(preparing.then(disposeOfLate, () => {}));
      throw error;
    }
  }

  #shapeOf(shape: SandboxShape): IdleShape {
    const key = shapeKey(shape);
    const known = this.#shapes.get(key);
    // Moved to the end: the first of the map is the one not used for longest.
    this.#shapes.delete(key);
    const kept = known ?? new IdleShape(shape);
    this.#shapes.set(key, kept);
    for (const [oldestKey, oldest] of this.#shapes) {
      if (this.#shapes.size <= maxShapes) break;
      this.#shapes.delete(oldestKey);
      oldest.forget();
      for (const sandbox of oldest.removeAll()) this.#dispose(sandbox);
    }
    this.#startRounds();
    return kept;
  }

  /** Not at once: a start beside the program that was just given its sandbox would make that one slower. */
  #refillSoon(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelRefill ??= this.#ground.timers.after(refillDelayMs, () => {
      this.#cancelRefill = undefined;
      this.#refill();
    });
  }

  /** Starts what is missing, the shape used last first. */
  #refill(): void {
    if (this.#closing.signal.aborted) return;
    for (const kept of [...this.#shapes.values()].reverse()) {
      while (kept.isShort(this.#ground.timers.now())) {
        if (this.#starting >= this.#ground.options.maxStarting) return;
        if (!this.#makeRoomFor(kept)) break;
        this.#start(kept);
      }
    }
  }

  /** Whether one more of that shape fits the budget, after idle ones of shapes used less lately went. */
  #makeRoomFor(kept: IdleShape): boolean {
    const budget = this.#ground.options.maxIdleMemoryBytes;
    const cost = kept.costOfOne ?? guessedIdleBytes;
    for (const other of this.#shapes.values()) {
      if (this.#idleBytes() + cost <= budget) return true;
      if (other === kept) return false;
      while (this.#idleBytes() + cost > budget) {
        const oldest = other.takeOldest();
        if (!oldest) break;
        this.#dispose(oldest);
      }
    }
    return this.#idleBytes() + cost <= budget;
  }

  #idleBytes(): number {
    let bytes = 0;
    for (const kept of this.#shapes.values()) bytes += kept.idleBytes(guessedIdleBytes);
    return bytes;
  }

  #start(kept: IdleShape): void {
    this.#starting += 1;
    const start = this.#ground
      .prepare(kept.shape, this.#closing.signal)
      .then((sandbox) => this.#onStarted(kept, sandbox))
      .catch((error: unknown) => this.#onFailed(kept, error))
      .finally(() => {
        this.#starting -= 1;
        this.#refill();
      });
    kept.noteStart();
    this.#track(start);
  }

  #onStarted(kept: IdleShape, sandbox: PreparedSandbox): void {
    const now = this.#ground.timers.now();
    if (this.#closing.signal.aborted) kept.noteFailure(now);
    else if (kept.noteStarted(sandbox, now)) return;
    this.#dispose(sandbox);
  }

  #onFailed(kept: IdleShape, error: unknown): void {
    const waitMs = kept.noteFailure(this.#ground.timers.now());
    if (this.#closing.signal.aborted) return;
    this.#ground.log.warn('A sandbox could not be started in advance', {
      shape: shapeLabel(kept.shape),
      waitMs,
      reason: error instanceof Error ? error.message : String(error),
    });
    kept.retryBy(this.#ground.timers.after(waitMs, () => this.#refill()));
  }

  #startRounds(): void {
    if (this.#cancelRound !== undefined || this.#closing.signal.aborted) return;
    this.#cancelRound = this.#ground.timers.after(roundMs, () => {
      this.#cancelRound = undefined;
      this.#endRound();
    });
  }

  #endRound(): void {
    const now = this.#ground.timers.now();
    for (const [key, kept] of this.#shapes) {
      const leaving = kept.endRound(now, this.#ground.options.maxIdleMs);
      for (const sandbox of leaving) this.#dispose(sandbox);
      if (!kept.isForgotten) continue;
      kept.forget();
      this.#shapes.delete(key);
    }
    this.#refill();
    if (this.#shapes.size > 0) this.#startRounds();
  }

  #dispose(sandbox: PreparedSandbox): void {
    const disposed = sandbox.dispose().catch((error: unknown) => {
      this.#ground.log.warn('A sandbox that was not used could not be removed', {
        reason: error instanceof Error ? error.message : String(error),
      });
    });
    this.#track(disposed);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}
