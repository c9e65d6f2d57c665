import type { Role } from '../contract/access/index.ts';

/** An API key as it is stored. Times are milliseconds since the epoch. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly callerId: string;
  readonly tenant: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly disabledAtMs: number | null;
}

/** A secret of a key: its digest, and the beginning by which it is looked up. */
export interface StoredSecret {
  readonly prefix: string;
  readonly digest: string;
  readonly createdAtMs: number;
}

/** A key that a presented secret may belong to: the digest decides. */
export interface KeyCandidate {
  readonly key: StoredKey;
  readonly digest: string;
  /** When this secret of the key ends, after a rotation. */
  readonly endsAtMs: number | null;
}

/** What a run may do for a caller that is not the user at this machine. */
export interface RunGrant {
  readonly runId: string;
  readonly callerId: string;
  readonly tenant: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  readonly credential: string;
}

/** What is switched off now. */
export interface AccessState {
  /** Keys that were revoked or disabled. */
  readonly closedKeys: ReadonlySet<string>;
  readonly disabledTenants: ReadonlyMap<string, number>;
}

/** Keys, tenants and the grants of runs. Several processes may use it at once. */
export interface KeyStore {
  add(key: StoredKey, secret: StoredSecret): Promise<void>;
  /** Of one tenant, or of all; the newest first, at most `limit`. */
  list(tenant: string | null, limit: number): Promise<readonly StoredKey[]>;
  find(id: string): Promise<StoredKey | undefined>;
  /** Whether there is a key that was not revoked and has not expired. */
  hasUsable(nowMs: number): Promise<boolean>;
  candidates(prefix: string): Promise<readonly KeyCandidate[]>;
  /** The secrets so far end at `graceEndsAtMs`, unless they end before. */
  addSecret(id: string, secret: StoredSecret, graceEndsAtMs: number): Promise<void>;
  /** Revoking lasts; the first time counts. */
  revoke(id: string, atMs: number): Promise<void>;
  setDisabled(id: string, atMs: number | null): Promise<void>;
  noteUse(uses: ReadonlyMap<string, number>): Promise<void>;
  setTenantDisabled(tenant: string, atMs: number | null): Promise<void>;
  /** Changes with everything that takes access away or gives it back. */
  revision(): Promise<number>;
  state(): Promise<AccessState>;
  /** Grants of runs that were started before `forgetBeforeMs` are removed. */
  grantRun(grant: RunGrant, atMs: number, forgetBeforeMs: number): Promise<void>;
  runGrant(runId: string): Promise<RunGrant | undefined>;
}
