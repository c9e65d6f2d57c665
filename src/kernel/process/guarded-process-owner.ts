import { randomBytes } from 'node:crypto';
import { ProcessNotStartedError } from './owned-process.ts';
import { Guardian } from './guardian.ts';
import { startOfProcess } from './list-processes.ts';
import type { FamilyUse, OwnedProcess, ProcessOwner, ProcessSpec } from './owned-process.ts';
import { machineName, removeRecord, writeRecord, type OwnedGroup } from './owner-record.ts';
import { chainMark, markVariable, ownerMark, programMark } from './owner-record.ts';
import type { ProcessOwnerOptions } from './process-owner.ts';
import { measureFamily, shareLooks } from './list-processes.ts';
import { RunningProgram, type RunningProgramParts } from './running-program.ts';
import { startProgram, type StartedProgram } from './start-program.ts';

/** As many as one owner runs at a time; far more than any fleet, far less than a runaway loop makes. */
const defaultMaxPrograms = 1_000;
/** How long `close` lets programs end by themselves. */
const closeGraceMs = 1_000;

/**
 * 1. The record with our mark is on disk and the guardian is started before the first program is.
 * 2. A group is registered with the guardian in the same turn in which its leader was started, and
 *    until nothing of it is left.
 */
export class GuardedProcessOwner implements ProcessOwner {
  readonly #options: ProcessOwnerOptions;
  readonly #id = randomBytes(9).toString('hex');
  readonly #guardian: Guardian;
  readonly #look = shareLooks();
  readonly #programs = new Set<RunningProgram>();
  readonly #groups = new Map<number, OwnedGroup>();
  #ready: Promise<void> | undefined;
  #startedAt = '';
  #count = 0;
  #starting = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ProcessOwnerOptions) {
    this.#options = options;
    this.#guardian = new Guardian(ownerMark(this.#id), options.log);
  }

  async start(spec: ProcessSpec): Promise<OwnedProcess> {
    this.#refuse(spec);
    this.#starting += 1;
    try {
      this.#ready ??= this.#prepare();
      await this.#ready;
      return await this.#startProgram(spec);
    } finally {
      this.#starting -= 1;
    }
  }

  measure(pid: number): Promise<FamilyUse | null> {
    return measureFamily(pid, this.#look);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refuse(spec: ProcessSpec): void {
    const maxPrograms = this.#options.maxPrograms ?? defaultMaxPrograms;
    if (this.#closing) {
      throw new ProcessNotStartedError(spec.command, {
        reason: 'everything is being stopped',
        remedy: 'Start Tutti again',
        isTemporary: false,
      });
    }
    if (this.#programs.size + this.#starting >= maxPrograms) {
      throw new ProcessNotStartedError(spec.command, {
        reason: `${maxPrograms} programs run already`,
        remedy: 'Stop some of them, or lower "maxProcesses" of the servers',
        isTemporary: true,
      });
    }
  }

  async #prepare(): Promise<void> {
    this.#startedAt = (await startOfProcess(process.pid).catch(() => undefined)) ?? '';
    this.#saveRecord();
  }

  async #startProgram(spec: ProcessSpec): Promise<OwnedProcess> {
    // Closing may have begun while this start was being prepared.
    if (this.#closing) this.#refuse(spec);
    this.#count += 1;
    const mark = programMark(this.#id, this.#count);
    const chain = chainMark(process.env[markVariable], mark);
    this.#guardian.watch();
    const program = await startProgram(
      { ...spec, env: { ...spec.env, [markVariable]: chain } },
      (started) => this.#adopt(started, { mark, isEnclosed: spec.isEnclosed === true }),
    );
    // Not waited for: what a program writes before a listener is attached is lost when it ends at once.
    // What is enclosed has no stragglers without a mark, so it needs no record of its group.
    if (spec.isEnclosed !== true) void this.#remember(program.pid);
    return program;
  }

  #adopt(
    { pid, child }: StartedProgram,
    nature: Pick<RunningProgramParts, 'mark' | 'isEnclosed'>,
  ): RunningProgram {
    this.#guardian.add(pid);
    const program: RunningProgram = new RunningProgram({
      ...nature,
      child,
      pid,
      look: this.#look,
      log: this.#options.log.child({ pid }),
      onGone: () => this.#forget(program),
    });
    this.#programs.add(program);
    return program;
  }

  async #remember(pid: number): Promise<void> {
    const startedAt = await startOfProcess(pid).catch(() => undefined);
    const isRunning = [...this.#programs].some((program) => program.pid === pid);
    if (startedAt === undefined || !isRunning) return;
    this.#groups.set(pid, { group: pid, startedAt });
    this.#saveRecord();
  }

  #forget(program: RunningProgram): void {
    this.#programs.delete(program);
    this.#guardian.delete(program.pid);
    if (this.#groups.delete(program.pid) && !this.#closing) this.#saveRecord();
  }

  /** The guardian suffices as long as it lives, so a full disk keeps no program from starting. */
  #saveRecord(): void {
    const { runDirectory, log } = this.#options;
    try {
      writeRecord(runDirectory, this.#id, {
        machine: machineName(),
        pid: process.pid,
        startedAt: this.#startedAt,
        mark: ownerMark(this.#id),
        groups: [...this.#groups.values()],
      });
    } catch (error) {
      log.warn('the record of running programs was not written', { error: String(error) });
    }
  }

  async #close(): Promise<void> {
    // A start under way has either adopted its program already or will be refused.
    await Promise.all([...this.#programs].map((program) => program.stop(closeGraceMs)));
    await this.#guardian.end();
    removeRecord(this.#options.runDirectory, this.#id);
  }
}
