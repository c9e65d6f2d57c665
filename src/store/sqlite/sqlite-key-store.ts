import type {
  AccessState,
  KeyCandidate,
  KeyStore,
  RunGrant,
  StoredKey,
  StoredSecret,
} from '../../access/index.ts';
import type { Role } from '../../contract/access/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const addSql = `
  INSERT INTO api_keys (key_id, name, prefix, caller_id, tenant, role, scopes, created_by, created_at_ms, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const addSecretSql = `
  INSERT INTO api_key_secrets (digest, prefix, key_id, created_at_ms) VALUES (?, ?, ?, ?)`;
const endSecretsSql = `
  UPDATE api_key_secrets SET ends_at_ms = MIN(COALESCE(ends_at_ms, ?1), ?1) WHERE key_id = ?2`;
const showPrefixSql = 'UPDATE api_keys SET prefix = ? WHERE key_id = ?';
const listSql = `
  SELECT * FROM api_keys WHERE ?1 IS NULL OR tenant = ?1 ORDER BY created_at_ms DESC, key_id LIMIT ?2`;
const findSql = 'SELECT * FROM api_keys WHERE key_id = ?';
const usableSql = `
  SELECT 1 FROM api_keys WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?) LIMIT 1`;
const candidatesSql = `
  SELECT api_keys.*, digest, ends_at_ms FROM api_key_secrets JOIN api_keys USING (key_id)
  WHERE api_key_secrets.prefix = ?`;
const revokeSql = `
  UPDATE api_keys SET revoked_at_ms = ? WHERE key_id = ? AND revoked_at_ms IS NULL`;
const disableSql = 'UPDATE api_keys SET disabled_at_ms = ? WHERE key_id = ?';
const noteUseSql = `
  UPDATE api_keys SET last_used_at_ms = MAX(COALESCE(last_used_at_ms, 0), ?) WHERE key_id = ?`;
const disableTenantSql = `
  INSERT INTO disabled_tenants (tenant, disabled_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING`;
const enableTenantSql = 'DELETE FROM disabled_tenants WHERE tenant = ?';
const changeSql = 'UPDATE access_revision SET revision = revision + 1';
const revisionSql = 'SELECT revision FROM access_revision';
const closedSql = `
  SELECT key_id FROM api_keys WHERE revoked_at_ms IS NOT NULL OR disabled_at_ms IS NOT NULL`;
const tenantsSql = 'SELECT tenant, disabled_at_ms FROM disabled_tenants';
const grantSql = `
  INSERT OR REPLACE INTO run_grants (run_id, caller_id, tenant, role, scopes, credential, granted_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const forgetGrantsSql = 'DELETE FROM run_grants WHERE granted_at_ms < ?';
const runGrantSql = 'SELECT * FROM run_grants WHERE run_id = ?';

type Row = Readonly<Record<string, unknown>>;

/** Waiting blocks the event loop: only shortly per attempt. */
const busyTimeoutMs = 250;

/** Keeps API keys, switched-off tenants and grants of runs in SQLite. */
export class SqliteKeyStore implements KeyStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async add(key: StoredKey, secret: StoredSecret): Promise<void> {
    await this.#write((statements) => {
      const { id, name, prefix, callerId, tenant, role, createdBy } = key;
      const who = [id, name, prefix, callerId, tenant, role, textOf(key.scopes)] as const;
      statements(addSql).run(...who, createdBy, key.createdAtMs, key.expiresAtMs);
      statements(addSecretSql).run(secret.digest, secret.prefix, id, secret.createdAtMs);
    });
  }

  async list(tenant: string | null, limit: number): Promise<readonly StoredKey[]> {
    return this.#all((statements) => statements(listSql).all(tenant, limit)).map(keyOf);
  }

  async find(id: string): Promise<StoredKey | undefined> {
    return this.#all((statements) => statements(findSql).all(id)).map(keyOf)[0];
  }

  async hasUsable(nowMs: number): Promise<boolean> {
    return this.#all((statements) => statements(usableSql).all(nowMs)).length > 0;
  }

  async candidates(prefix: string): Promise<readonly KeyCandidate[]> {
    return this.#all((statements) => statements(candidatesSql).all(prefix)).map((row) => ({
      key: keyOf(row),
      digest: String(row['digest']),
      endsAtMs: timeOf(row['ends_at_ms']),
    }));
  }

  async addSecret(id: string, secret: StoredSecret, graceEndsAtMs: number): Promise<void> {
    await this.#write((statements) => {
      statements(endSecretsSql).run(graceEndsAtMs, id);
      statements(addSecretSql).run(secret.digest, secret.prefix, id, secret.createdAtMs);
      statements(showPrefixSql).run(secret.prefix, id);
      statements(changeSql).run();
    });
  }

  async revoke(id: string, atMs: number): Promise<void> {
    await this.#write((statements) => {
      statements(revokeSql).run(atMs, id);
      statements(changeSql).run();
    });
  }

  async setDisabled(id: string, atMs: number | null): Promise<void> {
    await this.#write((statements) => {
      statements(disableSql).run(atMs, id);
      statements(changeSql).run();
    });
  }

  async noteUse(uses: ReadonlyMap<string, number>): Promise<void> {
    // Not worth the disk: what a power cut loses is noted at the next use.
    await this.#write((statements) => {
      for (const [id, atMs] of uses) statements(noteUseSql).run(atMs, id);
    }, 'normal');
  }

  async setTenantDisabled(tenant: string, atMs: number | null): Promise<void> {
    await this.#write((statements) => {
      if (atMs === null) statements(enableTenantSql).run(tenant);
      else statements(disableTenantSql).run(tenant, atMs);
      statements(changeSql).run();
    });
  }

  async revision(): Promise<number> {
    const [row] = this.#all((statements) => statements(revisionSql).all());
    return Number(row?.['revision'] ?? 0);
  }

  async state(): Promise<AccessState> {
    const keys = this.#all((statements) => statements(closedSql).all());
    const tenants = this.#all((statements) => statements(tenantsSql).all());
    return {
      closedKeys: new Set(keys.map((row) => String(row['key_id']))),
      disabledTenants: new Map(
        tenants.map((row) => [String(row['tenant']), Number(row['disabled_at_ms'])]),
      ),
    };
  }

  async grantRun(grant: RunGrant, atMs: number, forgetBeforeMs: number): Promise<void> {
    const { runId, callerId, tenant, role, scopes, credential } = grant;
    // The run is committed after it to the same log, and waits for the disk: a run that is kept has its grant.
    await this.#write((statements) => {
      statements(forgetGrantsSql).run(forgetBeforeMs);
      statements(grantSql).run(runId, callerId, tenant, role, textOf(scopes), credential, atMs);
    }, 'normal');
  }

  async runGrant(runId: string): Promise<RunGrant | undefined> {
    const [row] = this.#all((statements) => statements(runGrantSql).all(runId));
    if (!row) return undefined;
    return {
      runId,
      callerId: String(row['caller_id']),
      tenant: String(row['tenant']),
      role: roleOf(row),
      scopes: scopesOf(row),
      credential: String(row['credential']),
    };
  }

  /** A read must not create the database. */
  #all(read: (statements: Statements) => readonly Row[]): readonly Row[] {
    return this.#database.exists ? this.#database.readOne(read) : [];
  }

  #write(work: (statements: Statements) => void, durability: 'full' | 'normal' = 'full') {
    return whileStoreBusy(this.#patienceMs, () =>
      this.#database.write({ durability, busyTimeoutMs }, work),
    );
  }
}

function keyOf(row: Row): StoredKey {
  return {
    id: String(row['key_id']),
    name: String(row['name']),
    prefix: String(row['prefix']),
    callerId: String(row['caller_id']),
    tenant: String(row['tenant']),
    role: roleOf(row),
    scopes: scopesOf(row),
    createdBy: String(row['created_by']),
    createdAtMs: Number(row['created_at_ms']),
    expiresAtMs: timeOf(row['expires_at_ms']),
    lastUsedAtMs: timeOf(row['last_used_at_ms']),
    revokedAtMs: timeOf(row['revoked_at_ms']),
    disabledAtMs: timeOf(row['disabled_at_ms']),
  };
}

function timeOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Only roles of the table are written; an unknown one, of a later program, has no rank and so no permission. */
function roleOf(row: Row): Role {
  return String(row['role']) as Role;
}

function textOf(scopes: readonly string[] | null): string | null {
  return scopes === null ? null : JSON.stringify(scopes);
}

/** What cannot be read allows nothing. */
function scopesOf({ scopes }: Row): readonly string[] | null {
  if (scopes === null) return null;
  const parsed: unknown = typeof scopes === 'string' ? JSON.parse(scopes) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
