import type { Role } from '../access/index.ts';

/** On whose behalf something happens. Every port that touches user data takes one. */
export interface Caller {
  /** Unique over all tenants: `acme/alice`. What belongs to a caller is stored under it. */
  readonly id: string;
  readonly tenant?: string;
  /** Absent for the user at this machine, who may do everything. */
  readonly role?: Role;
  /** Tools that may be called, as globs over `server.tool`; absent for all. */
  readonly scopes?: readonly string[];
  /** The key or token that the request presented, by its public id; never the secret. */
  readonly credential?: string;
  /** When that key or token ends, in milliseconds since the epoch; absent where it does not. */
  readonly credentialEndsAtMs?: number;
  /** Where the request came in, and from which address; absent at this machine. */
  readonly face?: 'rest' | 'mcp';
  readonly address?: string;
}

/** The user at this machine: the default caller. */
export const localCaller: Caller = { id: 'local' };
