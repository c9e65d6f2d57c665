import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedProcess, ProcessExit } from '../../kernel/index.ts';
import { BootOutput, type OutputListener } from '../boot/boot.ts';
import { type Collected, collectWritten } from '../collect/collect-files.ts';
import type { SandboxJob } from '../driver.ts';
import { killProcess } from '../resources/cgroup-folder.ts';
import { type ProcessStat, readProcessStat } from '../resources/process-stat.ts';
import type { ResourceGroup } from '../resources/resource-control.ts';
import { nothing, type WaitingSandbox } from '../supervise-run.ts';
import { driverName } from './host-facts.ts';
import { HostLocks, type LockTable } from './host-locks.ts';
import { InnerFolders } from './inner-folders.ts';

/** When the first process inside does not take bwrap along, bwrap is killed itself. */
const bwrapGraceMs = 50;
/** Turns of the event loop at least in which the output of the dead is read. */
const drainLooks = 20;
/** How long a killed sandbox is waited for. */
const deathTimeMs = 2_000;

interface StartedParts {
  readonly group: ResourceGroup;
  /** Null when that is left out. */
  readonly maxDiskBytes: number | null;
  readonly lockTable: LockTable;
}

/**
 * One bwrap with everything inside, from its start to its end.
 *
 * 1. The first process inside is killed before bwrap, so that the end of bwrap is the end of all inside.
 * 2. Pids are signalled only while they are known to be ours: a program that starts and ends thousands of
 *    processes makes the host reuse a pid soon after its end.
 */
export class StartedSandbox implements WaitingSandbox {
  readonly exited: Promise<ProcessExit>;
  readonly driver = driverName;
  readonly resources: ResourceGroup;
  readonly #process: OwnedProcess;
  readonly #maxDiskBytes: number | null;
  readonly #lockTable: LockTable;
  readonly #ready: Promise<void>;
  readonly #closed: Promise<unknown>;
  readonly #output = new BootOutput();
  #first: ProcessStat | undefined;
  #folders: InnerFolders | undefined;
  #locks: HostLocks | undefined;
  #hasEnded = false;

  /** Must be called in the turn in which the process was started. */
  constructor(process_: OwnedProcess, { group, maxDiskBytes, lockTable }: StartedParts) {
    this.#process = process_;
    this.resources = group;
    this.#maxDiskBytes = maxDiskBytes;
    this.#lockTable = lockTable;
    const [, status] = process_.pipes;
    const firstPid = status ? readChildPid(status) : Promise.resolve(undefined);
    this.#ready = this.#untilReady(firstPid);
    this.#ready.catch(() => {});
    this.#closed = Promise.all([closed(process_.stdout), closed(process_.stderr)]);
    process_.stdout.on('data', (bytes: Buffer) => this.#output.add('stdout', bytes));
    process_.stderr.on('data', (bytes: Buffer) => this.#output.add('stderr', bytes));
    process_.stdout.on('close', () => this.#output.fail(new Error('it ended at once')));
    this.exited = process_.exited.then((exit) => {
      this.#hasEnded = true;
      return exit;
    });
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** What bwrap or the boot wrote before the sandbox was ready. */
  get complaint(): string {
    return this.#output.complaint;
  }

  /** Resolves when the boot waits for its job; rejects when bwrap ends before. */
  ready(): Promise<void> {
    return this.#ready;
  }

  onOutput(listener: OutputListener): void {
    this.#output.onOutput = listener;
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
    if (this.#first === undefined) killProcess(-this.#process.pid);
    else if (isStill(this.#first)) killProcess(this.#first.pid);
    this.resources.kill();
    setTimeout(() => {
      if (!this.#hasEnded) killProcess(-this.#process.pid);
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

  async locksHostFile(): Promise<boolean> {
    return this.#locks?.look(await this.#lockTable.read()) === true;
  }

  async wasDiskFilled(): Promise<boolean> {
    return this.isDiskFull();
  }

  async collect(job: SandboxJob): Promise<Collected> {
    const folder = this.#folders?.work;
    return folder === undefined ? nothing : collectWritten(folder, job);
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
    // Read while the sandbox starts, and so before any program could hide a lock in it.
    const locksAtStart = this.#lockTable.read();
    await this.#output.ready;
    const pid = await firstPid;
    if (pid === undefined) throw new Error('bwrap did not report its first process');
    this.#first = readProcessStat(pid);
    this.#folders = new InnerFolders(pid, this.#maxDiskBytes ?? Infinity);
    this.resources.follow(pid, () => this.#folders?.usedBytes() ?? 0);
    this.#locks = new HostLocks(pid, this.#folders.devices(), await locksAtStart);
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

/** The status of one sandbox is a few short lines. */
const maxStatusCharacters = 10_000;

/**
 * The host's pid of the first process inside, which bwrap tells before anything runs there. Undefined
 * when it ended without one.
 */
function readChildPid(status: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = '';
    status.setEncoding('latin1');
    status.on('data', (part: string) => {
      if (text.length < maxStatusCharacters) text += part;
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    status.on('close', () => resolve(undefined));
  });
}
