import { access, constants, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriverReport } from '../../contract/sandbox/index.ts';
import { isRunning, type ProcessOwner } from '../../kernel/index.ts';
import { bootCommand, commandBoot, minimalEnv } from '../boot/boot.ts';
import type { PreparedSandbox, SandboxDriver, SandboxShape, Toolchain } from '../driver.ts';
import { InvalidRunError, SandboxNotStartedError } from '../errors.ts';
import { type CanaryFacts, runCanaries } from '../probe/run-canaries.ts';
import { SupervisedSandbox } from '../supervise-run.ts';
import { findToolchain } from '../toolchains/find-toolchain.ts';
import { hostSurroundings } from '../toolchains/surroundings.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';
import { layOutFiles, StartedSeatbelt } from './started-seatbelt.ts';

export interface SeatbeltOptions {
  readonly owner: ProcessOwner;
  /** Where work folders are made. Only we and the programs inside may enter it. */
  readonly folder: string;
  /** The rest is for tests. */
  readonly findToolchain?: (name: string) => Promise<Toolchain>;
  readonly runCanaries?: typeof runCanaries;
  readonly platform?: NodeJS.Platform;
  /** The program that confines. */
  readonly program?: string;
}

type Settled = Required<SeatbeltOptions>;

const name = 'seatbelt';
const idleMemoryBytes = 40 * 1024 * 1024;

/** What no canary can try is our own end, and none sees that we hold the amounts, not the kernel. */
const facts: CanaryFacts = {
  holders: { disk: 'supervisor' },
  declared: {
    'dies-with-us': {
      holder: 'supervisor',
      evidence: 'a guardian ends every program of a Tutti that is gone',
    },
  },
};

/**
 * Sandboxes by the kernel's own policy on macOS. What namespaces and cgroups give on Linux there is
 * only partly: processes of others are hidden by the profile, amounts are watched by us.
 */
export function createSeatbeltDriver(given: SeatbeltOptions): SandboxDriver {
  const surroundings = hostSurroundings();
  const options: Settled = {
    findToolchain: (toolchain) => findToolchain(toolchain, surroundings),
    runCanaries,
    platform: process.platform,
    program: '/usr/bin/sandbox-exec',
    ...given,
  };
  const driver: SandboxDriver = {
    name,
    findToolchain: options.findToolchain,
    prepare: (shape) => prepare(options, shape),
    probe: (signal) => probe(options, driver, signal),
    // The probe cache itself looks at the kernel's release.
    fingerprint: async () => {
      const { mtimeMs, size } = await stat(options.program);
      return JSON.stringify([mtimeMs, size]);
    },
    sweep: () => sweep(options.folder),
    close: async () => {},
  };
  return driver;
}

async function probe(
  { platform, program, runCanaries: tryProtections }: Settled,
  driver: SandboxDriver,
  signal?: AbortSignal,
): Promise<DriverReport> {
  const unavailable = (message: string): DriverReport => {
    return { driver: name, state: 'unavailable', message, protections: [] };
  };
  if (platform !== 'darwin') return unavailable('works on macOS only');
  try {
    await access(program, constants.X_OK);
  } catch {
    return unavailable(`${program} is missing`);
  }
  const protections = await tryProtections(driver, facts, signal);
  const message =
    'written for macOS and never run there by its authors: trust what the canaries say';
  return { driver: name, state: 'unproven', message, protections };
}

async function prepare(options: Settled, shape: SandboxShape): Promise<PreparedSandbox> {
  const outside = shape.mounts.filter(({ source, target }) => source !== target);
  if (outside.length > 0) {
    throw new InvalidRunError(
      `macOS shows folders at their own path only, not "${outside[0]?.source}" at "${outside[0]?.target}"`,
    );
  }
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const made = await mkdtemp(join(options.folder, `${process.pid}-`));
  try {
    const workFolder = await realpath(made);
    const mounts = [...shape.toolchain.mounts, ...shape.mounts];
    const readable = await Promise.all(mounts.map(({ source }) => realpath(source)));
    const sandbox = await StartedSeatbelt.start({
      owner: options.owner,
      program: options.program,
      profile: seatbeltProfile({ workFolder, readable }),
      boot: portableBoot(shape),
      env: { ...minimalEnv(shape.toolchain), HOME: workFolder, TMPDIR: workFolder },
      workFolder,
      limits: shape.limits,
    });
    return new SupervisedSandbox({
      sandbox,
      shape,
      idleMemoryBytes,
      fixedLimits: ['openFiles', 'diskBytes', 'cpuMs'],
      without: new Set(),
      prepareJob: (job) => layOutFiles(job, workFolder),
      setLimits: async (limits) => sandbox.setLimits(limits),
    });
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw new SandboxNotStartedError(name, String(error), { cause: error });
  }
}

/** BSD's `head -c` reads further than asked and would swallow the program's input; `dd` does not. */
function portableBoot({ boot, toolchain }: SandboxShape): string[] {
  if (boot !== 'command') return bootCommand(boot, toolchain);
  const readHeader = 'dd bs=1 count="$((0x$size))" 2>/dev/null';
  return ['/bin/sh', '-c', commandBoot('dd bs=1 count=8 2>/dev/null', readHeader)];
}

/** Removes work folders whose owner is gone. */
async function sweep(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((entry) => {
    const pid = Number(/^(\d+)-/.exec(entry)?.[1]);
    return pid !== process.pid && !isRunning(pid);
  });
  for (const entry of left) await rm(join(folder, entry), { recursive: true, force: true });
  return left.length;
}
