import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  CollectRequest,
  KillReason,
  RunWatch,
  SandboxLimits,
  SandboxResult,
} from '../../contract/sandbox/index.ts';
import type { OwnedProcess, ProcessOwner } from '../../kernel/index.ts';
import { bootReadyMark } from '../boot/boot-ready-mark.ts';
import { encodeJob } from '../boot/encode-job.ts';
import type { Collected } from '../collect/collect-files.ts';
import { readTar } from '../collect/read-tar.ts';
import type { SandboxJob } from '../driver.ts';
import { endOfRun } from '../end-of-run.ts';
import { Output } from '../output.ts';
import { layOutJob } from './portable-boot.ts';

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

export interface StartedSeatbelt {
  readonly idleMemoryBytes: number;
  readonly openFiles: number;
  isUsable(): boolean;
  run(job: SandboxJob, watch: RunWatch): Promise<Omit<SandboxResult, 'wasWarm' | 'driver'>>;
  stop(): Promise<void>;
}

const mebibyte = 1024 * 1024;
const idleMemoryBytes = 40 * mebibyte;
const pollMs = 100;
const startLimitMs = 20_000;
/** What a tar of the work folder may need besides its files. */
const archiveOverhead = 4;
/** Entries of the work folder that are measured in one look. */
const maxMeasuredEntries = 20_000;

/** Resolves when the boot waits inside. */
export async function startSeatbelt(start: SeatbeltStart): Promise<StartedSeatbelt> {
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
  const streams = new BootStreams(child);
  await streams.untilReady();
  let isUsed = false;
  return {
    idleMemoryBytes,
    openFiles: limits.openFiles,
    isUsable: () => !isUsed && !streams.hasEnded,
    run(job, watch) {
      isUsed = true;
      return new SeatbeltRun({ start, child, streams, job, watch }).result();
    },
    async stop() {
      isUsed = true;
      await child.stop(0);
    },
  };
}

/** The output of a boot: its ready mark first, then whatever its program writes. */
class BootStreams {
  hasEnded = false;
  onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void = () => {};
  readonly #ready: Promise<void>;
  #complaint = '';

  constructor(child: OwnedProcess) {
    let start = Buffer.alloc(0);
    let isReady = false;
    this.#ready = new Promise((resolve, reject) => {
      child.stdout.on('data', (bytes: Buffer) => {
        if (isReady) return this.onOutput('stdout', bytes);
        start = Buffer.concat([start, bytes]);
        if (start.length < bootReadyMark.length) return;
        isReady = start.toString('latin1').startsWith(bootReadyMark);
        if (!isReady) return reject(new Error('the sandbox started with something else'));
        resolve();
        const rest = start.subarray(bootReadyMark.length);
        if (rest.length > 0) this.onOutput('stdout', rest);
      });
      child.stderr.on('data', (bytes: Buffer) => {
        if (!isReady) this.#complaint = (this.#complaint + bytes.toString()).slice(0, 1000);
        this.onOutput('stderr', bytes);
      });
      void child.exited.then(() => {
        this.hasEnded = true;
        reject(new Error(this.#complaint.trim() || 'it ended at once'));
      });
      setTimeout(() => reject(new Error('it was not ready in time')), startLimitMs).unref();
    });
    this.#ready.catch(() => void child.stop(0));
  }

  untilReady(): Promise<void> {
    return this.#ready;
  }
}

interface RunParts {
  readonly start: SeatbeltStart;
  readonly child: OwnedProcess;
  readonly streams: BootStreams;
  readonly job: SandboxJob;
  readonly watch: RunWatch;
}

/** One program, watched until it ends. The first reason to kill it is the reason. */
class SeatbeltRun {
  readonly #parts: RunParts;
  readonly #output: Output;
  #killedFor: KillReason | null = null;
  #peakMemoryBytes = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#output = new Output({
      maxBytes: parts.job.limits.outputBytes,
      onOutput: parts.watch.onOutput,
      onFull: () => this.#kill('output'),
    });
  }

  async result(): Promise<Omit<SandboxResult, 'wasWarm' | 'driver'>> {
    const { child, streams, job } = this.#parts;
    const told = await layOutJob(job, this.#parts.start.workFolder);
    const startedAt = performance.now();
    const stopWatching = this.#startWatching();
    streams.onOutput = (stream, bytes) => this.#output.add(stream, bytes);
    for (const part of encodeJob(told)) child.stdin.write(part);
    child.stdin.end();
    const exit = await child.exited;
    stopWatching();
    await child.stop(0);
    const wallMs = performance.now() - startedAt;
    const reached = exit.signal === 'SIGXCPU' ? 'cpu' : (await this.#isDiskFull()) ? 'disk' : null;
    const collected = job.collect ? await this.#collect(job.collect) : null;
    return {
      ...endOfRun(exit, this.#killedFor, reached),
      stdout: this.#output.read('stdout'),
      stderr: this.#output.read('stderr'),
      truncated: this.#output.isTruncated,
      usage: { wallMs, cpuMs: 0, peakMemoryBytes: this.#peakMemoryBytes },
      files: collected?.files ?? [],
      observations: collected?.observations ?? [],
    };
  }

  #startWatching(): () => void {
    const { job, watch } = this.#parts;
    const onCancel = (): void => this.#kill('cancelled');
    const wall = setTimeout(() => this.#kill('timeout'), job.limits.wallMs);
    let isLooking = false;
    const poll = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void this.#look()
        // It has most likely just ended; otherwise it is looked at again.
        .catch(() => {})
        .finally(() => {
          isLooking = false;
        });
    }, pollMs);
    watch.signal?.addEventListener('abort', onCancel, { once: true });
    if (watch.signal?.aborted) onCancel();
    return () => {
      clearTimeout(wall);
      clearInterval(poll);
      watch.signal?.removeEventListener('abort', onCancel);
    };
  }

  async #look(): Promise<void> {
    const { start, child, job } = this.#parts;
    const used = await start.owner.measure(child.pid);
    if (used) {
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, used.memoryBytes);
      if (used.memoryBytes > job.limits.memoryBytes) this.#kill('memory');
      if (used.processes > job.limits.pids) this.#kill('pids');
    }
    if (await this.#isDiskFull()) this.#kill('disk');
  }

  /** A single file can be as large as the disk, and no larger. */
  async #isDiskFull(): Promise<boolean> {
    const { start, job } = this.#parts;
    return (await sizeOfFolder(start.workFolder)) >= job.limits.diskBytes;
  }

  #kill(reason: KillReason): void {
    if (this.#killedFor !== null) return;
    this.#killedFor = reason;
    void this.#parts.child.stop(0);
  }

  /** Nothing runs in the folder any more, and tar follows no link. */
  async #collect(request: CollectRequest): Promise<Collected> {
    const paths = request.paths.length === 0 ? ['.'] : request.paths;
    const { workFolder } = this.#parts.start;
    const { stdout } = await promisify(execFile)(
      'tar',
      ['-cf', '-', '-C', workFolder, '--', ...paths],
      {
        encoding: 'buffer',
        maxBuffer: request.maxBytes * archiveOverhead + this.#parts.job.limits.diskBytes,
      },
    ).catch((error: unknown) => ({ stdout: partOf(error) }));
    return readTar(stdout, request);
  }
}

/** A tar that complained about one file has archived the others. */
function partOf(error: unknown): Buffer {
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
