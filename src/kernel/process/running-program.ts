import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { familyOf, type LookAtProcesses, type ProcessRow } from './list-processes.ts';
import type { OwnedProcess, ProcessExit } from './owned-process.ts';
import { groupExists, killProcess, signalGroup } from './send-signal.ts';
import { standardPipes } from './start-program.ts';

/** How long the rest of a group may take to end after its leader ended by itself. */
const leftoverGraceMs = 500;
/** How long killing is repeated for what keeps appearing. */
const killTimeMs = 800;
const killPauseMs = 20;
const firstPollMs = 5;
const longestPollMs = 100;
/** How long pipes stay open for what was written before the end, if a process out of reach holds them. */
const drainMs = 5_000;

export interface RunningProgramParts {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** Stands in the environment of this program and its descendants only. */
  readonly mark: string;
  /** Nothing of it can outlive it: see `ProcessSpec.isEnclosed`. */
  readonly isEnclosed: boolean;
  readonly look: LookAtProcesses;
  readonly log: Log;
  /** Called once, when nothing of the program is left. */
  readonly onGone: () => void;
}

/**
 * One program with everything it started.
 *
 * 1. It is ended once, by `stop` or by its own exit, whichever comes first; a later `stop` can only
 *    make that faster.
 * 2. Whichever way it ended, afterwards nothing of its group runs, nor anything that carries its mark.
 */
export class RunningProgram implements OwnedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pipes: readonly Duplex[];
  readonly exited: Promise<ProcessExit>;
  readonly #parts: RunningProgramParts;
  #exit: ProcessExit | undefined;
  /** When asking ends and killing begins. */
  #killAt = Infinity;
  #ending: Promise<void> | undefined;

  constructor(parts: RunningProgramParts) {
    this.#parts = parts;
    this.pid = parts.pid;
    ({ stdin: this.stdin, stdout: this.stdout, stderr: this.stderr } = parts.child);
    this.pipes = parts.child.stdio.slice(standardPipes).filter((pipe) => pipe instanceof Duplex);
    this.exited = new Promise((resolve) => {
      parts.child.once('exit', (exitCode, signal) => {
        this.#exit = { exitCode, signal };
        resolve(this.#exit);
        void this.#end(leftoverGraceMs);
      });
    });
  }

  async stop(graceMs: number): Promise<ProcessExit> {
    this.#killAt = Math.min(this.#killAt, Date.now() + graceMs);
    await this.#end(graceMs);
    // What cannot even be killed (it hangs in the kernel) is as good as gone for us.
    return this.#exit ?? { exitCode: null, signal: 'SIGKILL' };
  }

  #end(graceMs: number): Promise<void> {
    this.#ending ??= this.#endOnce(graceMs);
    return this.#ending;
  }

  async #endOnce(graceMs: number): Promise<void> {
    if (this.#exit === undefined || !this.#parts.isEnclosed) await this.#endFamily(graceMs);
    else if (groupExists(this.pid)) signalGroup(this.pid, 'SIGKILL');
    this.#closePipes();
    this.#parts.onGone();
  }

  async #endFamily(graceMs: number): Promise<void> {
    this.#killAt = Math.min(this.#killAt, Date.now() + graceMs);
    // Before the first signal: the children of the dead get another parent.
    const family = this.#exit ? [] : familyOf(this.pid, await this.#look());
    if (groupExists(this.pid)) signalGroup(this.pid, 'SIGTERM');
    await this.#untilGroupEnds();
    await this.#killWhatIsLeft(family);
  }

  async #untilGroupEnds(): Promise<void> {
    let pauseMs = firstPollMs;
    while (groupExists(this.pid) && Date.now() < this.#killAt) {
      await sleep(Math.min(pauseMs, Math.max(1, this.#killAt - Date.now())));
      pauseMs = Math.min(pauseMs * 2, longestPollMs);
      // A group also exists while its dead are not reaped, which may be never: is any of them running?
      const mayBeDead = this.#exit !== undefined && process.platform === 'linux';
      if (mayBeDead && !(await this.#look()).some((row) => row.group === this.pid)) return;
    }
  }

  async #killWhatIsLeft(family: readonly ProcessRow[]): Promise<void> {
    const until = Date.now() + killTimeMs;
    const isOurs = (row: ProcessRow): boolean =>
      row.group === this.pid ||
      row.mark?.includes(this.#parts.mark) === true ||
      family.some((member) => member.pid === row.pid && member.startedAt === row.startedAt);
    while (true) {
      if (groupExists(this.pid)) signalGroup(this.pid, 'SIGKILL');
      const left = (await this.#look()).filter(isOurs);
      if (left.length === 0) return;
      for (const row of left) killProcess(row.pid);
      if (Date.now() > until) {
        const pids = left.map((row) => row.pid);
        this.#parts.log.warn('processes of a program could not be killed', { pids });
        return;
      }
      await sleep(killPauseMs);
    }
  }

  /** Nothing where the platform does not tell, or not at a bearable price. */
  async #look(): Promise<readonly ProcessRow[]> {
    if (process.platform === 'win32') return [];
    try {
      return await this.#parts.look();
    } catch (error) {
      this.#parts.log.warn('the running processes could not be listed', { error: String(error) });
      return [];
    }
  }

  #closePipes(): void {
    this.stdin.destroy();
    const close = (): void => {
      this.stdout.destroy();
      this.stderr.destroy();
      for (const pipe of this.pipes) pipe.destroy();
    };
    globalThis.setTimeout(close, drainMs).unref();
  }
}
