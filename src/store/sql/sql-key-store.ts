import type {
  AccessState,
  KeyCandidate,
  KeyStore,
  RunGrant,
  StoredKey,
  StoredSecret,
} from '../../access/index.ts';
import type { Role } from '../../contract/access/index.ts';
import { all, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const addSql = `
  INSERT INTO api_keys (key_id, name, prefix, caller_id, tenant, role, scopes, created_by, created_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const addSecretSql = `
  INSERT INTO api_key_secrets (digest, prefix, key_id, created_at_ms) VALUES ($1, $2, $3, $4)`;
const endSecretsSql = `
  UPDATE api_key_secrets SET ends_at_ms = $1
  WHERE key_id = $2 AND (ends_at_ms IS NULL OR ends_at_ms > $1)`;
const showPrefixSql = 'UPDATE api_keys SET prefix = $1 WHERE key_id = $2';
const listSql = `
  SELECT * FROM api_keys WHERE CAST($1 AS TEXT) IS NULL OR tenant = $1 ORDER BY created_at_ms DESC, key_id LIMIT $2`;
const findSql = 'SELECT * FROM api_keys WHERE key_id = $1';
const usableSql = `
  SELECT 1 FROM api_keys WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1) LIMIT 1`;
const candidatesSql = `
  SELECT api_keys.*, digest, ends_at_ms FROM api_key_secrets JOIN api_keys USING (key_id)
  WHERE api_key_secrets.prefix = $1`;
const revokeSql = `
  UPDATE api_keys SET revoked_at_ms = $1 WHERE key_id = $2 AND revoked_at_ms IS NULL`;
const disableSql = 'UPDATE api_keys SET disabled_at_ms = $1 WHERE key_id = $2';
const noteUseSql = `
  UPDATE api_keys SET last_used_at_ms = $1
  WHERE key_id = $2 AND (last_used_at_ms IS NULL OR last_used_at_ms < $1)`;
const disableTenantSql = `
  INSERT INTO disabled_tenants (tenant, disabled_at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
const enableTenantSql = 'DELETE FROM disabled_tenants WHERE tenant = $1';
const changeSql = 'UPDATE access_revision SET revision = revision + 1';
const revisionSql = 'SELECT revision FROM access_revision';
const closedSql = `
  SELECT key_id FROM api_keys WHERE revoked_at_ms IS NOT NULL OR disabled_at_ms IS NOT NULL`;
const tenantsSql = 'SELECT tenant, disabled_at_ms FROM disabled_tenants';
const grantSql = `
  INSERT INTO run_grants (run_id, caller_id, tenant, role, scopes, credential, granted_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (run_id) DO UPDATE SET caller_id = excluded.caller_id, tenant = excluded.tenant, role = excluded.role,
    scopes = excluded.scopes, credential = excluded.credential, granted_at_ms = excluded.granted_at_ms`;
const forgetGrantsSql = 'DELETE FROM run_grants WHERE granted_at_ms < $1';
const runGrantSql = 'SELECT * FROM run_grants WHERE run_id = $1';

/** Keeps API keys, switched-off tenants and grants of runs. */
export class SqlKeyStore implements KeyStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(key: StoredKey, secret: StoredSecret): Promise<void> {
    await this.#write(function* () {
      const { id, name, prefix, callerId, tenant, role, createdBy } = key;
      const who = [id, name, prefix, callerId, tenant, role, textOf(key.scopes)] as const;
      yield* all(addSql, ...who, createdBy, key.createdAtMs, key.expiresAtMs);
      yield* all(addSecretSql, secret.digest, secret.prefix, id, secret.createdAtMs);
    });
  }

  async list(tenant: string | null, limit: number): Promise<readonly StoredKey[]> {
    return (await this.#database.rows(listSql, tenant, limit)).map(keyOf);
  }

  async find(id: string): Promise<StoredKey | undefined> {
    return (await this.#database.rows(findSql, id)).map(keyOf)[0];
  }

  async hasUsable(nowMs: number): Promise<boolean> {
    return (await this.#database.rows(usableSql, nowMs)).length > 0;
  }

  async candidates(prefix: string): Promise<readonly KeyCandidate[]> {
    return (await this.#database.rows(candidatesSql, prefix)).map((row) => ({
      key: keyOf(row),
      digest: String(row['digest']),
      endsAtMs: timeOf(row['ends_at_ms']),
    }));
  }

  async addSecret(id: string, secret: StoredSecret, graceEndsAtMs: number): Promise<void> {
    await this.#write(function* () {
      yield* all(endSecretsSql, graceEndsAtMs, id);
      yield* all(addSecretSql, secret.digest, secret.prefix, id, secret.createdAtMs);
      yield* all(showPrefixSql, secret.prefix, id);
      yield* all(changeSql);
    });
  }

  async revoke(id: string, atMs: number): Promise<void> {
    await this.#write(function* () {
      yield* all(revokeSql, atMs, id);
      yield* all(changeSql);
    });
  }

  async setDisabled(id: string, atMs: number | null): Promise<void> {
    await this.#write(function* () {
      yield* all(disableSql, atMs, id);
      yield* all(changeSql);
    });
  }

  async noteUse(uses: ReadonlyMap<string, number>): Promise<void> {
    // Not worth the disk: what a power cut loses is noted at the next use.
    await this.#write(function* () {
      for (const [id, atMs] of uses) yield* all(noteUseSql, atMs, id);
    }, 'normal');
  }

  async setTenantDisabled(tenant: string, atMs: number | null): Promise<void> {
    await this.#write(function* () {
      if (atMs === null) yield* all(enableTenantSql, tenant);
      else yield* all(disableTenantSql, tenant, atMs);
      yield* all(changeSql);
    });
  }

  async revision(): Promise<number> {
    const [row] = await this.#database.rows(revisionSql);
    return Number(row?.['revision'] ?? 0);
  }

  async state(): Promise<AccessState> {
    const keys = await this.#database.rows(closedSql);
    const tenants = await this.#database.rows(tenantsSql);
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
    await this.#write(function* () {
      yield* all(forgetGrantsSql, forgetBeforeMs);
      yield* all(grantSql, runId, callerId, tenant, role, textOf(scopes), credential, atMs);
    }, 'normal');
  }

  async runGrant(runId: string): Promise<RunGrant | undefined> {
    const [row] = await this.#database.rows(runGrantSql, runId);
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

  #write<Result>(
    work: () => SqlWork<Result>,
    durability: 'full' | 'normal' = 'full',
  ): Promise<Result> {
    return this.#database.write({ locks: ['keys'], durability }, work);
  }
}

function keyOf(row: SqlRow): StoredKey {
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
function roleOf(row: SqlRow): Role {
  return String(row['role']) as Role;
}

function textOf(scopes: readonly string[] | null): string | null {
  return scopes === null ? null : JSON.stringify(scopes);
}

/** What cannot be read allows nothing. */
function scopesOf({ scopes }: SqlRow): readonly string[] | null {
  if (scopes === null) return null;
  const parsed: unknown = typeof scopes === 'string' ? JSON.parse(scopes) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
