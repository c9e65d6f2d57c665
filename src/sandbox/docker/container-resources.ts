import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import { killGroup } from '../resources/cgroup-folder.ts';
import { type Cgroup, type CgroupCounts, CgroupGroup } from '../resources/cgroup-group.ts';
import { findCgroupPlaces } from '../resources/cgroup-places.ts';
import {
  findV1Bases,
  limitTcpBuffers,
  readV1Counts,
  readV2Counts,
} from '../resources/cgroup-versions.ts';
import type { LimitReason, ResourceGroup, ResourceUsage } from '../resources/resource-control.ts';
import { readIfThere } from '../resources/process-stat.ts';
import type { DockerApi } from './docker-api.ts';

/** What a container uses. The engine owns its group: here it is read only. */
export type ContainerResources = Pick<
  ResourceGroup,
  'setLimits' | 'watch' | 'reached' | 'usage' | 'kill'
>;

export interface WatchedContainer {
  readonly id: string;
  /** Its first process as the engine's host counts. */
  readonly pid: number;
  readonly limits: SandboxLimits;
}

const pollMs = 50;

/**
 * Looks into the container's cgroup where that is on this machine, which costs next to nothing.
 * Undefined where it is not: then `EngineResources` asks the engine.
 */
export function cgroupResources(container: WatchedContainer): ContainerResources | undefined {
  const cgroup = findCgroup(container);
  if (cgroup === undefined) return undefined;
  // What starting the container took is not the program's.
  const startMs = cgroup.read()?.cpuMs ?? 0;
  const read = (): CgroupCounts | undefined => {
    const counts = cgroup.read();
    return counts && { ...counts, cpuMs: counts.cpuMs - startMs };
  };
  return new CgroupGroup({ ...cgroup, read }, container.limits, { pollMs, onLeft: () => {} });
}

function findCgroup({ id, pid, limits }: WatchedContainer): Cgroup | undefined {
  const process = join('/proc', String(pid));
  // A process of the same number, and another machine's engine: it knows nothing of our container.
  if (readIfThere(join(process, 'cgroup'))?.includes(id) !== true) return undefined;
  const places = findCgroupPlaces('/proc/self', process);
  const bases = findV1Bases(places);
  if (bases) {
    // Engines have no setting for it.
    limitTcpBuffers(bases.memory, limits.memoryBytes);
    const folders = [...new Set(Object.values(bases))];
    const eventFiles = [join(bases.pids, 'pids.events')];
    return lookOnly(folders, { eventFiles, read: () => readV1Counts(bases) });
  }
  const folder = places.find(({ version }) => version === 2)?.folder;
  if (folder === undefined || !existsSync(join(folder, 'memory.events'))) return undefined;
  const eventFiles = [join(folder, 'memory.events'), join(folder, 'pids.events')];
  return lookOnly([folder], { eventFiles, read: () => readV2Counts(folder) });
}

function lookOnly(folders: readonly string[], how: Pick<Cgroup, 'eventFiles' | 'read'>): Cgroup {
  return {
    ...how,
    folders,
    joinFiles: [],
    writeLimits: () => {},
    kill: () => killGroup(folders),
  };
}

const statsSchema = z.looseObject({
  cpu_stats: z.looseObject({ cpu_usage: z.looseObject({ total_usage: z.number().default(0) }) }),
  memory_stats: z.looseObject({ usage: z.number().default(0), max_usage: z.number().default(0) }),
  pids_stats: z.looseObject({ current: z.number().default(0), limit: z.number().default(0) }),
});

const eventSchema = z.looseObject({ Action: z.string().optional(), status: z.string().optional() });

/** Each look is a request, which the engine answers in some milliseconds. */
const lookIntervalMs = 250;

/** Asks the engine what a container uses. */
export class EngineResources implements ContainerResources {
  readonly #api: DockerApi;
  readonly #container: WatchedContainer;
  readonly #startedAtSeconds = Math.floor(Date.now() / 1000) - 1;
  #cpuLimitMs: number;
  #startMs: number | undefined;
  #usage: ResourceUsage = { cpuMs: 0, peakMemoryBytes: 0 };
  #reached: LimitReason | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(api: DockerApi, container: WatchedContainer) {
    this.#api = api;
    this.#container = container;
    this.#cpuLimitMs = container.limits.cpuMs;
  }

  async setLimits({ cpuMs }: SandboxLimits): Promise<void> {
    this.#cpuLimitMs = cpuMs;
  }

  watch(onLimit: (reason: LimitReason) => void): void {
    const look = async (): Promise<void> => {
      await this.#look();
      if (this.#reached !== null) onLimit(this.#reached);
      else if (this.#timer) this.#timer = setTimeout(again, lookIntervalMs).unref();
    };
    const again = (): void => {
      // A container that is gone cannot be asked, and needs no watching either.
      look().catch(() => {});
    };
    this.#timer = setTimeout(again, 0).unref();
  }

  async reached(): Promise<LimitReason | null> {
    if (this.#reached === null) await this.#look().catch(() => {});
    if (this.#reached === null && (await this.#wasOutOfMemory())) this.#reached = 'memory';
    return this.#reached;
  }

  async usage(): Promise<ResourceUsage> {
    return this.#usage;
  }

  kill(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const path = `/containers/${this.#container.id}/stats?stream=false&one-shot=true`;
    const stats = statsSchema.parse(await this.#api.call({ method: 'GET', path }));
    const totalMs = stats.cpu_stats.cpu_usage.total_usage / 1e6;
    // An engine answers zeros for a container that has ended.
    if (totalMs === 0) return;
    this.#startMs ??= totalMs;
    const { usage, max_usage: peak } = stats.memory_stats;
    const cpuMs = totalMs - this.#startMs;
    const peakMemoryBytes = Math.max(usage, peak, this.#usage.peakMemoryBytes);
    this.#usage = { cpuMs, peakMemoryBytes };
    const { current, limit } = stats.pids_stats;
    if (limit > 0 && current >= limit) this.#reached ??= 'pids';
    else if (cpuMs > this.#cpuLimitMs) this.#reached ??= 'cpu';
    else if (await this.#wasOutOfMemory()) this.#reached ??= 'memory';
  }

  /** Events of the past are answered at once when they end in the past. */
  async #wasOutOfMemory(): Promise<boolean> {
    const until = (Date.now() / 1000).toFixed(3);
    const filters = JSON.stringify({ container: [this.#container.id], event: ['oom'] });
    const query = `since=${this.#startedAtSeconds}&until=${until}&filters=${encodeURIComponent(filters)}`;
    const answer = await this.#api
      .call({ method: 'GET', path: `/events?${query}` })
      // Several events are several JSON texts, which is no JSON: and there are events.
      .catch((error: unknown) => (error instanceof SyntaxError ? { Action: 'oom' } : null));
    return eventSchema.safeParse(answer).success && answer !== null;
  }
}
