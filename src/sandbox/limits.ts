import { availableParallelism, totalmem } from 'node:os';
import type { LimitName, SandboxLimits } from '../contract/sandbox/index.ts';
import { LimitOutOfRangeError } from './errors.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const minuteMs = 60_000;

/** What a run gets that asks for nothing. */
export const defaultLimits: SandboxLimits = {
  wallMs: 30_000,
  cpuMs: 30_000,
  cpus: 1,
  memoryBytes: 512 * mebibyte,
  pids: 256,
  diskBytes: 128 * mebibyte,
  openFiles: 512,
  outputBytes: mebibyte,
};

/** Below these an interpreter does not even start, and the reason given would mislead. */
export const leastLimits: SandboxLimits = {
  wallMs: 10,
  cpuMs: 10,
  cpus: 0.05,
  memoryBytes: 16 * mebibyte,
  pids: 8,
  diskBytes: 64 * 1024,
  openFiles: 32,
  outputBytes: 0,
};

/** The machine that hard ceilings are drawn from. */
export interface MachineSize {
  readonly processors: number;
  readonly memoryBytes: number;
}

/** Upper bounds that no setting can raise. */
export function hardCeilings(machine: MachineSize = thisMachine()): SandboxLimits {
  return {
    wallMs: 30 * minuteMs,
    cpuMs: 120 * minuteMs,
    cpus: machine.processors,
    memoryBytes: Math.min(8 * gibibyte, programMemory(machine)),
    pids: 4096,
    diskBytes: 4 * gibibyte,
    openFiles: 65_536,
    outputBytes: 64 * mebibyte,
  };
}

/** Of the machine's memory, which programs may have together: the rest is for the system and for us. */
const programShare = 0.75;

export function programMemory(machine: MachineSize = thisMachine()): number {
  return Math.floor(machine.memoryBytes * programShare);
}

/** What limits are settled with, if not with the usual. */
export interface LimitFrame {
  /** For what a run leaves open. */
  readonly defaults?: SandboxLimits;
  readonly ceilings?: SandboxLimits;
}

/**
 * The limits of a run: what it wants, and the defaults for what it leaves open. Throws
 * `sandbox.invalid_run` for what is out of range: a limit is never cut silently.
 */
export function settleLimits(
  wanted: Partial<SandboxLimits>,
  { defaults = defaultLimits, ceilings = hardCeilings() }: LimitFrame = {},
): SandboxLimits {
  const settled = {
    wallMs: wanted.wallMs ?? defaults.wallMs,
    cpuMs: wanted.cpuMs ?? defaults.cpuMs,
    cpus: wanted.cpus ?? defaults.cpus,
    memoryBytes: wanted.memoryBytes ?? defaults.memoryBytes,
    pids: wanted.pids ?? defaults.pids,
    diskBytes: wanted.diskBytes ?? defaults.diskBytes,
    openFiles: wanted.openFiles ?? defaults.openFiles,
    outputBytes: wanted.outputBytes ?? defaults.outputBytes,
  };
  for (const limit of limitNames) checkLimit(limit, settled[limit], ceilings[limit]);
  return settled;
}

export const limitNames: readonly LimitName[] = [
  'wallMs',
  'cpuMs',
  'cpus',
  'memoryBytes',
  'pids',
  'diskBytes',
  'openFiles',
  'outputBytes',
];

function checkLimit(limit: LimitName, wanted: number, ceiling: number): void {
  const least = leastLimits[limit];
  const isCountable = limit === 'cpus' ? Number.isFinite(wanted) : Number.isSafeInteger(wanted);
  if (isCountable && wanted >= least && wanted <= ceiling) return;
  throw new LimitOutOfRangeError(limit, { wanted, least, ceiling });
}

function thisMachine(): MachineSize {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return { processors: availableParallelism(), memoryBytes };
}
