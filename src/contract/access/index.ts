import type { Caller } from '../caller/index.ts';
import type { Role } from './permissions.ts';

export {
  coversScope,
  isInScope,
  isPermitted,
  isServerInScope,
  permissions,
  roles,
  type Permission,
  type Role,
} from './permissions.ts';
export { decideTool, demandPermission, toolPermission, toolPermissions } from './decide-tool.ts';
export { ForbiddenError } from './decide-tool.ts';

/** An API key as it is shown: the secret is given once, when the key is made, and stored as a digest. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first characters of the secret, by which a person recognizes it. */
  readonly prefix: string;
  readonly callerId: string;
  readonly tenant: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
  /** ISO 8601, like the other times. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  /** Switched off since then; absent while it is on. */
  readonly disabledAt?: string;
}

export interface NewApiKey {
  readonly name: string;
  /** Without the tenant; default: the name. */
  readonly user?: string;
  readonly tenant?: string;
  readonly role: Role;
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
}

/** Errors have codes `access.…`. A caller manages the keys of its own tenant, and grants at most its own role. */
export interface ApiKeys {
  create(by: Caller, key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  list(by: Caller): Promise<readonly ApiKey[]>;
  /** A new secret; the old one ends after `graceSeconds`. */
  rotate(
    by: Caller,
    id: string,
    options: { readonly graceSeconds: number },
  ): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** At once, for requests that run too. */
  revoke(by: Caller, id: string): Promise<ApiKey>;
  /** Switches a key off, at once, or on again. */
  setDisabled(by: Caller, id: string, isDisabled: boolean): Promise<ApiKey>;
}

export interface Tenant {
  readonly name: string;
  /** Keys that were neither revoked nor have expired. */
  readonly keys: number;
  /** Switched off since then; null while it is on. */
  readonly disabledAt: string | null;
}

/** The kill switch of tenants. A caller sees and switches its own; the user at this machine all. */
export interface Tenants {
  list(by: Caller): Promise<readonly Tenant[]>;
  /** No credential of a tenant that is off is accepted, at once. */
  setDisabled(by: Caller, name: string, isDisabled: boolean): Promise<Tenant>;
}

export type AuditFace = 'rest' | 'mcp' | 'cli' | 'run';

/** One decision. Arguments are never in it, only their digest. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly at: string;
  readonly callerId: string | null;
  readonly tenant: string | null;
  readonly credential: string | null;
  /** A permission, or an event such as `auth.refused`. */
  readonly action: string;
  /** What it was done to: `code.review_code`, a run id, a route. */
  readonly target: string;
  readonly isAllowed: boolean;
  /** The rule that decided, in words. */
  readonly rule: string;
  /** `run`: a step of a run, or the agent. */
  readonly face: AuditFace;
  readonly argumentsDigest: string | null;
  readonly address: string | null;
  readonly traceId: string | null;
  /** Digest of the entry before it, and of this one over all fields above and that. */
  readonly previousDigest: string;
  readonly digest: string;
}

export type NewAuditEntry = Omit<AuditEntry, 'number' | 'at' | 'previousDigest' | 'digest'>;

export interface AuditVerdict {
  readonly entries: number;
  readonly isIntact: boolean;
  /** The last entry that was checked. Kept elsewhere, it shows whether the log was rewritten since. */
  readonly last?: Pick<AuditEntry, 'number' | 'digest'>;
  /** The first entry that is not what was written, and what is wrong with it. */
  readonly problem?: { readonly number: number; readonly message: string };
}

export interface AuditLog {
  /** Does not wait for the disk; entries are written in order, in batches. */
  record(entry: NewAuditEntry): void;
  list(by: Caller, filter: AuditFilter): Promise<readonly AuditEntry[]>;
  verify(): Promise<AuditVerdict>;
}

export interface AuditFilter {
  /** Entries after this number. */
  readonly after?: number;
  readonly limit: number;
  readonly isAllowed?: boolean;
  readonly callerId?: string;
  /** The latest ones that fit instead of the first; in ascending order all the same. */
  readonly isLatest?: boolean;
}

/** What a caller may do with a tool, and by which rule. */
export interface AccessExplanation {
  readonly callerId: string;
  /** The key it is about; null for the user at this machine. */
  readonly credential: string | null;
  readonly tool: string;
  readonly isAllowed: boolean;
  readonly rule: string;
}

export interface AccessPolicy {
  /**
   * Whether a caller, or a key by its id or name, could call a tool now: a line for each of its keys. Throws
   * `access.unknown_key` for a caller without a key.
   */
  explain(by: Caller, caller: string, tool: string): Promise<readonly AccessExplanation[]>;
}
