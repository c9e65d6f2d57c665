import { randomInt } from 'node:crypto';
import type {
  ClientRecord,
  LoginKey,
  LoginLock,
  LoginRecord,
  LoginStore,
  StoredLogin,
} from '../../fleet/index.ts';
import { all, one, type SqlDatabase, type SqlWork } from './sql-database.ts';

const findSql = 'SELECT * FROM logins WHERE caller_id = $1 AND server = $2';

const versionSql = 'SELECT version FROM logins WHERE caller_id = $1 AND server = $2';

/** Exclusive; the largest that `randomInt` takes. */
const maxVersion = 2 ** 48 - 1;

const putSql = `
  INSERT INTO logins (caller_id, server, server_url, resource, issuer, scopes, account, expires_at_ms,
                      is_renewable, is_revoked, sealed, version)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (caller_id, server) DO UPDATE SET server_url = excluded.server_url, resource = excluded.resource,
    issuer = excluded.issuer, scopes = excluded.scopes, account = excluded.account,
    expires_at_ms = excluded.expires_at_ms, is_renewable = excluded.is_renewable,
    is_revoked = excluded.is_revoked, sealed = excluded.sealed, version = excluded.version`;

const removeSql = 'DELETE FROM logins WHERE caller_id = $1 AND server = $2 RETURNING server';

const lockSql = `
  INSERT INTO login_locks (caller_id, server, owner, until_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (caller_id, server) DO UPDATE SET owner = $3, until_ms = $4
    WHERE login_locks.until_ms <= $5 OR login_locks.owner = $3 RETURNING owner`;

const unlockSql = 'DELETE FROM login_locks WHERE caller_id = $1 AND server = $2 AND owner = $3';

const findClientSql = 'SELECT sealed FROM login_clients WHERE issuer = $1 AND redirect_uri = $2';

const putClientSql = `
  INSERT INTO login_clients (issuer, redirect_uri, sealed) VALUES ($1, $2, $3)
  ON CONFLICT (issuer, redirect_uri) DO UPDATE SET sealed = excluded.sealed`;

const removeClientSql = 'DELETE FROM login_clients WHERE issuer = $1 AND redirect_uri = $2';

/** Keeps logins. */
export class SqlLoginStore implements LoginStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async find({ callerId, server }: LoginKey): Promise<StoredLogin | undefined> {
    const [row] = await this.#database.rows(findSql, callerId, server);
    if (!row) return undefined;
    const { account, expires_at_ms: expiresAtMs } = row;
    return {
      callerId,
      server,
      serverUrl: String(row['server_url']),
      resource: String(row['resource']),
      issuer: String(row['issuer']),
      scopes: String(row['scopes']).split(' ').filter(Boolean),
      account: account === null ? null : String(account),
      expiresAtMs: expiresAtMs === null ? null : Number(expiresAtMs),
      isRenewable: row['is_renewable'] === 1,
      isRevoked: row['is_revoked'] === 1,
      sealed: String(row['sealed']),
      version: Number(row['version']),
    };
  }

  put(record: LoginRecord, version?: number): Promise<boolean> {
    const { callerId, server } = record;
    // Random: versions do not repeat when a login was removed and another one made.
    const newVersion = randomInt(maxVersion);
    return this.#write(record, function* () {
      const current = (yield* one(versionSql, callerId, server))?.['version'];
      if (version !== undefined && current !== version) return false;
      yield* all(
        putSql,
        callerId,
        server,
        record.serverUrl,
        record.resource,
        record.issuer,
        record.scopes.join(' '),
        record.account,
        record.expiresAtMs,
        Number(record.isRenewable),
        Number(record.isRevoked),
        record.sealed,
        newVersion,
      );
      return true;
    });
  }

  async remove(key: LoginKey): Promise<boolean> {
    if (!this.#database.exists) return false;
    const removed = await this.#write(key, () => all(removeSql, key.callerId, key.server));
    return removed.length > 0;
  }

  async lock(lock: LoginLock): Promise<boolean> {
    const { callerId, server, owner, nowMs, untilMs } = lock;
    const values = [callerId, server, owner, untilMs, nowMs] as const;
    const locked = await this.#write(lock, () => all(lockSql, ...values), 'normal');
    return locked.length > 0;
  }

  async unlock(lock: LoginKey & Pick<LoginLock, 'owner'>): Promise<void> {
    const { callerId, server, owner } = lock;
    await this.#write(lock, () => all(unlockSql, callerId, server, owner), 'normal');
  }

  async findClient(issuer: string, redirectUri: string): Promise<ClientRecord | undefined> {
    const [row] = await this.#database.rows(findClientSql, issuer, redirectUri);
    return row && { issuer, redirectUri, sealed: String(row['sealed']) };
  }

  async putClient({ issuer, redirectUri, sealed }: ClientRecord): Promise<void> {
    const terms = { locks: [`login client ${issuer}`], durability: 'full' } as const;
    await this.#database.write(terms, () => all(putClientSql, issuer, redirectUri, sealed));
  }

  async removeClient(issuer: string, redirectUri: string): Promise<void> {
    const terms = { locks: [`login client ${issuer}`], durability: 'full' } as const;
    await this.#database.write(terms, () => all(removeClientSql, issuer, redirectUri));
  }

  /** A lost refresh token is a lost login. */
  #write<Result>(
    { callerId, server }: LoginKey,
    work: () => SqlWork<Result>,
    durability: 'full' | 'normal' = 'full',
  ): Promise<Result> {
    return this.#database.write({ locks: [`login ${callerId} ${server}`], durability }, work);
  }
}
