import type { Readable, Writable } from 'node:stream';

/** A program to start in a process group of its own. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A running program that dies with us, together with everything it started. */
export interface OwnedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once, when the program itself has ended, whatever its descendants do. */
  readonly exited: Promise<ProcessExit>;
  /** Asks the group to end, then kills it and every descendant that left the group, within `graceMs` + 1 s. */
  stop(graceMs: number): Promise<ProcessExit>;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts programs and answers for them: when this process ends in any way, kill -9 included, no
 * descendant of theirs survives two seconds. One per Tutti process.
 */
export interface ProcessOwner {
  /**
   * Throws `kernel.process_not_started` with the reason (not found, not executable, no such folder).
   * Listen to the pipes in the turn in which it resolves: what a program wrote is dropped when it ends
   * before anybody listens.
   */
  start(spec: ProcessSpec): Promise<OwnedProcess>;
  /** Resident memory of a process and all below it; null where the platform does not tell. */
  memoryBytes(pid: number): Promise<number | null>;
  /** Stops everything that still runs. */
  close(): Promise<void>;
}
