import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { SandboxLimits } from '../../../src/contract/sandbox/index.ts';
import { readProcessStat } from '../../../src/sandbox/resources/process-stat.ts';
import type {
  LimitReason,
  ResourceGroup,
} from '../../../src/sandbox/resources/resource-control.ts';

const mebibyte = 1024 * 1024;

export function someLimits(changes: Partial<SandboxLimits> = {}): SandboxLimits {
  return {
    wallMs: 10_000,
    cpuMs: 10_000,
    cpus: 1,
    memoryBytes: 128 * mebibyte,
    pids: 24,
    diskBytes: mebibyte,
    openFiles: 64,
    outputBytes: 1024,
    ...changes,
  };
}

export interface Member {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
}

/** Starts a program in a group, as drivers do: a shell joins and becomes the program. */
export function startMember(group: ResourceGroup, argv: readonly string[]): Member {
  const joins = group.joinFiles.map((file) => `echo $$ > '${file}' &&`).join(' ');
  const child = spawn('/bin/sh', ['-c', `${joins} exec "$@"`, 'sh', ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.pid === undefined) throw new Error('the shell did not start');
  group.follow(child.pid);
  const exited = once(child, 'exit').then(([exitCode, signal]: unknown[]) => ({
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
  }));
  return { child, pid: child.pid, exited };
}

/** The first line that a member writes. */
export async function firstLine(member: Member): Promise<string> {
  const [text] = await once(member.child.stdout ?? member.child, 'data');
  return String(text).trim();
}

/** Resolves with the first limit that is reached, after killing the group as a driver would. */
export function killAtLimit(group: ResourceGroup): Promise<LimitReason> {
  return new Promise((resolve) => {
    group.watch((reason) => {
      group.kill();
      resolve(reason);
    });
  });
}

/** The dead stay listed until somebody has asked for their exit code: they do not count. */
export function isAlive(pid: number): boolean {
  return readProcessStat(pid)?.isDead === false;
}

/** Two processes that compute for a second of the clock, whatever they get of it. */
const busyForASecond =
  'end=$(($(date +%s%N) + 1000000000)); work() { while [ $(date +%s%N) -lt $end ]; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; done; }; work & work; wait';
/** What may be used at once, and before it is noticed. */
const rateSlackMs = 150;

/** What two busy processes got in a watched group, and the most that its rate allows them. */
export async function computeForASecond(
  group: ResourceGroup,
  cpus: number,
): Promise<{ readonly cpuMs: number; readonly mostMs: number }> {
  const startedAt = performance.now();
  let reached: LimitReason | undefined;
  group.watch((reason) => {
    reached = reason;
    group.kill();
  });
  const { exitCode } = await startMember(group, ['/bin/sh', '-c', busyForASecond]).exited;
  if (exitCode !== 0) throw new Error(`they ended with ${exitCode} at the limit ${reached}`);
  const mostMs = cpus * (performance.now() - startedAt) + rateSlackMs;
  return { cpuMs: (await group.usage()).cpuMs, mostMs };
}
