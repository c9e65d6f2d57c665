import type { ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Caller } from '../contract/caller/index.ts';
import type { Refusal } from './exchange.ts';

export interface AdmissionLimits {
  /** Calls that run at the same time, of all callers together. */
  readonly maxCalls: number;
  /** Resident memory of the process above which hardly any call is begun. */
  readonly maxMemoryBytes: number;
  /** The same for the heap of JavaScript, which ends the process at its own limit. */
  readonly maxHeapBytes: number;
}

export interface MemoryUse {
  readonly residentBytes: number;
  readonly heapBytes: number;
}

/** Before a limit is reached, there must be room for the answers to calls that run. */
const memoryPart = 0.8;
const heapPart = 0.85;
/** Memory is returned late or never: with too much of it in use, a few calls at a time go on. */
const callsUnderPressure = 8;
const lookAtMemoryMs = 100;
/**
 * A tenant may have as many calls as this times the free slots: alone four fifths of all, two of them four ninths each.
 * However many tenants take what they can, some slots are left for one that has none.
 */
const tenantFactor = 4;
/** A body that is read to see whether it is a call at all, though no call can be begun. */
const maxBodyWhenFull = 65_536;

const retryAfterSeconds = 1;
const retryAfterPressureSeconds = 2;

export const defaultAdmissionLimits: AdmissionLimits = {
  maxCalls: 1_000,
  maxMemoryBytes: availableMemory(),
  maxHeapBytes: Math.floor(getHeapStatistics().heap_size_limit * heapPart),
};

/** A part of what the container, or the machine, has. */
function availableMemory(): number {
  const container = process.constrainedMemory() || Number.MAX_SAFE_INTEGER;
  return Math.floor(Math.min(container, totalmem()) * memoryPart);
}

/**
 * Whether calls may begin. What is refused costs nothing but its refusal, so memory does not grow with what clients send.
 *
 * 1. A call that has begun is never refused: it holds its slot until its response is over.
 * 2. What ends calls (answers to questions, cancellations) is not a call.
 * 3. The calls of one tenant never take every slot. The user at this machine has no tenant.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #readMemory: () => MemoryUse;
  #running = 0;
  readonly #byTenant = new Map<string, number>();
  #isDraining = false;
  #onIdle: (() => void) | undefined;
  #isPressed = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Partial<AdmissionLimits> = {}, readMemory = readOwnMemory) {
    this.#limits = { ...defaultAdmissionLimits, ...limits };
    this.#readMemory = readMemory;
  }

  /** Calls without a complete response. */
  get running(): number {
    return this.#running;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From here on no call begins. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Counts a call until its response is over, or says why it is not served. */
  enter(response: ServerResponse, { tenant }: Pick<Caller, 'tenant'> = {}): Refusal | undefined {
    const refusal = this.refusal() ?? this.#tenantRefusal(tenant);
    if (refusal) return refusal;
    this.#running += 1;
    this.#count(tenant, 1);
    response.once('close', () => {
      this.#running -= 1;
      this.#count(tenant, -1);
      if (this.#running === 0) this.#onIdle?.();
    });
    return undefined;
  }

  #tenantRefusal(tenant: string | undefined): Refusal | undefined {
    const own = tenant === undefined ? 0 : (this.#byTenant.get(tenant) ?? 0);
    if (own === 0 || own < tenantFactor * (this.#limits.maxCalls - this.#running)) return undefined;
    return tooMuch(
      `${own} calls of your tenant are running, which is its share`,
      retryAfterSeconds,
    );
  }

  #count(tenant: string | undefined, change: number): void {
    if (tenant === undefined) return;
    const count = (this.#byTenant.get(tenant) ?? 0) + change;
    if (count > 0) this.#byTenant.set(tenant, count);
    else this.#byTenant.delete(tenant);
  }

  /** Why no call can begin. */
  refusal(): Refusal | undefined {
    if (this.#isDraining) return draining;
    const { maxCalls } = this.#limits;
    if (this.#running >= maxCalls) {
      return tooMuch(`${maxCalls} calls are running, which is the limit`, retryAfterSeconds);
    }
    if (this.#running < callsUnderPressure || !this.#isUnderPressure()) return undefined;
    return tooMuch('The memory of this server is nearly used up', retryAfterPressureSeconds);
  }

  /** Why a body of this length is not even read. */
  bodyRefusal(length: number | undefined): Refusal | undefined {
    return (length ?? Infinity) > maxBodyWhenFull ? this.refusal() : undefined;
  }

  /** Resolves when no call runs, or after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #isUnderPressure(): boolean {
    const now = performance.now();
    if (now - this.#lookedAtMs < lookAtMemoryMs) return this.#isPressed;
    this.#lookedAtMs = now;
    const { residentBytes, heapBytes } = this.#readMemory();
    const { maxMemoryBytes, maxHeapBytes } = this.#limits;
    this.#isPressed = residentBytes > maxMemoryBytes || heapBytes > maxHeapBytes;
    return this.#isPressed;
  }
}

function readOwnMemory(): MemoryUse {
  return {
    residentBytes: process.memoryUsage.rss(),
    heapBytes: getHeapStatistics().used_heap_size,
  };
}

function tooMuch(what: string, waitSeconds: number): Refusal {
  return {
    status: 429,
    message: `${what}. Try again in ${waitSeconds} s`,
    headers: { 'retry-after': String(waitSeconds) },
  };
}

const draining: Refusal = {
  status: 503,
  message: 'This instance is being drained and takes no new calls. Try again: another one answers',
  // A balancer that keeps the connection would send the next one here, too.
  headers: { 'retry-after': String(retryAfterSeconds), connection: 'close' },
};
