import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import type { OwnedProcess, ProcessExit, ProcessOwner } from '../../kernel/index.ts';
import { BootOutput, type OutputListener } from '../boot/boot.ts';
import { filesOf } from '../boot/encode-job.ts';
import type { Collected } from '../collect/collect-files.ts';
import { readTar } from '../collect/read-tar.ts';
import type { SandboxJob } from '../driver.ts';
import type { LimitReason } from '../resources/resource-control.ts';
import { nothing, type WaitingSandbox } from '../supervise-run.ts';

export interface SeatbeltStart {
  readonly owner: ProcessOwner;
  /** Takes `-p PROFILE COMMAND …` and becomes the command, confined. */
  readonly program: string;
  readonly profile: string;
  readonly boot: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workFolder: string;
  readonly limits: SandboxLimits;
}

const pollMs = 100;
const startLimitMs = 20_000;
/** What a tar of the work folder may need besides its files. */
const archiveOverhead = 4;
/** Entries of the work folder that are measured in one look. */
const maxMeasuredEntries = 20_000;

/** A program confined by sandbox-exec, from its start to the removal of its work folder. */
export class StartedSeatbelt implements WaitingSandbox {
  readonly driver = 'seatbelt';
  readonly exited: Promise<ProcessExit>;
  readonly #start: SeatbeltStart;
  readonly #child: OwnedProcess;
  readonly #output = new BootOutput();
  #limits: SandboxLimits;
  #exit: ProcessExit | undefined;
  #isDiskFull = false;
  #peakMemoryBytes = 0;
  #poll: NodeJS.Timeout | undefined;

  /** Resolves when the boot waits inside. */
  static async start(start: SeatbeltStart): Promise<StartedSeatbelt> {
    const { limits, env, profile } = start;
    const cpuSeconds = Math.ceil(limits.cpuMs / 1_000);
    const fileBlocks = Math.ceil(limits.diskBytes / 512);
    const script = `ulimit -c 0; ulimit -n ${limits.openFiles}; ulimit -t ${cpuSeconds}; ulimit -f ${fileBlocks}; exec "$@"`;
    const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const confined = [start.program, '-p', profile, '/usr/bin/env', '-i', ...assignments];
    const child = await start.owner.start({
      command: '/bin/sh',
      args: ['-c', script, 'sandbox', ...confined, ...start.boot],
      cwd: start.workFolder,
      env: { PATH: '/usr/bin:/bin' },
    });
    const started = new StartedSeatbelt(start, child);
    await started.#ready();
    return started;
  }

  private constructor(start: SeatbeltStart, child: OwnedProcess) {
    this.#start = start;
    this.#child = child;
    this.#limits = start.limits;
    child.stdout.on('data', (bytes: Buffer) => this.#output.add('stdout', bytes));
    child.stderr.on('data', (bytes: Buffer) => this.#output.add('stderr', bytes));
    this.exited = child.exited.then((exit) => {
      this.#exit = exit;
      this.#output.fail(new Error(this.#output.complaint || 'it ended at once'));
      return exit;
    });
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  readonly resources = {
    watch: (onLimit: (reason: LimitReason) => void): void => {
      let isLooking = false;
      this.#poll = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        void this.#look(onLimit)
          // It has most likely just ended; otherwise the next look finds out.
          .catch(() => {})
          .finally(() => {
            isLooking = false;
          });
      }, pollMs);
    },
    reached: async (): Promise<LimitReason | null> =>
      this.#exit?.signal === 'SIGXCPU' ? 'cpu' : null,
    usage: async () => ({ cpuMs: 0, peakMemoryBytes: this.#peakMemoryBytes }),
  };

  setLimits(limits: SandboxLimits): void {
    this.#limits = limits;
  }

  onOutput(listener: OutputListener): void {
    this.#output.onOutput = listener;
  }

  send(parts: readonly Uint8Array[]): void {
    for (const part of parts) this.#child.stdin.write(part);
    this.#child.stdin.end();
  }

  kill(): void {
    void this.#child.stop(0);
  }

  /** What the program left running would hold its output open and change its files. */
  async drained(): Promise<void> {
    clearInterval(this.#poll);
    await this.#child.stop(0);
  }

  isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  /** A single file can be as large as the disk, and no larger. */
  async wasDiskFilled(): Promise<boolean> {
    this.#isDiskFull ||= (await sizeOfFolder(this.#start.workFolder)) >= this.#limits.diskBytes;
    return this.#isDiskFull;
  }

  /** Nothing runs in the folder any more, and tar follows no link. */
  async collect({ collect }: SandboxJob): Promise<Collected> {
    if (collect === null) return nothing;
    const paths = collect.paths.length === 0 ? ['.'] : collect.paths;
    const maxBuffer = collect.maxBytes * archiveOverhead + this.#limits.diskBytes;
    const { stdout } = await promisify(execFile)(
      'tar',
      ['-cf', '-', '-C', this.#start.workFolder, '--', ...paths],
      { encoding: 'buffer', maxBuffer },
    ).catch((error: unknown) => ({ stdout: partialOutput(error) }));
    return readTar(stdout, collect);
  }

  async release(): Promise<void> {
    clearInterval(this.#poll);
    await this.#child.stop(0);
    await rm(this.#start.workFolder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const late = new Error('it was not ready in time');
    const timer = setTimeout(() => this.#output.fail(late), startLimitMs);
    try {
      await this.#output.ready;
    } catch (error) {
      await this.release();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #look(onLimit: (reason: LimitReason) => void): Promise<void> {
    const used = await this.#start.owner.measure(this.#child.pid);
    if (used) {
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, used.memoryBytes);
      if (used.memoryBytes > this.#limits.memoryBytes) onLimit('memory');
      if (used.processes > this.#limits.pids) onLimit('pids');
    }
    await this.wasDiskFilled();
  }
}

/**
 * Writes the files of a command into its folder, where nothing has run yet that could have put a link into
 * their way: its boot reads byte by byte and would be slow.
 */
export async function layOutFiles(job: SandboxJob, workFolder: string): Promise<SandboxJob> {
  if (job.program.kind !== 'command') return job;
  for (const { path, bytes, mode } of filesOf(job)) {
    const file = join(workFolder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes, { flag: 'wx' });
    await chmod(file, mode);
  }
  return { ...job, files: {} };
}

/** A tar that complained about one file has archived the others. */
function partialOutput(error: unknown): Buffer {
  const isPartial = error instanceof Error && 'stdout' in error && Buffer.isBuffer(error.stdout);
  return isPartial ? (error.stdout as Buffer) : Buffer.alloc(0);
}

async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let total = 0;
  for (const entry of entries.slice(0, maxMeasuredEntries)) {
    if (!entry.isFile()) continue;
    const { blocks } = await lstat(join(entry.parentPath, entry.name)).catch(() => ({ blocks: 0 }));
    total += blocks * 512;
  }
  return total;
}
