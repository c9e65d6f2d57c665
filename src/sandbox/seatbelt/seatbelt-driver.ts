import { access, constants, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriverReport, RunWatch, SandboxResult } from '../../contract/sandbox/index.ts';
import { isRunning, type ProcessOwner } from '../../kernel/index.ts';
import { minimalEnv } from '../boot/minimal-env.ts';
import type {
  PreparedSandbox,
  SandboxDriver,
  SandboxJob,
  SandboxShape,
  Toolchain,
} from '../driver.ts';
import { InvalidRunError, SandboxNotStartedError } from '../errors.ts';
import { portableBoot } from './portable-boot.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';
import { startSeatbelt, type StartedSeatbelt } from './started-seatbelt.ts';

export interface SeatbeltOptions {
  readonly owner: ProcessOwner;
  /** Where work folders are made. Only we and the programs inside may enter it. */
  readonly folder: string;
  readonly findToolchain: (name: string) => Promise<Toolchain>;
  readonly tryProtections: (
    driver: Pick<SandboxDriver, 'findToolchain' | 'prepare'>,
    signal?: AbortSignal,
  ) => Promise<DriverReport['protections']>;
  readonly platform?: NodeJS.Platform;
  /** The program that confines; macOS has it in one place. */
  readonly program?: string;
}

const name = 'seatbelt';
const systemProgram = '/usr/bin/sandbox-exec';

/**
 * Sandboxes by the kernel's own policy on macOS. What namespaces and cgroups give on Linux there is
 * only partly: processes of others are hidden by the profile, amounts are watched by us.
 */
export function createSeatbeltDriver(options: SeatbeltOptions): SandboxDriver {
  const driver: SandboxDriver = {
    name,
    findToolchain: options.findToolchain,
    prepare: (shape) => prepare(options, shape),
    probe: (signal) => probe(options, driver, signal),
    // The kernel's own release is looked at by who keeps results.
    fingerprint: async () => {
      const { mtimeMs, size } = await stat(options.program ?? systemProgram);
      return JSON.stringify([mtimeMs, size]);
    },
    sweep: () => sweep(options.folder),
    close: async () => {},
  };
  return driver;
}

async function probe(
  options: SeatbeltOptions,
  driver: SandboxDriver,
  signal?: AbortSignal,
): Promise<DriverReport> {
  if ((options.platform ?? process.platform) !== 'darwin') {
    const message = 'works on macOS only';
    return { driver: name, state: 'unavailable', message, protections: [] };
  }
  const program = options.program ?? systemProgram;
  const isThere = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const message = `${program} is missing`;
    return { driver: name, state: 'unavailable', message, protections: [] };
  }
  const protections = await options.tryProtections(driver, signal);
  const message =
    'written for macOS and never run there by its authors: trust what the canaries say';
  return { driver: name, state: 'unproven', message, protections };
}

async function prepare(options: SeatbeltOptions, shape: SandboxShape): Promise<PreparedSandbox> {
  const outside = shape.mounts.filter(({ source, target }) => source !== target);
  if (outside.length > 0) {
    throw new InvalidRunError(
      `macOS shows folders at their own place only, not "${outside[0]?.source}" at "${outside[0]?.target}"`,
    );
  }
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const made = await mkdtemp(join(options.folder, `${process.pid}-`));
  try {
    const workFolder = await realpath(made);
    const mounts = [...shape.toolchain.mounts, ...shape.mounts];
    const readable = await Promise.all(mounts.map(({ source }) => realpath(source)));
    const started = await startSeatbelt({
      owner: options.owner,
      program: options.program ?? systemProgram,
      profile: seatbeltProfile({ workFolder, readable }),
      boot: portableBoot(shape),
      env: { ...minimalEnv(shape.toolchain), HOME: workFolder, TMPDIR: workFolder },
      workFolder,
      limits: shape.limits,
    });
    return waitingSandbox(started, workFolder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw new SandboxNotStartedError(name, String(error), { cause: error });
  }
}

function waitingSandbox(started: StartedSeatbelt, workFolder: string): PreparedSandbox {
  const remove = (): Promise<void> => rm(workFolder, { recursive: true, force: true });
  return {
    idleMemoryBytes: started.idleMemoryBytes,
    isUsable: () => started.isUsable(),
    accepts: ({ openFiles }) => openFiles === started.openFiles,
    async run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm'>> {
      try {
        return { ...(await started.run(job, watch)), driver: name };
      } finally {
        await remove();
      }
    },
    async dispose() {
      await started.stop();
      await remove();
    },
  };
}

/** Work folders whose owner is gone. */
async function sweep(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((entry) => {
    const pid = Number(/^(\d+)-/.exec(entry)?.[1]);
    return pid !== process.pid && !isRunning(pid);
  });
  for (const entry of left) await rm(join(folder, entry), { recursive: true, force: true });
  return left.length;
}
