import type {
  ClientRecord,
  LoginKey,
  LoginLock,
  LoginRecord,
  LoginStore,
  StoredLogin,
} from '../../fleet/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const findSql = 'SELECT * FROM logins WHERE caller_id = ? AND server = ?';

const versionSql = 'SELECT version FROM logins WHERE caller_id = ? AND server = ?';

/** Versions are random, in 53 bits: they do not repeat when a login was removed and another one made. */
const putSql = `
  INSERT INTO logins (caller_id, server, server_url, resource, issuer, scopes, account, expires_at_ms,
                      is_renewable, is_revoked, sealed, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, RANDOM() & 9007199254740991)
  ON CONFLICT DO UPDATE SET server_url = excluded.server_url, resource = excluded.resource,
    issuer = excluded.issuer, scopes = excluded.scopes, account = excluded.account,
    expires_at_ms = excluded.expires_at_ms, is_renewable = excluded.is_renewable,
    is_revoked = excluded.is_revoked, sealed = excluded.sealed, version = excluded.version`;

const removeSql = 'DELETE FROM logins WHERE caller_id = ? AND server = ?';

const lockSql = `
  INSERT INTO login_locks (caller_id, server, owner, until_ms) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT DO UPDATE SET owner = ?3, until_ms = ?4 WHERE until_ms <= ?5 OR owner = ?3`;

const unlockSql = 'DELETE FROM login_locks WHERE caller_id = ? AND server = ? AND owner = ?';

const findClientSql = 'SELECT sealed FROM login_clients WHERE issuer = ? AND redirect_uri = ?';

const putClientSql = `
  INSERT INTO login_clients (issuer, redirect_uri, sealed) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET sealed = excluded.sealed`;

const removeClientSql = 'DELETE FROM login_clients WHERE issuer = ? AND redirect_uri = ?';

/** A lost refresh token is a lost login. Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;
const lockTerms = { durability: 'normal', busyTimeoutMs: 250 } as const;

/** Keeps logins in SQLite. */
export class SqliteLoginStore implements LoginStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async find({ callerId, server }: LoginKey): Promise<StoredLogin | undefined> {
    // A read must not create the database.
    if (!this.#database.exists) return undefined;
    const row = this.#database.readOne((statements) => statements(findSql).get(callerId, server));
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
    return this.#write((statements) => {
      const current = statements(versionSql).get(callerId, server)?.['version'];
      if (version !== undefined && current !== version) return false;
      statements(putSql).run(
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
      );
      return true;
    });
  }

  async remove({ callerId, server }: LoginKey): Promise<boolean> {
    if (!this.#database.exists) return false;
    return this.#write((statements) => statements(removeSql).run(callerId, server).changes > 0);
  }

  lock({ callerId, server, owner, nowMs, untilMs }: LoginLock): Promise<boolean> {
    const values = [callerId, server, owner, untilMs, nowMs] as const;
    return this.#write((statements) => statements(lockSql).run(...values).changes > 0, lockTerms);
  }

  async unlock({ callerId, server, owner }: LoginKey & Pick<LoginLock, 'owner'>): Promise<void> {
    await this.#write(
      (statements) => statements(unlockSql).run(callerId, server, owner),
      lockTerms,
    );
  }

  async findClient(issuer: string, redirectUri: string): Promise<ClientRecord | undefined> {
    if (!this.#database.exists) return undefined;
    const row = this.#database.readOne((statements) =>
      statements(findClientSql).get(issuer, redirectUri),
    );
    return row && { issuer, redirectUri, sealed: String(row['sealed']) };
  }

  async putClient({ issuer, redirectUri, sealed }: ClientRecord): Promise<void> {
    await this.#write((statements) => statements(putClientSql).run(issuer, redirectUri, sealed));
  }

  async removeClient(issuer: string, redirectUri: string): Promise<void> {
    await this.#write((statements) => statements(removeClientSql).run(issuer, redirectUri));
  }

  #write<Result>(
    work: (statements: Statements) => Result,
    how: typeof terms | typeof lockTerms = terms,
  ): Promise<Result> {
    return whileStoreBusy(this.#patienceMs, () => this.#database.write(how, work));
  }
}
