import type { AuditEntry, AuditFilter } from '../../contract/access/index.ts';

/** The number and digest of an entry: all that is needed to continue or to check the chain from there. */
export interface AuditMark {
  readonly number: number;
  readonly digest: string;
}

export interface AuditMarks {
  /** The last entry that was removed because of its age; undefined when none was. */
  readonly start: AuditMark | undefined;
  /** The last entry, as stored with each batch. */
  readonly head: AuditMark | undefined;
  /** The last entry, as noted in a file beside the database. */
  readonly noted: AuditMark | undefined;
}

export interface AuditQuery extends AuditFilter {
  /** Only entries of this tenant, null for those without one; all when undefined. */
  readonly tenant?: string | null | undefined;
}

/** Storage of the audit log. Errors have codes `store.…`. */
export interface AuditStore {
  /**
   * Adds entries in one transaction, in which no other process adds any: `chain` gets the last entry and the
   * one noted beside the database, and returns those that follow.
   */
  append(
    chain: (last: AuditMark | undefined, noted: AuditMark | undefined) => readonly AuditEntry[],
  ): Promise<void>;
  /**
   * Removes old entries and adds the one that `seal` returns, in one transaction. Returns how many were removed.
   */
  removeOld(removal: {
    /** Entries before this time (ISO 8601) are old. */
    readonly before: string;
    /** So are all but the last ones. */
    readonly maxEntries: number;
    /** At most this many at once. */
    readonly maxCount: number;
    readonly seal: (last: AuditMark, removed: AuditMark) => AuditEntry;
  }): Promise<number>;
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  marks(): Promise<AuditMarks>;
  /** The entries behind a number, in order, exactly as found: a damaged one may hold values of any type. */
  page(after: number, limit: number): Promise<readonly AuditEntry[]>;
}
