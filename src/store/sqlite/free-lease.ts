import type { ProcessIdentity } from '../../kernel/index.ts';
import { readNumber, type Row } from './run-rows.ts';

/** Tells whether nobody has the lease of a row at a time; looks at each process once. */
export function createFreeLease(
  isGone: (process: ProcessIdentity) => Promise<boolean>,
  nowMs: number,
): (row: Row) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (row) => {
    if (row['lease_owner'] === null || readNumber(row, 'lease_until_ms') <= nowMs) return true;
    const owner = String(row['lease_owner']);
    const isOwnerGone = known.get(owner) ?? (await isGone(leaseProcess(row)));
    known.set(owner, isOwnerGone);
    return isOwnerGone;
  };
}

/** Whose lease it is. */
export function leaseProcess(row: Row): ProcessIdentity {
  return {
    pid: readNumber(row, 'lease_pid'),
    processStart: String(row['lease_process_start']),
  };
}
