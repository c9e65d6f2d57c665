import type { Protection } from '../../contract/sandbox/index.ts';
import { syntheticEtc } from './synthetic-etc.ts';

/**
 * What each file descriptor of bwrap is for; it closes all of them before the program starts. One
 * digit each: some shells know no others. The first three are the extra pipes of its process.
 */
export const fileDescriptors = { args: 3, status: 4, seccomp: 5, firstEtc: 6 } as const;
export const pipeCount = 3;

/** Nobody, on every Linux: bwrap must not be started by root, who could still change the host's settings. */
export const unprivilegedId = 65_534;

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
  /** Inherited from who started us, and to be closed. */
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

/** So that who goes beyond the limit is still seen there, and named, before the kernel refuses. */
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

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
