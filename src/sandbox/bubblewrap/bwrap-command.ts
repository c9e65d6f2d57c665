import type { Protection, SandboxMount } from '../../contract/sandbox/index.ts';
import { minimalEnv, workFolder } from '../boot/boot.ts';
import { quote } from '../boot/encode-job.ts';
import type { SandboxShape } from '../driver.ts';
import type { HostLayout } from './host-facts.ts';

const mebibyte = 1024 * 1024;
const sharedMemoryBytes = 16 * mebibyte;

interface BwrapPlan {
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

/**
 * What each file descriptor of bwrap is for; it closes all of them before the program starts. One
 * digit each: some shells know no others. The first three are the extra pipes of its process.
 */
const fileDescriptors = { args: 3, status: 4, seccomp: 5, firstEtc: 6 } as const;
export const pipeCount = 3;

/** The user `nobody` on every Linux: started by root, bwrap could still change the host's settings. */
const unprivilegedId = 65_534;

/** Told by the shell before there is a sandbox. */
export const notJoinedExit = 124;

/** A machine that runs out of memory ends a sandbox before it ends us. */
const oomScore = 500;

/**
 * No limit keeps a kernel from sending cores to a socket of the host. Without memory they are a few pages; what
 * is started inherits that, and finds /proc read-only.
 */
const noMemoryInCores = 'echo 0 2>/dev/null >/proc/self/coredump_filter';

export interface StartPlan {
  readonly bwrap: string;
  /** Set when we are root. */
  readonly setpriv?: string | undefined;
  /** A mount namespace to enter first, and the program that does it. */
  readonly stage?: { readonly nsenter: string; readonly namespace: string } | undefined;
  /** Inherited from our parent process, and to be closed. */
  readonly strays: readonly number[];
  readonly joinFiles: readonly string[];
  readonly openFiles: number;
  /** Sets the limits that no shell can, inside: there the kernel counts what is used inside alone. */
  readonly prlimit: string;
  /** The kernel hands cores to a program, whatever their limit is but for 1; elsewhere 0 forbids them. */
  readonly isCorePiped: boolean;
  /** Largest file. */
  readonly fileBytes?: number | undefined;
  /** Most processes of the program, where no group counts them. */
  readonly pidsInside?: number | undefined;
  readonly command: readonly string[];
  readonly without: ReadonlySet<Protection>;
}

/**
 * The script of the shell that becomes bwrap: it joins the groups that limit it, sets what else its
 * kernel limits, gives up root and hands over the texts of synthetic files.
 */
export function startScript(plan: StartPlan): string {
  const lines = [
    ...plan.strays.filter(isFree).map((fd) => `exec ${fd}>&-`),
    // 0 is the writer itself: the kernel then needs no lock over all processes.
    ...plan.joinFiles.map((file) => `echo 0 >${quote(file)} || exit ${notJoinedExit}`),
    'umask 022',
    `echo ${oomScore} >/proc/self/oom_score_adj`,
    ...(plan.isCorePiped ? [] : ['ulimit -c 0']),
    noMemoryInCores,
    ...(plan.without.has('open-files') ? [] : [`ulimit -n ${plan.openFiles} 2>/dev/null`]),
    ...(plan.fileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(plan.fileBytes / 512)}`]),
  ];
  const redirections = syntheticEtc.map(
    (_file, index) => `${fileDescriptors.firstEtc + index}<<'${endMark}'`,
  );
  const words = [
    'exec',
    ...(plan.isCorePiped ? [quote(plan.prlimit), '--core=1:1', '--'] : []),
    ...enterStage(plan),
    ...dropRoot(plan),
    quote(plan.bwrap),
    `--args ${fileDescriptors.args}`,
    '--',
    ...limitInside(plan).map(quote),
    ...plan.command.map(quote),
    ...redirections,
  ];
  const texts = syntheticEtc.map(({ text }) => `${text}${endMark}\n`).join('');
  return `${lines.join('\n')}\n${words.join(' ')}\n${texts}`;
}

/** Ends each text; no text has such a line. */
const endMark = 'END';

/** So that a program beyond the limit is still noticed, and the limit named, before the kernel refuses. */
const pidsSlack = 64;

/** Timers and queued signals. They count outside, too, against what the user's own programs may have. */
const maxPendingSignals = 1024;

function limitInside({ prlimit, pidsInside }: StartPlan): string[] {
  const pids = pidsInside === undefined ? [] : [`--nproc=${pidsInside + pidsSlack}`];
  return [prlimit, `--sigpending=${maxPendingSignals}`, '--msgqueue=0', ...pids, '--'];
}

/** The others are what we put there ourselves. */
function isFree(fd: number): boolean {
  return fd >= fileDescriptors.args + pipeCount;
}

function enterStage({ stage }: StartPlan): string[] {
  return stage ? [quote(stage.nsenter), `--mount=${quote(stage.namespace)}`, '--'] : [];
}

function dropRoot({ setpriv, without }: StartPlan): string[] {
  const isKept = without.has('unprivileged-user') || without.has('user-namespace');
  if (setpriv === undefined || isKept) return [];
  const id = unprivilegedId;
  return [quote(setpriv), `--reuid ${id} --regid ${id} --clear-groups --inh-caps -all --`];
}

/** A file of the system folder that says as little of this machine as programs can do with. */
interface SyntheticFile {
  readonly path: string;
  readonly text: string;
}

/** The user inside; no user of this machine. */
const insideId = 1000;

const hostName = 'sandbox';

const syntheticEtc: readonly SyntheticFile[] = [
  {
    path: '/etc/passwd',
    text: `root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:${insideId}:${insideId}::/work:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
  },
  {
    path: '/etc/group',
    text: `root:x:0:\nsandbox:x:${insideId}:\nnogroup:x:65534:\n`,
  },
  {
    path: '/etc/hosts',
    text: `127.0.0.1 localhost ${hostName}\n::1 localhost ${hostName}\n`,
  },
  {
    path: '/etc/nsswitch.conf',
    text: 'passwd: files\ngroup: files\nhosts: files\n',
  },
];
