/** Which login: of a caller (`Caller.id`) to a server (the name of its entry). */
export interface LoginKey {
  readonly callerId: string;
  readonly server: string;
}

/** A login as it is stored. Tokens and secrets are only in `sealed`, which the store cannot read. */
export interface LoginRecord extends LoginKey {
  /** The url of the entry when the tokens were obtained: they are sent nowhere else. */
  readonly serverUrl: string;
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Who logged in, in the authority's words. */
  readonly account: string | null;
  readonly expiresAtMs: number | null;
  readonly isRenewable: boolean;
  /** The authority or the server no longer accepts the tokens. */
  readonly isRevoked: boolean;
  readonly sealed: string;
}

export interface StoredLogin extends LoginRecord {
  /** Another after every write. */
  readonly version: number;
}

/** A client that an issuer registered for us. */
export interface ClientRecord {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly sealed: string;
}

export interface LoginLock extends LoginKey {
  /** Unique for each attempt. */
  readonly owner: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** Persists logins. Several processes may use it at once. */
export interface LoginStore {
  find(key: LoginKey): Promise<StoredLogin | undefined>;
  /** Replaces the login of this key, or adds it. With `version` only while it is that one: false otherwise. */
  put(record: LoginRecord, version?: number): Promise<boolean>;
  /** False when there was none. */
  remove(key: LoginKey): Promise<boolean>;
  /** Of several processes one gets the lock, until `unlock` or until it expires. */
  lock(lock: LoginLock): Promise<boolean>;
  unlock(lock: Pick<LoginLock, keyof LoginKey | 'owner'>): Promise<void>;
  findClient(issuer: string, redirectUri: string): Promise<ClientRecord | undefined>;
  putClient(record: ClientRecord): Promise<void>;
  removeClient(issuer: string, redirectUri: string): Promise<void>;
}
