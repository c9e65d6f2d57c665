import type { PreparedSandbox, SandboxShape } from '../driver.ts';

export interface PoolOptions {
  /** Whether sandboxes are started in advance: for a server, not for a single call. */
  readonly warm: boolean;
  /** Sandboxes that run at once. */
  readonly maxRunning: number;
  /** Runs that wait for a place; more are refused with `sandbox.too_busy`. */
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

interface Idle {
  readonly sandbox: PreparedSandbox;
  readonly startedAt: number;
}

const firstRetryMs = 1000;
const maxRetryMs = 60_000;

/**
 * The sandboxes of one shape that wait or start, and how many there should be: each miss doubles the
 * number, and each round takes away half of those that nobody needed in it.
 */
export class IdleShape {
  shape: SandboxShape;
  readonly #idle: Idle[] = [];
  /** Runs that wait for a sandbox that starts; the first to start goes to the first of them. */
  readonly #joined: ((sandbox: PreparedSandbox | undefined) => void)[] = [];
  #starting = 0;
  #target = 0;
  /** Least number that waited at any time in this round. */
  #leastIdle = 0;
  #usesInRound = 0;
  #usedAt = 0;
  #failures = 0;
  #notBefore = 0;
  #cancelRetry: (() => void) | undefined;
  #isForgotten = false;
  /** What the latest one cost while it waited. */
  costOfOne: number | undefined;

  constructor(shape: SandboxShape) {
    this.shape = shape;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  /** Nobody used it for so long that nothing is kept for it. */
  get isForgotten(): boolean {
    const isEmpty = this.#idle.length === 0 && this.#starting === 0;
    return this.#isForgotten || (this.#target === 0 && isEmpty);
  }

  /** Sandboxes started from here on get the limits of the latest run. */
  noteUse(shape: SandboxShape, now: number): void {
    this.shape = shape;
    this.#usedAt = now;
    this.#usesInRound += 1;
  }

  noteMiss(maxIdle: number): void {
    this.#target = Math.min(maxIdle, Math.max(1, this.#target * 2));
  }

  /**
   * A place in line for a sandbox that starts already and nobody waits for; undefined without one. It
   * settles with nothing when that start fails or the signal aborts.
   */
  join(signal: AbortSignal): Promise<PreparedSandbox | undefined> | undefined {
    if (this.#starting <= this.#joined.length) return undefined;
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#joined.splice(this.#joined.indexOf(onStarted), 1);
        resolve(undefined);
      };
      const onStarted = (sandbox: PreparedSandbox | undefined): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(sandbox);
      };
      this.#joined.push(onStarted);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The oldest that lives and accepts the limits of the shape. */
  take(): PreparedSandbox | undefined {
    const index = this.#idle.findIndex(
      ({ sandbox }) => sandbox.isUsable() && sandbox.accepts(this.shape.limits),
    );
    return index < 0 ? undefined : this.#remove(index);
  }

  /** The oldest, whatever it is good for. */
  takeOldest(): PreparedSandbox | undefined {
    return this.#remove(0);
  }

  removeAll(): PreparedSandbox[] {
    return this.#idle.splice(0).map(({ sandbox }) => sandbox);
  }

  /** Fewer wait or start than should, and it may be tried. */
  isShort(now: number): boolean {
    const unclaimed = this.#idle.length + this.#starting - this.#joined.length;
    return unclaimed < this.#target && now >= this.#notBefore && !this.#isForgotten;
  }

  /** What the idle and the starting ones cost. */
  idleBytes(guessedBytes: number): number {
    const starting = this.#starting * (this.costOfOne ?? guessedBytes);
    return this.#idle.reduce((sum, { sandbox }) => sum + sandbox.idleMemoryBytes, starting);
  }

  noteStart(): void {
    this.#starting += 1;
  }

  /** Gives it to who waits, or keeps it; false when nobody wants it any more. */
  noteStarted(sandbox: PreparedSandbox, now: number): boolean {
    this.#starting -= 1;
    this.#failures = 0;
    this.costOfOne = sandbox.idleMemoryBytes;
    const joined = this.#joined.shift();
    if (joined) {
      joined(sandbox);
      return true;
    }
    if (this.#isForgotten || this.#idle.length >= this.#target) return false;
    this.#idle.push({ sandbox, startedAt: now });
    return true;
  }

  /** Says how long to wait until the next start in advance. */
  noteFailure(now: number): number {
    this.#starting -= 1;
    this.#joined.shift()?.(undefined);
    const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBefore = now + waitMs;
    return waitMs;
  }

  retryBy(cancel: () => void): void {
    this.#cancelRetry?.();
    this.#cancelRetry = cancel;
  }

  forgetRetry(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  /** Nothing is kept for it from here on. */
  forget(): void {
    this.#isForgotten = true;
    this.forgetRetry();
  }

  /** Sandboxes that are dead, too old, or more than were needed. */
  endRound(now: number, maxIdleMs: number): PreparedSandbox[] {
    this.#target = this.#targetAfter(now, maxIdleMs);
    const leaving = this.#idle.filter(
      ({ sandbox, startedAt }) => !sandbox.isUsable() || now - startedAt >= maxIdleMs,
    );
    const staying = this.#idle.filter((idle) => !leaving.includes(idle));
    leaving.push(...staying.splice(0, Math.max(0, staying.length - this.#target)));
    this.#idle.splice(0, this.#idle.length, ...staying);
    this.#leastIdle = this.#idle.length;
    this.#usesInRound = 0;
    return leaving.map(({ sandbox }) => sandbox);
  }

  /** The last one stays as long as a sandbox may wait: somebody works with pauses. */
  #targetAfter(now: number, maxIdleMs: number): number {
    if (this.#usesInRound > 0) return this.#target - Math.ceil(this.#leastIdle / 2);
    if (now - this.#usedAt >= maxIdleMs) return 0;
    return Math.ceil(this.#target / 2);
  }

  #remove(index: number): PreparedSandbox | undefined {
    const [removed] = this.#idle.splice(index, 1);
    this.#leastIdle = Math.min(this.#leastIdle, this.#idle.length);
    return removed?.sandbox;
  }
}

/** Two runs with the same key can use the same idle sandbox, if it accepts their limits. */
export function shapeKey({ toolchain, boot, mounts, limits }: SandboxShape): string {
  const { name, program, version } = toolchain;
  const folders = mounts.map(({ source, target }) => [source, target]);
  const parts = [name, program, version, boot, folders, limits.diskBytes, limits.openFiles];
  return JSON.stringify(parts);
}

/** What a person reads in a report. */
export function shapeLabel({ toolchain, boot }: SandboxShape): string {
  return `${toolchain.name}/${boot}`;
}
