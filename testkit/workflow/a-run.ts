import type {
  Lease,
  NewRunRecord,
  RunOwner,
  RunStore,
} from '../../src/workflow/engine/run-store.ts';

/** A run to be stored. */
export function aNewRun(parts: Partial<NewRunRecord> = {}): NewRunRecord {
  return {
    runId: 'run1',
    callerId: 'local',
    plan: { version: 1, name: 'a plan', steps: [{ id: 'a', tool: 'code.format_code' }] },
    input: {},
    engine: 'embedded',
    createdAtMs: 1_000,
    deadlineMs: null,
    forkedFrom: null,
    idempotencyKey: null,
    meta: {},
    ...parts,
  };
}

export function anOwner(parts: Partial<RunOwner> = {}): RunOwner {
  return { id: 'owner1', pid: 4_711, processStart: 'machine|1', leaseMs: 15_000, ...parts };
}

/** Undefined when the run has an owner, is over or does not exist. */
export async function claimOne(
  store: Pick<RunStore, 'claim'>,
  runId: string,
  owner = anOwner(),
): Promise<Lease | undefined> {
  const [lease] = await store.claim([runId], owner);
  return lease;
}
