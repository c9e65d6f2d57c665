import { createHash } from 'node:crypto';
import type { AuditEntry, NewAuditEntry } from '../../contract/access/index.ts';
import type { AuditMark } from './audit-store.ts';

/** The digest before the first entry. */
export const noDigest = '0'.repeat(64);

/** An entry that is not part of the chain yet. */
export interface PendingEntry extends NewAuditEntry {
  readonly at: string;
}

/** The entries in order, the first one behind `last`. */
export function chainEntries(
  last: AuditMark | undefined,
  pending: readonly PendingEntry[],
): readonly AuditEntry[] {
  let { number, digest } = last ?? { number: 0, digest: noDigest };
  return pending.map((entry) => {
    number += 1;
    const unsigned = { ...entry, number, previousDigest: digest };
    digest = digestOf(unsigned);
    return { ...unsigned, digest };
  });
}

/** SHA-256 over all fields and the previous digest, as a JSON list in this order. */
export function digestOf(entry: Omit<AuditEntry, 'digest'>): string {
  const fields = [
    entry.number,
    entry.at,
    entry.callerId,
    entry.tenant,
    entry.credential,
    entry.action,
    entry.target,
    entry.isAllowed,
    entry.rule,
    entry.face,
    entry.argumentsDigest,
    entry.address,
    entry.traceId,
    entry.previousDigest,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
