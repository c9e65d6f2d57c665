import type { Protection, SandboxMount } from '../../contract/sandbox/index.ts';
import type { OwnedProcess, ProcessOwner } from '../../kernel/index.ts';
import { bootCommand } from '../boot/boot.ts';
import type { SandboxShape } from '../driver.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { chooseResourceControl } from '../resources/choose-resource-control.ts';
import type { ResourceControl, ResourceGroup } from '../resources/resource-control.ts';
import { seccompFilter } from '../seccomp/seccomp-filter.ts';
import { uncountedMemorySyscalls } from '../seccomp/syscalls.ts';
import { reachableByOthers } from '../toolchains/find-toolchain.ts';
import { bwrapArguments, pipeCount, type StartPlan, startScript } from './bwrap-command.ts';
import {
  countsProcessesInside,
  driverName,
  findProgram,
  type HostFacts,
  type HostLayout,
  isBeyondSimpleShells,
  isCorePiped,
  readHostFacts,
  readHostLayout,
  strayDescriptors,
} from './host-facts.ts';
import type { LockTable } from './host-locks.ts';
import { obstacleAhead } from './obstacle.ts';
import type { Staging } from './staging.ts';
import { StartedSandbox } from './started-sandbox.ts';

interface LaunchParts {
  readonly owner: ProcessOwner;
  readonly machine: Machine;
  readonly staging: Staging;
  readonly lockTable: LockTable;
  readonly without: ReadonlySet<Protection>;
  /** Never shown, except to prove that showing it is noticed. */
  readonly ourEnv: Readonly<Record<string, string>>;
}

/** Starts bwrap in a group. The group is the caller's until this resolves. */
export async function launch(
  parts: LaunchParts,
  shape: SandboxShape,
  group: ResourceGroup,
): Promise<StartedSandbox> {
  const { owner, machine, without } = parts;
  const [shell, ...shellArgs] = machine.shell;
  const { mounts, stage } = await reachableMounts(parts, [
    ...shape.toolchain.mounts,
    ...shape.mounts,
  ]);
  const script = startScript({
    bwrap: machine.bwrap,
    setpriv: machine.setpriv,
    stage,
    strays: machine.strays,
    joinFiles: group.joinFiles,
    openFiles: shape.limits.openFiles,
    prlimit: machine.prlimit,
    isCorePiped: isCorePiped(),
    fileBytes: without.has('disk') ? undefined : shape.limits.diskBytes,
    pidsInside: machine.limitsPidsInside && !without.has('pids') ? shape.limits.pids : undefined,
    command: bootCommand(shape.boot, shape.toolchain),
    without,
  });
  const process_ = await owner.start({
    command: shell,
    args: [...shellArgs, script],
    cwd: '/',
    env: without.has('environment') ? parts.ourEnv : {},
    extraPipes: pipeCount,
    isEnclosed: !without.has('process-namespace') && !without.has('dies-with-us'),
  });
  const sandbox = new StartedSandbox(process_, {
    group,
    maxDiskBytes: without.has('disk') ? null : shape.limits.diskBytes,
    lockTable: parts.lockTable,
  });
  const args = bwrapArguments({ shape, layout: machine.layout, mounts, without });
  feed(process_, args, machine.filter);
  return sandbox;
}

function feed(process_: OwnedProcess, args: readonly string[], filter: Uint8Array): void {
  const [argsPipe, , seccompPipe] = process_.pipes;
  argsPipe?.end(args.map((arg) => `${arg}\0`).join(''));
  seccompPipe?.end(filter);
}

interface ReachableMounts {
  readonly mounts: readonly SandboxMount[];
  readonly stage: StartPlan['stage'];
}

/** The mounts with sources that the sandbox's user can reach, and where it sees them. */
async function reachableMounts(
  { machine, staging }: LaunchParts,
  mounts: readonly SandboxMount[],
): Promise<ReachableMounts> {
  const isClosed = (mount: SandboxMount): boolean => !reachableByOthers(mount.source);
  const nsenter = findProgram('nsenter');
  if (!machine.facts.isRoot || nsenter === undefined || !mounts.some(isClosed)) {
    return { mounts, stage: undefined };
  }
  const staged = await Promise.all(
    mounts.map(async (mount) =>
      isClosed(mount) ? { ...mount, source: await staging.place(mount.source) } : mount,
    ),
  );
  return { mounts: staged, stage: { nsenter, namespace: await staging.namespace() } };
}

/** What is the same for all sandboxes that this process starts. */
export interface Machine {
  readonly facts: HostFacts;
  /** What runs a script that follows it. */
  readonly shell: readonly [string, ...string[]];
  readonly bwrap: string;
  /** Set when we are root and have to become another user. */
  readonly setpriv: string | undefined;
  readonly prlimit: string;
  readonly strays: readonly number[];
  readonly layout: HostLayout;
  readonly filter: Uint8Array;
  readonly resources: ResourceControl;
  /** Whether a program's processes are counted by a limit set inside, because no group does. */
  readonly limitsPidsInside: boolean;
}

/** Throws `sandbox.not_started` when something is missing without which nothing can be started. */
export async function examineMachine(chosen?: Promise<ResourceControl>): Promise<Machine> {
  const facts = readHostFacts();
  const bwrap = findProgram('bwrap');
  const setpriv = facts.isRoot ? findProgram('setpriv') : undefined;
  const prlimit = findProgram('prlimit');
  const obstacle = obstacleAhead(facts, { bwrap, setpriv, prlimit });
  if (obstacle || bwrap === undefined || prlimit === undefined) {
    throw new SandboxNotStartedError(driverName, obstacle?.message ?? 'bwrap is missing');
  }
  const strays = strayDescriptors();
  const resources = await (chosen ?? chooseResourceControl());
  return {
    facts,
    shell: shellFor(strays),
    bwrap,
    setpriv,
    prlimit,
    strays,
    layout: readHostLayout(),
    filter: seccompFilter(
      process.arch === 'arm64' ? 'arm64' : 'x64',
      resources.holder('memory') === 'kernel' ? {} : uncountedMemorySyscalls,
    ),
    resources,
    limitsPidsInside: resources.holder('pids') !== 'kernel' && countsProcessesInside(facts.kernel),
  };
}

function shellFor(strays: readonly number[]): Machine['shell'] {
  if (!strays.some(isBeyondSimpleShells)) return ['/bin/sh', '-c'];
  const bash = findProgram('bash');
  // Bash takes a pipe that is a socket for a remote login and would read the user's files.
  if (bash !== undefined) return [bash, '--norc', '--noprofile', '--posix', '-c'];
  throw new SandboxNotStartedError(
    driverName,
    `what started Tutti left the file descriptors ${strays.join(', ')} open, which only bash can close; install bash, or start Tutti without them`,
  );
}
