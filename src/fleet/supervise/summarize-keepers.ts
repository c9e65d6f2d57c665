import type { ServerState } from '../../contract/fleet/index.ts';
import type { RunnerStatus } from '../server-runner.ts';
import type { CallSummary } from './call-statistics.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';

/** Of several connections the one in the best state speaks for the server. */
const bestFirst: readonly ServerState[] = [
  'ready',
  'starting',
  'restarting',
  'crash-looping',
  'failed',
  'idle',
];

export async function summarizeKeepers(
  keepers: readonly ConnectionKeeper[],
  memoryBytes: (pid: number) => Promise<number | null>,
): Promise<Omit<RunnerStatus, keyof CallSummary>> {
  const best = keepers.toSorted((a, b) => bestFirst.indexOf(a.state) - bestFirst.indexOf(b.state));
  const connections = keepers.flatMap(({ connection }) => connection ?? []);
  const pids = connections.flatMap(({ pid }) => pid ?? []);
  const memories = await Promise.all(pids.map((pid) => memoryBytes(pid).catch(() => null)));
  const known = memories.filter((bytes) => bytes !== null);
  const [connection] = connections;
  return {
    state: best[0]?.state ?? 'idle',
    since: best[0]?.since ?? 0,
    pid: pids[0] ?? null,
    restarts: keepers.reduce((sum, { restarts }) => sum + restarts, 0),
    lastError: keepers.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    memoryBytes: known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0),
    protocolVersion: connection?.protocolVersion ?? null,
    version: connection?.version ?? null,
    problems: [...new Set(keepers.flatMap((keeper) => keeper.problems))],
  };
}
