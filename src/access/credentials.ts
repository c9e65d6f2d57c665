import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../contract/caller/index.ts';
import { reportError, type Clock, type Log } from '../kernel/index.ts';
import { CallerRevokedError } from './errors.ts';
import { digestOf, isKeySecret, keyCredential, prefixOf } from './key-secret.ts';
import type { AccessState, KeyStore, StoredKey } from './key-store.ts';

export interface CredentialsParts {
  readonly store: KeyStore;
  /** Verifies a token that is no API key; undefined where no issuer is configured. */
  readonly verifyJwt?: ((token: string) => Promise<Caller | undefined>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer tokens are refused unread. */
export const maxTokenLength = 16_384;
const maxVerified = 10_000;
/** A verified token is looked up again after this time, whatever else is known. */
const verifiedMs = 30_000;
const useWrittenEveryMs = 60_000;
/** Grants of runs are kept longer than any run may take. */
const grantKeptMs = 400 * 24 * 3_600_000;

interface Verified {
  readonly caller: Caller;
  readonly untilMs: number;
}

/**
 * Presented tokens → callers.
 *
 * 1. Nothing secret is kept: verified tokens are remembered by their digest, for a bounded number and time.
 * 2. No remembered token outlives its expiry, or `refresh` after a revocation.
 * 3. What cannot be read is refused: an error of the store is thrown, never taken for a yes.
 */
export class Credentials {
  readonly #parts: CredentialsParts;
  readonly #verified = new Map<string, Verified>();
  readonly #uses = new Map<string, number>();
  #usesWrittenAtMs = 0;
  /** One after the other: none puts an older state in place of a newer one. */
  #refreshed = Promise.resolve(false);
  #revision = -1;
  #state: AccessState = { closedKeys: new Set(), disabledTenants: new Map() };

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
  }

  /** With `isKnownOnly` just tokens that were verified before. */
  verify(
    token: string,
    { isKnownOnly = false }: { readonly isKnownOnly?: boolean } = {},
  ): Caller | undefined | Promise<Caller | undefined> {
    if (token.length > maxTokenLength) return undefined;
    const now = this.#parts.clock.now();
    const digest = digestOf(token);
    const known = this.#verified.get(digest);
    if (known && known.untilMs > now) {
      this.#noteUse(known.caller, now);
      return known.caller;
    }
    if (known) this.#verified.delete(digest);
    if (isKnownOnly) return undefined;
    return this.#lookUp(token, digest, now);
  }

  async #lookUp(token: string, digest: string, now: number): Promise<Caller | undefined> {
    await this.refresh();
    const caller = isKeySecret(token)
      ? await this.#keyCaller(token, digest, now)
      : await this.#parts.verifyJwt?.(token);
    return this.#remember(digest, caller);
  }

  /** Reads what is switched off, if that changed; true when it did. Where that fails nothing stays verified. */
  refresh(): Promise<boolean> {
    const refreshed = this.#refreshed.then(() => this.#refreshOnce());
    this.#refreshed = refreshed.catch(() => false);
    return refreshed;
  }

  async #refreshOnce(): Promise<boolean> {
    const { store } = this.#parts;
    try {
      const revision = await store.revision();
      if (revision === this.#revision) return false;
      // In this order: the next refresh sees a change in between.
      this.#state = await store.state();
      this.#revision = revision;
      this.#verified.clear();
      return true;
    } catch (error) {
      this.#verified.clear();
      throw error;
    }
  }

  /** Whether requests that the caller has under way may go on. */
  isActive(caller: Caller): boolean {
    const { role, tenant, credential, credentialEndsAtMs } = caller;
    if (role === undefined) return true;
    if (credentialEndsAtMs !== undefined && credentialEndsAtMs <= this.#parts.clock.now()) {
      return false;
    }
    return !this.#isClosed(tenant ?? '', credential ?? '');
  }

  /** Notes what a run may do, before it is stored. Nothing for the user at this machine. */
  async grantRun(runId: string, caller: Caller): Promise<void> {
    const { role, tenant = '', scopes = null, credential = '' } = caller;
    if (role === undefined) return;
    const now = this.#parts.clock.now();
    const grant = { runId, callerId: caller.id, tenant, role, scopes, credential };
    await this.#parts.store.grantRun(grant, now, now - grantKeptMs);
  }

  /**
   * The caller of a run with what it may do now: a key as it is today, a token as it was. Throws
   * `access.caller_revoked` when it may do nothing any more, or when that is not known.
   */
  async runCaller(runId: string, callerId: string): Promise<Caller> {
    if (callerId === 'local') return { id: callerId };
    await this.refresh();
    const { store, clock } = this.#parts;
    const grant = await store.runGrant(runId);
    if (grant?.callerId !== callerId) {
      throw new CallerRevokedError(callerId, 'it is not known what its runs may do');
    }
    const { tenant, credential, role, scopes } = grant;
    if (this.#isClosed(tenant, credential)) {
      throw new CallerRevokedError(callerId, `${credential} or its tenant was switched off`);
    }
    const keyStart = keyCredential('');
    if (!credential.startsWith(keyStart)) return callerOf({ ...grant, id: callerId, role, scopes });
    const key = await store.find(credential.slice(keyStart.length));
    if (!key || (key.expiresAtMs ?? Infinity) <= clock.now()) {
      throw new CallerRevokedError(callerId, `${credential} has expired or is gone`);
    }
    return callerOfKey(key);
  }

  async close(): Promise<void> {
    await this.#writeUses();
  }

  #isClosed(tenant: string, credential: string): boolean {
    const { closedKeys, disabledTenants } = this.#state;
    const keyStart = keyCredential('');
    const isKey = credential.startsWith(keyStart);
    return (
      disabledTenants.has(tenant) || (isKey && closedKeys.has(credential.slice(keyStart.length)))
    );
  }

  async #keyCaller(token: string, digest: string, now: number): Promise<Caller | undefined> {
    const presented = Buffer.from(digest);
    let found: Caller | undefined;
    const candidates = await this.#parts.store.candidates(prefixOf(token));
    for (const { key, digest: stored, endsAtMs } of candidates) {
      const expected = Buffer.from(stored);
      const isSame = expected.length === presented.length && timingSafeEqual(expected, presented);
      const endsMs = Math.min(endsAtMs ?? Infinity, key.expiresAtMs ?? Infinity);
      const isOpen = key.revokedAtMs === null && key.disabledAtMs === null && endsMs > now;
      if (!isSame || !isOpen) continue;
      const ends = Number.isFinite(endsMs) ? { credentialEndsAtMs: endsMs } : {};
      found = { ...callerOfKey(key), ...ends };
    }
    return found;
  }

  #remember(digest: string, caller: Caller | undefined): Caller | undefined {
    if (!caller || !this.isActive(caller)) return undefined;
    const now = this.#parts.clock.now();
    const untilMs = Math.min(now + verifiedMs, caller.credentialEndsAtMs ?? Infinity);
    const [oldest] = this.#verified.size >= maxVerified ? this.#verified.keys() : [];
    if (oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(digest, { caller, untilMs });
    this.#noteUse(caller, now);
    return caller;
  }

  #noteUse({ credential = '' }: Caller, now: number): void {
    const keyStart = keyCredential('');
    if (!credential.startsWith(keyStart)) return;
    this.#uses.set(credential.slice(keyStart.length), now);
    if (now - this.#usesWrittenAtMs < useWrittenEveryMs) return;
    this.#usesWrittenAtMs = now;
    void this.#writeUses();
  }

  /** That a key was used is worth no failed request. */
  async #writeUses(): Promise<void> {
    const uses = new Map(this.#uses);
    this.#uses.clear();
    if (uses.size === 0) return;
    try {
      await this.#parts.store.noteUse(uses);
    } catch (error) {
      this.#parts.log.warn('failed to record key use', { message: reportError(error).message });
    }
  }
}

/** What a key may do, apart from whether and how long it is valid. */
export function callerOfKey(key: StoredKey): Caller {
  return callerOf({ ...key, id: key.callerId, credential: keyCredential(key.id) });
}

function callerOf(
  of: Pick<StoredKey, 'tenant' | 'role' | 'scopes'> & {
    readonly id: string;
    readonly credential: string;
  },
): Caller {
  const { id, tenant, role, scopes, credential } = of;
  return { id, tenant, role, credential, ...(scopes !== null && { scopes }) };
}
