import { homedir } from 'node:os';
import type { Protection, SandboxLimits } from '../../contract/sandbox/index.ts';
import { workFolder } from '../boot/boot.ts';
import type { SandboxShape } from '../driver.ts';
import type { DockerSeccompProfile } from '../seccomp/docker-seccomp-profile.ts';

/** The program's user. */
export const programUser = '1000:1000';
/**
 * The user of the container's first processes. Another one, so that the program can neither signal
 * nor look into what holds the container.
 */
const holderUser = '1001:1001';

export const sandboxLabel = 'tutti.sandbox';

/** Timers and queued signals, of all processes of the program's user. */
const maxPendingSignals = 1024;
/** A machine that runs out of memory ends a sandbox first. */
const oomScore = 500;

const mebibyte = 1024 * 1024;
const maxTemporaryBytes = 64 * mebibyte;
const sharedMemoryBytes = 16 * mebibyte;
/** What hides a volume that the image declares: on the host's disk it would have no limit. */
const volumeCover = 'rw,noexec,nosuid,nodev,size=64k';

export interface ContainerRequest {
  readonly shape: SandboxShape;
  readonly image: ContainerImage;
  readonly profile: DockerSeccompProfile;
  /** A name such as `runsc`; undefined takes the engine's default. */
  readonly runtime: string | undefined;
  readonly without: ReadonlySet<Protection>;
}

export interface ContainerImage {
  readonly name: string;
  /** Folders that the image declares to be volumes. */
  readonly volumes: readonly string[];
}

/**
 * What the engine is asked to create. The main process reads an input that we hold open: when we die
 * the engine closes it, it ends, and with it the container and everything in it.
 */
export function containerSpec(request: ContainerRequest): object {
  const has = (protection: Protection): boolean => !request.without.has(protection);
  return {
    Image: request.image.name,
    Entrypoint: has('dies-with-us') ? ['cat'] : ['sleep', '86400'],
    Cmd: [],
    User: holderUser,
    WorkingDir: '/',
    Env: [],
    Tty: false,
    AttachStdin: true,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdout: false,
    AttachStderr: false,
    // An image may declare a check that would run beside the program.
    Healthcheck: { Test: ['NONE'] },
    Labels: { [sandboxLabel]: '1' },
    ...(has('host-identity') && { Hostname: 'sandbox' }),
    HostConfig: hostConfig(request, has),
  };
}

function hostConfig(
  { shape, image, profile, runtime }: ContainerRequest,
  has: (protection: Protection) => boolean,
): object {
  const { limits } = shape;
  const filter = has('nested-namespaces') ? profile : withNamespaces(profile);
  const seccomp = has('system-calls') ? JSON.stringify(filter) : 'unconfined';
  return {
    Init: true,
    OomScoreAdj: oomScore,
    AutoRemove: true,
    NetworkMode: has('network') ? 'none' : 'host',
    ...(!has('process-namespace') && { PidMode: 'host' }),
    ...(!has('host-identity') && { UTSMode: 'host' }),
    ReadonlyRootfs: has('read-only-system'),
    Privileged: false,
    ...(has('capabilities') && { CapDrop: ['ALL'] }),
    SecurityOpt: [...(has('new-privileges') ? ['no-new-privileges'] : []), `seccomp=${seccomp}`],
    ...resourceConfig(limits, has),
    Ulimits: [
      // Not 0: then the kernel would still hand a core to a program of the host.
      { Name: 'core', Soft: 1, Hard: 1 },
      { Name: 'sigpending', Soft: maxPendingSignals, Hard: maxPendingSignals },
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
      ...(has('disk') ? [{ Name: 'fsize', Soft: limits.diskBytes, Hard: limits.diskBytes }] : []),
      ...(has('open-files')
        ? [{ Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles }]
        : []),
    ],
    ShmSize: sharedMemoryBytes,
    Tmpfs: {
      ...Object.fromEntries(image.volumes.map((path) => [path, volumeCover])),
      '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.min(limits.diskBytes, maxTemporaryBytes)}`,
      [workFolder]: workFolderOptions(limits, has),
    },
    Mounts: [
      ...shape.toolchain.mounts,
      ...shape.mounts,
      ...(has('host-files') ? [] : [{ source: homedir(), target: homedir() }]),
    ].map(({ source, target }) => ({
      Type: 'bind',
      Source: source,
      Target: target,
      ReadOnly: true,
    })),
    LogConfig: { Type: 'none' },
    ...(runtime !== undefined && { Runtime: runtime }),
  };
}

/** The limits that the engine can also change while the container runs. */
export function resourceConfig(
  limits: SandboxLimits,
  has: (protection: Protection) => boolean,
): object {
  return {
    ...(has('memory') && { Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes }),
    ...(has('pids') && { PidsLimit: limits.pids + ownProcesses }),
    ...(has('cpu-rate') && { NanoCpus: Math.round(limits.cpus * 1e9) }),
  };
}

/** The engine's init and the one that holds the container are not the program's. */
const ownProcesses = 2;

/** So many files that their number is noticed first, and not so many that it is no limit. */
function workFolderOptions(
  { diskBytes }: SandboxLimits,
  has: (protection: Protection) => boolean,
): string {
  const inodes = Math.max(1024, Math.floor(diskBytes / 512));
  const size = has('disk') ? `,size=${diskBytes},nr_inodes=${inodes}` : '';
  const owner = has('unprivileged-user') ? 1000 : 0;
  return `rw,exec,nosuid,nodev,mode=0755,uid=${owner},gid=${owner}${size}`;
}

/** The same filter without its part about namespaces. */
function withNamespaces(profile: DockerSeccompProfile): DockerSeccompProfile {
  const freed = ['clone', 'unshare', 'setns'];
  const rules = profile.syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !freed.includes(name)) }))
    .filter(({ names }) => names.length > 0);
  return { ...profile, syscalls: [...rules, { names: freed, action: 'SCMP_ACT_ALLOW' }] };
}
