import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { RunView } from '../../../src/contract/run/index.ts';
import type { CountedTools } from './counted-tools.ts';
import type { Rig } from './open-rig.ts';
import type { WorkerProcess } from './start-workers.ts';

/** What a run came to and what was called for it, without what differs from run to run. */
export function withoutTimes(view: RunView, tools: CountedTools): object {
  const steps = Object.entries(view.steps).map(([path, { startedAt, endedAt, ...step }]) => [
    path,
    step,
    startedAt === null,
    endedAt === null,
  ]);
  const { status, output, error, waitingFor } = view;
  const text = JSON.stringify({ status, output, error, waitingFor, steps });
  const known = JSON.parse(text.replaceAll(view.runId, 'RUN')) as object;
  return { ...known, calls: callsOf(tools, view.runId) };
}

/** How often each tool was called for a run, by name. */
export function callsOf(
  tools: CountedTools,
  runId: string,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const [call, count] of tools.calls()) {
    const [tool = '', key = ''] = call.split(' ');
    if (key.startsWith(runId)) counts.set(tool, (counts.get(tool) ?? 0) + count);
  }
  return [...counts].toSorted(([a], [b]) => a.localeCompare(b));
}

export function countOf(tools: CountedTools, wanted: string): number {
  let count = 0;
  for (const [call, times] of tools.calls()) if (call.startsWith(`${wanted} `)) count += times;
  return count;
}

/** The worker that executes most runs just now. */
export function busiestOf(rig: Rig, workers: readonly WorkerProcess[]): WorkerProcess {
  const pids = leasesOf(rig).map(({ lease_pid: pid }) => pid);
  const load = ({ process: { pid } }: WorkerProcess): number =>
    pids.filter((it) => it === pid).length;
  const [busiest] = workers.toSorted((a, b) => load(b) - load(a));
  if (!busiest || load(busiest) === 0) throw new Error('no worker executes anything');
  return busiest;
}

/** Who executes what: nothing of Tutti tells, and nobody but this test wants to know. */
function leasesOf(rig: Rig): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(rig.store.path, { readOnly: true });
  try {
    return database
      .prepare('SELECT run_id, lease_pid FROM runs WHERE lease_owner IS NOT NULL')
      .all();
  } finally {
    database.close();
  }
}

export async function untilLeft(rig: Rig, runId: string): Promise<void> {
  const holders = (): number => leasesOf(rig).filter(({ run_id: id }) => id === runId).length;
  await expect.poll(holders, { timeout: 10_000 }).toBe(0);
}

export async function untilOver(rig: Rig, runId: string): Promise<void> {
  const status = async (): Promise<unknown> => (await rig.store.runs.find(null, runId))?.endedAt;
  await expect.poll(status, { timeout: 10_000 }).not.toBeNull();
}
