import type { Protection, SandboxMount } from '../../contract/sandbox/index.ts';
import { minimalEnv, workFolder } from '../boot/boot.ts';
import type { SandboxShape } from '../driver.ts';
import type { HostLayout } from './host-layout.ts';
import { fileDescriptors } from './start-script.ts';
import { hostName, insideId, syntheticEtc } from './synthetic-etc.ts';

const mebibyte = 1024 * 1024;
const sharedMemoryBytes = 16 * mebibyte;

export interface BwrapPlan {
  readonly shape: SandboxShape;
  readonly layout: HostLayout;
  /** Read-only, with sources that the sandbox's user can reach. */
  readonly mounts: readonly SandboxMount[];
  readonly without: ReadonlySet<Protection>;
}

/**
 * The options of bwrap, in the order in which it carries them out. They reach it through a pipe, because
 * its command line can be read inside.
 */
export function bwrapArguments(plan: BwrapPlan): string[] {
  const { without } = plan;
  return [
    ...namespaces(without),
    ...unless(without.has('dies-with-us'), '--die-with-parent'),
    ...unless(without.has('terminal'), '--new-session'),
    ...(without.has('capabilities') ? ['--cap-add', 'ALL'] : ['--cap-drop', 'ALL']),
    ...unless(without.has('environment'), '--clearenv'),
    ...environment(plan.shape),
    ...files(plan),
    ...unless(isUnfiltered(without), '--seccomp', String(fileDescriptors.seccomp)),
    '--json-status-fd',
    String(fileDescriptors.status),
    '--chdir',
    workFolder,
  ];
}

/** The filter refuses new namespaces too, so that these are left out together. */
function isUnfiltered(without: ReadonlySet<Protection>): boolean {
  return without.has('system-calls') || without.has('nested-namespaces');
}

function namespaces(without: ReadonlySet<Protection>): string[] {
  const hasUsers = !without.has('user-namespace');
  return [
    '--unshare-ipc',
    '--unshare-cgroup-try',
    ...unless(!hasUsers, '--unshare-user', '--uid', `${insideId}`, '--gid', `${insideId}`),
    ...unless(!hasUsers || without.has('nested-namespaces'), '--disable-userns'),
    ...unless(without.has('process-namespace'), '--unshare-pid'),
    ...unless(without.has('network'), '--unshare-net'),
    ...unless(without.has('host-identity'), '--unshare-uts', '--hostname', hostName),
  ];
}

function environment(shape: SandboxShape): string[] {
  return Object.entries(minimalEnv(shape.toolchain)).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]);
}

function files(plan: BwrapPlan): string[] {
  const { shape, layout, mounts, without } = plan;
  const { diskBytes } = shape.limits;
  const isWritable = without.has('read-only-system');
  const sized = (bytes: number): string[] => unless(without.has('disk'), '--size', String(bytes));
  return [
    isWritable ? '--bind' : '--ro-bind',
    '/usr',
    '/usr',
    ...layout.rootEntries,
    ...etc(layout),
    '--proc',
    '/proc',
    ...unless(without.has('process-namespace'), ...hiddenFirstProcess),
    ...unless(without.has('host-identity'), ...layout.procMasks),
    '--dev',
    '/dev',
    ...temporary('1777', sized(sharedMemoryBytes), '/dev/shm'),
    ...temporary('1777', sized(diskBytes), '/tmp'),
    ...temporary('0755', sized(diskBytes), workFolder),
    ...unless(!without.has('host-files'), ...layout.privateFolders),
    ...mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    // In /proc a program could lower its `oom_score_adj`.
    ...unless(isWritable, '--remount-ro', '/', '--remount-ro', '/dev', '--remount-ro', '/proc'),
  ];
}

/**
 * The first process inside is bwrap's own and has the program's user: what is in its folder would let
 * the program read its environment and write its memory.
 */
const hiddenFirstProcess = ['--size', '4096', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1'];

function etc(layout: HostLayout): string[] {
  const synthetic = syntheticEtc.flatMap(({ path }, index) => [
    '--perms',
    '0444',
    '--file',
    String(fileDescriptors.firstEtc + index),
    path,
  ]);
  return [...synthetic, ...layout.etcEntries];
}

function temporary(mode: string, size: readonly string[], path: string): string[] {
  return ['--perms', mode, ...size, '--tmpfs', path];
}

function unless(isLeftOut: boolean, ...options: string[]): string[] {
  return isLeftOut ? [] : options;
}
