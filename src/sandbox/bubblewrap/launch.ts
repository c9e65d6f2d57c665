import type { Protection, SandboxMount } from '../../contract/sandbox/index.ts';
import type { OwnedProcess, ProcessOwner } from '../../kernel/index.ts';
import { bootCommand } from '../boot/boot.ts';
import type { SandboxShape } from '../driver.ts';
import type { ResourceGroup } from '../resources/resource-control.ts';
import { reachableByOthers } from '../toolchains/reachable-by-others.ts';
import { bwrapArguments } from './bwrap-arguments.ts';
import { findProgram } from './find-program.ts';
import { isCorePiped } from './host-facts.ts';
import type { Machine } from './machine.ts';
import type { Staging } from './staging.ts';
import { pipeCount, startScript, type StartPlan } from './start-script.ts';
import { StartedSandbox } from './started-sandbox.ts';

export interface LaunchParts {
  readonly owner: ProcessOwner;
  readonly machine: Machine;
  readonly staging: Staging;
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
