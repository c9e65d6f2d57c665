import { readFile } from 'node:fs/promises';
import {
  type Holder,
  type Protection,
  type ProtectionReport,
  protections,
  type SandboxLimits,
  type SandboxResult,
} from '../../contract/sandbox/index.ts';
import { ownFile, withTimeLimit } from '../../kernel/index.ts';
import type { SandboxDriver, SandboxJob } from '../driver.ts';
import { plantHostCanary } from './host-canary.ts';
import {
  isolationFindings,
  isolationProtections,
  judgeIsolation,
  type Verdict,
} from './judge-isolation.ts';
import { resourceCanaries, type ResourceCanary } from './resource-canaries.ts';

/** The part of a driver that canaries need. */
type CanaryDriver = Pick<SandboxDriver, 'findToolchain' | 'prepare'>;

/** What every canary gets that does not go beyond it on purpose. */
const canaryLimits: SandboxLimits = {
  wallMs: 5000,
  cpuMs: 10_000,
  cpus: 1,
  memoryBytes: 256 * 1024 * 1024,
  pids: 64,
  diskBytes: 8 * 1024 * 1024,
  openFiles: 512,
  outputBytes: 256 * 1024,
};

/** Ours, for the case that the limits under test are not held. */
const defaultCanaryMs = 10_000;
const wallGraceMs = 1000;

/**
 * Tries every protection of a driver by programs that really try to get out, on the driver's port
 * alone, and says for each who holds it. Never throws: a canary that could not run proves nothing, so
 * what it was to try counts as not held.
 */
export async function runCanaries(
  driver: CanaryDriver,
  facts: CanaryFacts,
  signal: AbortSignal = new AbortController().signal,
): Promise<ProtectionReport[]> {
  const ground: Ground = { driver, signal, maxMs: facts.maxCanaryMs ?? defaultCanaryMs };
  const groups = await Promise.all([
    tryIsolation(ground),
    ...resourceCanaries.map((canary) => tryResource(canary, ground)),
  ]);
  const verdicts = new Map(groups.flat().map((verdict) => [verdict.protection, verdict]));
  return protections.map((protection) => report(protection, verdicts.get(protection), facts));
}

function report(
  protection: Protection,
  verdict: Verdict | undefined,
  facts: CanaryFacts,
): ProtectionReport {
  const isLeftOut = facts.leftOut?.includes(protection) === true;
  const declared = facts.declared?.[protection];
  if (declared && !isLeftOut) return { protection, ...declared };
  const isHeld = verdict?.isHeld === true;
  const holder = isHeld && !isLeftOut ? holderOf(protection, facts) : 'none';
  const seen = verdict?.evidence ?? 'the driver does not say that it has it';
  const evidence = isHeld && isLeftOut ? `left out, and another layer holds it: ${seen}` : seen;
  const fix = facts.fixes?.[protection];
  return {
    protection,
    holder,
    evidence,
    ...(holder === 'kernel' || fix === undefined ? {} : { fix }),
  };
}

const isolationCanary = ownFile('sandbox/probe/isolation-canary.cjs');

interface Ground {
  readonly driver: CanaryDriver;
  readonly signal: AbortSignal;
  readonly maxMs: number;
}

async function tryIsolation(ground: Ground): Promise<Verdict[]> {
  const run = async (): Promise<Verdict[]> => {
    const host = await plantHostCanary();
    try {
      const result = await runCanary(ground, {
        toolchain: 'node',
        program: { kind: 'node', main: 'canary.cjs', args: [JSON.stringify(host.asked)] },
        files: { 'canary.cjs': await readFile(isolationCanary) },
        limits: canaryLimits,
      });
      const answer = Buffer.from(result.stdout).toString('utf8');
      if (result.status !== 'exited' || result.exitCode !== 0) {
        const said = Buffer.from(result.stderr).toString('utf8').trim().slice(0, 300);
        throw new Error(
          `it ended with ${result.reason ?? result.signal ?? result.exitCode} ${said}`,
        );
      }
      return judgeIsolation(isolationFindings.parse(JSON.parse(answer)), host);
    } finally {
      await host.remove();
    }
  };
  return attemptTwice({ tried: isolationProtections, isMeasured: false, run });
}

async function tryResource(canary: ResourceCanary, ground: Ground): Promise<Verdict[]> {
  const limits = { ...canaryLimits, ...canary.limits };
  const run = async (): Promise<Verdict[]> =>
    canary.judge(await runCanary(ground, { ...canary, limits }));
  return attemptTwice({ tried: canary.protections, isMeasured: true, run });
}

interface Attempt {
  /** What is tried. */
  readonly tried: readonly Protection[];
  /** Whether what was not held is tried again: a measurement may fail by chance, a hole does not close. */
  readonly isMeasured: boolean;
  run(): Promise<Verdict[]>;
}

/** Once more if it could not run: on a busy machine a start may fail by chance. */
async function attemptTwice(attempt: Attempt): Promise<Verdict[]> {
  try {
    const first = await attempt.run();
    if (!attempt.isMeasured || first.every(({ isHeld }) => isHeld)) return first;
  } catch {
    // The second one says why.
  }
  try {
    return await attempt.run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const evidence = `the canary could not be run: ${reason}`.replaceAll(/\s+/g, ' ').slice(0, 500);
    return attempt.tried.map((protection) => ({ protection, isHeld: false, evidence }));
  }
}

interface Canary {
  readonly toolchain: string;
  readonly program: SandboxJob['program'];
  readonly files: SandboxJob['files'];
  readonly limits: SandboxLimits;
}

async function runCanary(
  { driver, signal, maxMs }: Ground,
  { toolchain: name, program, files, limits }: Canary,
): Promise<Omit<SandboxResult, 'wasWarm'>> {
  const started = { what: 'Starting the canary', limitMs: maxMs, signal };
  const prepared = await withTimeLimit(started, async (signal) => {
    const toolchain = await driver.findToolchain(name);
    const shape = { toolchain, boot: program.kind, mounts: [], limits };
    return driver.prepare(shape, signal);
  });
  // Wall time may be what is not held: then this ends the program, as a cancelled one.
  const ended = AbortSignal.any([signal, AbortSignal.timeout(limits.wallMs + wallGraceMs)]);
  const job = { program, files, env: {}, stdin: '', limits, collect: null };
  try {
    const bounded = { what: 'The canary', limitMs: limits.wallMs + maxMs, signal };
    return await withTimeLimit(bounded, () => prepared.run(job, { signal: ended }));
  } finally {
    await prepared.dispose();
  }
}

/** What a driver tells about itself, and no canary can find out from inside. */
export interface CanaryFacts {
  /**
   * Who holds a protection when its canary finds it held: `kernel` for memory in a cgroup,
   * `supervisor` under a watchdog. A canary that gets through makes it `none` all the same.
   */
  readonly holders?: Readonly<Partial<Record<Protection, Holder>>>;
  /**
   * Protections that no canary can try with this driver, or that it gives by other means than the one
   * a canary looks for. Taken as said, so `evidence` must tell why that is true. `dies-with-us` is
   * always among them: without it, it counts as not held.
   */
  readonly declared?: Readonly<Partial<Record<Protection, Declared>>>;
  /**
   * Protections the driver is configured to leave out. They count as not held even where a canary does not
   * get through, because another layer stops it too.
   */
  readonly leftOut?: readonly Protection[];
  /** What to do to have a protection held, or held by the kernel: an exact command where there is one. */
  readonly fixes?: Readonly<Partial<Record<Protection, string>>>;
  /** How long one canary may take, start of the sandbox included. */
  readonly maxCanaryMs?: number;
}

export type Declared = Omit<ProtectionReport, 'protection'>;

/** Who holds a protection that its canary finds held, unless the driver says otherwise. */
function holderOf(protection: Protection, facts: CanaryFacts): Holder {
  return (
    facts.holders?.[protection] ?? (heldBySupervisor.has(protection) ? 'supervisor' : 'kernel')
  );
}

const heldBySupervisor: ReadonlySet<Protection> = new Set<Protection>([
  'wall-time',
  'cpu-time',
  'cpu-rate',
  'memory',
  'pids',
  'output',
  'dies-with-us',
]);
