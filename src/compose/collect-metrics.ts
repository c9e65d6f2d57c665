import { stat, statfs } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { Metrics } from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import type { SandboxHere } from './sandbox.ts';

export interface CollectedParts {
  readonly metrics: Metrics;
  readonly version: string;
  readonly home: string;
  readonly fleet: Pick<FleetControl, 'status'>;
  readonly store: Pick<Store, 'path' | 'runs' | 'server'>;
  readonly sandbox: Pick<SandboxHere, 'opened'>;
}

const nanosecondsPerSecond = 1e9;
const maxWaitingRuns = 1_000;
const quantiles = [50, 99, 100];

/** Registers what is measured when it is asked for. Each group fails alone. */
export function collectMetrics(parts: CollectedParts): void {
  const { metrics, version } = parts;
  const delay = monitorEventLoopDelay({ resolution: 20 });
  metrics.set('tutti_build_info', [version], 1);
  metrics.onCollect(() => {
    // From the first time on, so that commands that no one watches do not pay for it.
    delay.enable();
    for (const quantile of quantiles) {
      const seconds = delay.percentile(quantile) / nanosecondsPerSecond;
      metrics.set('tutti_event_loop_delay_seconds', [String(quantile / 100)], seconds);
    }
    delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    metrics.set('tutti_process_resident_memory_bytes', [], rss);
    metrics.set('tutti_process_heap_used_bytes', [], heapUsed);
    metrics.set('tutti_process_cpu_seconds_total', [], (user + system) / 1e6);
    const startedAt = Date.now() / 1_000 - process.uptime();
    metrics.set('tutti_process_start_time_seconds', [], Math.round(startedAt));
  });
  metrics.onCollect(() => collectFleet(parts));
  metrics.onCollect(() => collectStore(parts));
  metrics.onCollect(() => collectSandbox(parts));
}

async function collectFleet({ metrics, fleet }: CollectedParts): Promise<void> {
  const servers = await fleet.status();
  const perServer = ['tutti_server_memory_bytes', 'tutti_server_changed_tools'] as const;
  for (const name of ['tutti_servers', ...perServer] as const) metrics.clear(name);
  for (const [state, those] of Map.groupBy(servers, (server) => server.state)) {
    metrics.set('tutti_servers', [state], those.length);
  }
  for (const { name, restarts, memoryBytes, changedTools } of servers) {
    metrics.set('tutti_server_restarts_total', [name], restarts);
    if (memoryBytes !== null) metrics.set('tutti_server_memory_bytes', [name], memoryBytes);
    metrics.set('tutti_server_changed_tools', [name], changedTools.length);
  }
}

async function collectStore({ metrics, store, home }: CollectedParts): Promise<void> {
  const { bavail, bsize } = await statfs(home);
  metrics.set('tutti_disk_free_bytes', [], bavail * bsize);
  const bytes = store.server ? (await store.server.describe()).bytes : await sizeOf(store.path);
  metrics.set('tutti_store_bytes', [], bytes);
  metrics.set('tutti_store_wal_bytes', [], await sizeOf(`${store.path}-wal`));
  const waiting = await store.runs.unclaimed('embedded', maxWaitingRuns, 'anywhere');
  metrics.set('tutti_runs_waiting', [], waiting.length);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** A sandbox that is not used is not opened for a metric. */
async function collectSandbox({ metrics, sandbox }: CollectedParts): Promise<void> {
  const opened = await sandbox.opened();
  if (!opened) return;
  const { idle, hits, misses, waits } = opened.pool();
  const count = Object.values(idle).reduce((sum, one) => sum + one, 0);
  metrics.set('tutti_sandbox_pool_idle', [], count);
  metrics.set('tutti_sandbox_pool_requests_total', ['hit'], hits);
  metrics.set('tutti_sandbox_pool_requests_total', ['miss'], misses);
  metrics.set('tutti_sandbox_pool_requests_total', ['wait'], waits);
}
