import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedProcess, ProcessExit } from '../../kernel/index.ts';
import { bootReadyMark } from '../boot/boot-ready-mark.ts';
import { collectFiles, type Collected } from '../collect/collect-files.ts';
import { listWritten } from '../collect/list-written.ts';
import type { SandboxJob } from '../driver.ts';
import { readProcessStat, type ProcessStat } from '../resources/process-stat.ts';
import type { ResourceGroup } from '../resources/resource-control.ts';
import type { OutputListener, WaitingSandbox } from '../supervise-run.ts';
import { driverName } from './driver-name.ts';
import { HostLocks } from './host-locks.ts';
import { InnerFolders } from './inner-folders.ts';
import { readChildPid } from './read-status.ts';

/** What bwrap or the boot said before the sandbox was ready. */
const maxComplaintCharacters = 2_000;
/** When the first process inside does not take bwrap along, bwrap is killed itself. */
const bwrapGraceMs = 50;
/** Turns of the event loop at least in which the output of the dead is read. */
const drainLooks = 20;
/** How long a killed sandbox is waited for. */
const deathTimeMs = 2_000;

const nothing: Collected = { files: [], observations: [] };

export interface StartedParts {
  readonly group: ResourceGroup;
  /** Null when that is left out. */
  readonly maxDiskBytes: number | null;
}

/**
 * One bwrap with everything inside, from its start to its end.
 *
 * 1. The ready mark is taken off the output; what follows goes to the one listener.
 * 2. The first process inside is killed before bwrap, so that the end of bwrap is the end of all inside.
 * 3. Pids are signalled only while they are known to be ours: a program that starts and ends thousands of
 *    processes makes the host give a pid to somebody else soon after its end.
 */
export class StartedSandbox implements WaitingSandbox {
  readonly exited: Promise<ProcessExit>;
  readonly driver = driverName;
  readonly resources: ResourceGroup;
  readonly #process: OwnedProcess;
  readonly #maxDiskBytes: number | null;
  readonly #ready: Promise<void>;
  readonly #closed: Promise<unknown>;
  #onOutput: OutputListener = () => {};
  #complaint = '';
  #first: ProcessStat | undefined;
  #folders: InnerFolders | undefined;
  #locks: HostLocks | undefined;
  #hasEnded = false;

  /** Must be called in the turn in which the process was started. */
  constructor(process_: OwnedProcess, { group, maxDiskBytes }: StartedParts) {
    this.#process = process_;
    this.resources = group;
    this.#maxDiskBytes = maxDiskBytes;
    const [, status] = process_.pipes;
    const firstPid = status ? readChildPid(status) : Promise.resolve(undefined);
    this.#ready = this.#untilReady(firstPid);
    this.#ready.catch(() => {});
    this.#closed = Promise.all([closed(process_.stdout), closed(process_.stderr)]);
    process_.stderr.on('data', (bytes: Buffer) => this.#takeErrors(bytes));
    this.exited = process_.exited.then((exit) => {
      this.#hasEnded = true;
      return exit;
    });
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** What was said before the sandbox was ready. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  /** Resolves when the boot waits for its job; rejects when bwrap ends before. */
  ready(): Promise<void> {
    return this.#ready;
  }

  onOutput(listener: OutputListener): void {
    this.#onOutput = listener;
  }

  /** Writes the job; the end of the stream is the end of the program's input. */
  send(parts: readonly Uint8Array[]): void {
    const { stdin } = this.#process;
    stdin.cork?.();
    for (const part of parts) if (part.length > 0) stdin.write(part);
    stdin.end();
  }

  kill(): void {
    if (this.#hasEnded) return;
    if (this.#first === undefined) signal(-this.#process.pid);
    else if (isStill(this.#first)) signal(this.#first.pid);
    this.resources.kill();
    setTimeout(() => {
      if (!this.#hasEnded) signal(-this.#process.pid);
    }, bwrapGraceMs).unref();
  }

  /** Waits for the output of the dead, which the kernel closes when the last of them is gone. */
  async drained(maxMs: number): Promise<void> {
    const isOver = this.#closed.then(() => true);
    const late = (): Promise<boolean> => sleep(maxMs / drainLooks, false, { ref: false });
    // In parts: when this process itself was held up, a single timer would end before what came is read.
    for (let look = 0; look < drainLooks; look += 1) {
      if (await Promise.race([isOver, late()])) return;
    }
  }

  isDiskFull(): boolean {
    return this.#maxDiskBytes !== null && this.#folders?.isFull() === true;
  }

  locksHostFile(): boolean {
    return this.#locks?.look() === true;
  }

  async wasDiskFilled(): Promise<boolean> {
    return this.isDiskFull();
  }

  async collect({ collect, files }: SandboxJob): Promise<Collected> {
    const folder = this.#folders?.work;
    if (folder === undefined) return nothing;
    const written = listWritten(folder, new Set(Object.keys(files)));
    const collected = collect === null ? nothing : await collectFiles(folder, collect);
    return { ...collected, observations: [...written, ...collected.observations] };
  }

  /** Kills what runs and gives everything back. */
  async release(): Promise<void> {
    this.kill();
    await Promise.race([this.exited, sleep(deathTimeMs, undefined, { ref: false })]);
    const folders = this.#folders;
    this.#folders = undefined;
    await whileHeld(Promise.all([folders?.close(), this.resources.close()]));
  }

  async #untilReady(firstPid: Promise<number | undefined>): Promise<void> {
    await this.#mark();
    const pid = await firstPid;
    if (pid === undefined) throw new Error('bwrap did not tell its first process');
    this.#first = readProcessStat(pid);
    this.#folders = new InnerFolders(pid, this.#maxDiskBytes ?? Infinity);
    this.#locks = new HostLocks(pid, this.#folders.devices());
    this.resources.follow(pid, () => this.#folders?.usedBytes() ?? 0);
  }

  #mark(): Promise<void> {
    let start = Buffer.alloc(0);
    let isReady = false;
    return new Promise((resolve, reject) => {
      this.#process.stdout.on('data', (bytes: Buffer) => {
        if (isReady) return this.#onOutput('stdout', bytes);
        start = Buffer.concat([start, bytes]);
        if (start.length < bootReadyMark.length) return;
        isReady = true;
        const rest = start.subarray(bootReadyMark.length);
        const isMarked = start.toString('latin1').startsWith(bootReadyMark);
        if (isMarked) resolve();
        else reject(new Error('the sandbox started with something else'));
        if (rest.length > 0) this.#onOutput('stdout', rest);
      });
      this.#process.stdout.on('close', () => reject(new Error('it ended at once')));
    });
  }

  #takeErrors(bytes: Buffer): void {
    if (this.#folders === undefined && this.#complaint.length < maxComplaintCharacters) {
      this.#complaint += bytes.toString('utf8').slice(0, maxComplaintCharacters);
    }
    this.#onOutput('stderr', bytes);
  }
}

/** Waits for what does not keep this process alive by itself: it must not end before a group is removed. */
async function whileHeld(work: Promise<unknown>): Promise<void> {
  const hold = setInterval(() => {}, deathTimeMs);
  await work.finally(() => clearInterval(hold));
}

function closed(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('end', () => resolve());
    stream.on('close', () => resolve());
  });
}

function isStill(first: ProcessStat): boolean {
  return readProcessStat(first.pid)?.startedAt === first.startedAt;
}

function signal(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
