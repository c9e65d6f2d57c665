import { z } from 'zod';
import { isRunning } from '../../kernel/index.ts';
import { bootCommand, minimalEnv, workFolder } from '../boot/boot.ts';
import { InnerFolders } from '../bubblewrap/inner-folders.ts';
import type { SandboxShape } from '../driver.ts';
import { isOwnerDead, newGroupName, ownerOfGroup } from '../resources/cgroup-control.ts';
import { SupervisedSandbox, withoutLimits } from '../supervise-run.ts';
import { ContainerExec } from './container-exec.ts';
import {
  cgroupResources,
  type ContainerResources,
  EngineResources,
  type WatchedContainer,
} from './container-resources.ts';
import {
  type ContainerRequest,
  containerSpec,
  programUser,
  resourceConfig,
} from './container-spec.ts';
import type { DockerApi } from './docker-api.ts';
import { removeContainer, StartedContainer } from './started-container.ts';

/** The engine that starts containers, and how they are watched. */
interface ContainerGround {
  readonly api: DockerApi;
  /** False treats the engine as if it were on another machine. */
  readonly looksAtHost: boolean;
}

const createdSchema = z.looseObject({ Id: z.string() });
const stateSchema = z.looseObject({ State: z.looseObject({ Pid: z.number() }) });

const mebibyte = 1024 * 1024;
/** An interpreter that waits, with the engine's processes for one container. */
const idleMemoryBytes: Readonly<Record<SandboxShape['boot'], number>> = {
  python: 24 * mebibyte,
  node: 60 * mebibyte,
  command: 14 * mebibyte,
};

/** Resolves when the boot waits inside. Throws what the engine said; nothing is left then. */
export async function startContainer(
  ground: ContainerGround,
  request: ContainerRequest,
  signal: AbortSignal,
): Promise<SupervisedSandbox> {
  const { api } = ground;
  const { shape, without } = request;
  const path = `/containers/create?name=${newContainerName()}`;
  const body = containerSpec(request);
  // Not to be aborted: what was created must be known in order to be removed.
  const { Id: id } = createdSchema.parse(await api.call({ method: 'POST', path, body }));
  let container: StartedContainer | undefined;
  try {
    const attach = `/containers/${id}/attach?stream=1&stdin=1`;
    const holder = await api.connect({ method: 'POST', path: attach, signal });
    container = new StartedContainer({ api, id, holder });
    await bootIn(container, { ground, request, signal });
  } catch (error) {
    await (container ? container.release() : removeContainer(api, id));
    throw error;
  }
  const { resources } = container;
  return new SupervisedSandbox({
    sandbox: container,
    shape,
    without,
    idleMemoryBytes: idleMemoryBytes[shape.boot],
    fixedLimits: ['diskBytes', 'openFiles'],
    setLimits: async (limits) => {
      await resources.setLimits(limits);
      const changed = resourceConfig(limits, (protection) => !without.has(protection));
      await api.call({ method: 'POST', path: `/containers/${id}/update`, body: changed });
    },
  });
}

interface Booting {
  readonly ground: ContainerGround;
  readonly request: ContainerRequest;
  readonly signal: AbortSignal;
}

async function bootIn(
  container: StartedContainer,
  { ground, request, signal }: Booting,
): Promise<void> {
  const { api } = ground;
  const { shape, without } = request;
  await api.call({ method: 'POST', path: `/containers/${container.id}/start`, signal });
  const env = minimalEnv(shape.toolchain);
  const given = without.has('environment') ? { ...process.env, ...env } : env;
  const assignments = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const spec = {
    containerId: container.id,
    // Without "env -i" the program would see what the author of the image has set.
    command: ['env', '-i', ...assignments, ...bootCommand(shape.boot, shape.toolchain)],
    env: { PATH: env['PATH'] ?? '' },
    user: without.has('unprivileged-user') ? '0:0' : programUser,
    folder: workFolder,
    signal,
  };
  const onAbort = (): void => container.kill();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [state] = await Promise.all([
      api.call({ method: 'GET', path: `/containers/${container.id}/json`, signal }),
      container.boot((listener) => ContainerExec.start(api, spec, listener)),
    ]);
    const { Pid: pid } = stateSchema.parse(state).State;
    const limits = withoutLimits(shape.limits, without);
    container.watchBy(...waysToWatch(ground, { id: container.id, pid, limits }));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** By the kernel's own numbers where the container is on this machine, otherwise by the engine's. */
function waysToWatch(
  { api, looksAtHost }: ContainerGround,
  watched: WatchedContainer,
): [ContainerResources, InnerFolders | undefined] {
  const seen = looksAtHost ? cgroupResources(watched) : undefined;
  if (!seen) return [new EngineResources(api, watched), undefined];
  try {
    return [seen, new InnerFolders(watched.pid, watched.limits.diskBytes)];
  } catch {
    // Another user's process: its folders are examined from inside.
    return [seen, undefined];
  }
}

/** Where processes have no namespaces they all count alike. */
const onlyNamespace = '0';

/** A name for a container that says who owns it, so that a later Tutti can tell whether that one lives. */
export function newContainerName(): string {
  if (process.platform === 'linux') return newGroupName();
  return newGroupName({ namespace: onlyNamespace, pid: process.pid, startedAt: '0' });
}

/** True only when it is certain: a container whose owner cannot be looked at is left alone. */
export function isContainerLeft(name: string): boolean {
  const owner = ownerOfGroup(name.replace(/^\//, ''));
  if (owner === undefined) return false;
  if (process.platform === 'linux') return isOwnerDead(owner);
  return owner.namespace === onlyNamespace && !isRunning(owner.pid);
}
