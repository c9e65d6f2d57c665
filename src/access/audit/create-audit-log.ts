import { setTimeout as pause } from 'node:timers/promises';
import type {
  AuditEntry,
  AuditFilter,
  AuditLog,
  AuditVerdict,
  NewAuditEntry,
} from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import {
  AppError,
  blankUnseen,
  type Clock,
  type Log,
  RecentValues,
  reportError,
} from '../../kernel/index.ts';
import type { AuditMark, AuditStore } from './audit-store.ts';
import { chainEntries, type PendingEntry } from './chain.ts';
import { sealedAction, sealTarget, truncatedAction, verifyChain } from './verify-chain.ts';

export interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Hides what looks like a secret, and cuts the text to the length. */
  readonly redact: (text: string, maxLength: number) => string;
  /** Entries older than this, and all but the last `maxEntries`, are removed behind a seal. */
  readonly keepMs: number;
  readonly maxEntries: number;
}

export interface RunningAuditLog extends AuditLog {
  /** Settles when all that was recorded before is on the disk; throws where it cannot be written. */
  flush(): Promise<void>;
  /** Writes what is left; what cannot be written is counted in the log. */
  close(): Promise<void>;
}

/** Entries in memory. While the disk fails they wait; when this many do, further requests are refused. */
export const maxWaiting = 10_000;
const maxBatch = 1_000;
const flushMs = 20;
const firstRetryMs = 100;
const maxRetryMs = 5_000;
/** Of `flush` and `close`. */
const maxAttempts = 5;
const maxTextLength = 400;
/** Characters of texts whose redacted form is remembered: names of tools and rules repeat. */
const maxRememberedText = 200_000;
/** Old entries are looked for this often, and with every batch while there are more. */
const sealEveryMs = 3_600_000;
const maxSealed = 5_000;

/**
 * The audit log of this process.
 *
 * 1. Entries are written in the order of `record`, and stay in memory until the store has them.
 * 2. `record` never waits; when `maxWaiting` entries wait it throws, so that what cannot be recorded is not done.
 * 3. Every text of an entry is redacted, shortened and free of control characters before it is hashed.
 */
export function createAuditLog(options: AuditLogOptions): RunningAuditLog {
  return new QueuedAuditLog(options);
}

class QueuedAuditLog implements RunningAuditLog {
  readonly #options: AuditLogOptions;
  readonly #texts = new RecentValues<string>(maxRememberedText);
  #waiting: PendingEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** One write after the other: each continues the chain of the one before. */
  #writing = Promise.resolve(true);
  #failures = 0;
  #lastFailure: unknown;
  #sealedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  record(entry: NewAuditEntry): void {
    if (this.#isClosed || this.#waiting.length >= maxWaiting) {
      const reason = this.#isClosed ? 'it is closed' : reportError(this.#lastFailure).message;
      throw new AuditUnavailableError(this.#waiting.length, reason);
    }
    const at = new Date(this.#options.clock.now()).toISOString();
    this.#waiting.push({ ...entry, at });
    if (this.#waiting.length === maxBatch && this.#failures === 0) this.#flushAfter(0);
    else if (!this.#timer) this.#flushAfter(flushMs);
  }

  async list(by: Caller, filter: AuditFilter): Promise<readonly AuditEntry[]> {
    await this.flush();
    // The user at this machine has no role and sees all tenants.
    const tenant = by.role === undefined ? undefined : (by.tenant ?? null);
    return this.#options.store.list({ ...filter, tenant });
  }

  async verify(): Promise<AuditVerdict> {
    await this.flush();
    return verifyChain(this.#options.store);
  }

  async flush(): Promise<void> {
    if (!(await this.#writeSoon())) throw this.#lastFailure;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writeSoon();
    clearTimeout(this.#timer);
    const { length: count } = this.#waiting;
    if (count > 0) this.#options.log.error('audit entries lost', { count });
  }

  /** Whether all that waited is written: another process may have the database for a moment. */
  async #writeSoon(): Promise<boolean> {
    for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
      if (await this.#write()) return true;
      await pause(firstRetryMs);
    }
    return this.#write();
  }

  #write(): Promise<boolean> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  async #writeWaiting(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { store, log } = this.#options;
    if (this.#waiting.length === 0) return true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, maxBatch).map((entry) => this.#clean(entry));
      try {
        await store.append((last, noted) => this.#chain(last, noted, batch));
      } catch (error) {
        if (this.#failures === 0) log.error('failed to write audit entries', { error });
        this.#lastFailure = error;
        this.#failures += 1;
        this.#flushAfter(Math.min(firstRetryMs * 2 ** this.#failures, maxRetryMs));
        return false;
      }
      this.#failures = 0;
      this.#waiting.splice(0, batch.length);
    }
    await this.#sealOld();
    return true;
  }

  /** A noted entry that the database lacks was removed from it: the chain says so from here on. */
  #chain(
    last: AuditMark | undefined,
    noted: AuditMark | undefined,
    batch: readonly PendingEntry[],
  ): readonly AuditEntry[] {
    const lastNumber = last?.number ?? 0;
    if (!noted || noted.number <= lastNumber) return chainEntries(last, batch);
    const target = `${lastNumber + 1}-${noted.number}`;
    return chainEntries(last, [this.#ownEntry(truncatedAction, target, false), ...batch]);
  }

  async #sealOld(): Promise<void> {
    const { store, clock, log, keepMs, maxEntries } = this.#options;
    const now = clock.now();
    if (now - this.#sealedAtMs < sealEveryMs) return;
    try {
      const removed = await store.removeOld({
        before: new Date(now - keepMs).toISOString(),
        maxEntries,
        maxCount: maxSealed,
        seal: (last, end) => {
          const [entry] = chainEntries(last, [this.#ownEntry(sealedAction, sealTarget(end), true)]);
          if (!entry) throw new Error('unreachable: one entry was chained');
          return entry;
        },
      });
      if (removed < maxSealed) this.#sealedAtMs = now;
    } catch (error) {
      this.#sealedAtMs = now;
      log.warn('failed to remove old audit entries', { error });
    }
  }

  #ownEntry(action: string, target: string, isAllowed: boolean): PendingEntry {
    return {
      at: new Date(this.#options.clock.now()).toISOString(),
      callerId: null,
      tenant: null,
      credential: null,
      action,
      target,
      isAllowed,
      rule: isAllowed
        ? 'audit.keep_days, audit.max_entries'
        : 'the file beside the database names later entries',
      face: 'cli',
      argumentsDigest: null,
      address: null,
      traceId: null,
    };
  }

  #clean(entry: PendingEntry): PendingEntry {
    const text = (value: string): string => this.#cleanText(value);
    const orNull = (value: string | null): string | null => (value === null ? null : text(value));
    return {
      ...entry,
      callerId: orNull(entry.callerId),
      tenant: orNull(entry.tenant),
      credential: orNull(entry.credential),
      action: text(entry.action),
      target: text(entry.target),
      rule: text(entry.rule),
      address: orNull(entry.address),
      // Each is another one: not worth remembering, and of a shape that needs no redaction.
      traceId: /^[0-9a-f]{32}$/.test(entry.traceId ?? '') ? entry.traceId : null,
    };
  }

  #cleanText(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const plain = blankUnseen(text.toWellFormed());
    const cleaned = this.#options.redact(plain, maxTextLength);
    this.#texts.set(text, cleaned, cleaned.length);
    return cleaned;
  }

  #flushAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), delayMs);
    // `close` writes what is left.
    this.#timer.unref();
  }
}

/** The audit log cannot take another entry: what would have to be recorded is refused. */
class AuditUnavailableError extends AppError {
  readonly code = 'access.audit_unavailable';
  override readonly retryable = true;

  constructor(waiting: number, reason: string) {
    super(
      `The request was refused because it cannot be recorded: ${waiting} entries wait to be written to the audit log (${reason})`,
      { details: { waiting } },
    );
  }
}
