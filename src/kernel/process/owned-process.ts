import type { Duplex, Readable, Writable } from 'node:stream';
import { AppError } from '../app-error.ts';

/** A program to start in a process group of its own. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** How many pipes it has besides the standard three: file descriptors 3, 4, … */
  readonly extraPipes?: number | undefined;
  /**
   * True when the kernel ends all that it started together with it, because that lives in a PID
   * namespace of its own: then nothing is looked for after its end, which costs a look at all processes.
   */
  readonly isEnclosed?: boolean | undefined;
}

/** A running program that dies with us, together with everything it started. */
export interface OwnedProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The extra pipes that were asked for, in order. */
  readonly pipes: readonly Duplex[];
  /** Resolves once, when the program itself has ended, whatever its descendants do. */
  readonly exited: Promise<ProcessExit>;
  /** Asks the group to end, then kills it and every descendant that left the group, within `graceMs` + 1 s. */
  stop(graceMs: number): Promise<ProcessExit>;
}

export interface FamilyUse {
  readonly processes: number;
  readonly memoryBytes: number;
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
   * before a listener is attached.
   */
  start(spec: ProcessSpec): Promise<OwnedProcess>;
  /** What a process and all below it use; null when it is gone or the platform does not tell. */
  measure(pid: number): Promise<FamilyUse | null>;
  /** Stops everything that still runs. */
  close(): Promise<void>;
}

/** A program could not be started; nothing of it runs. */
export class ProcessNotStartedError extends AppError {
  readonly code = 'kernel.process_not_started';
  override readonly retryable: boolean;

  constructor(command: string, failure: StartFailure) {
    super(`The program "${command}" was not started: ${failure.reason}. ${failure.remedy}`, {
      details: { command, reason: failure.reason },
      cause: failure.cause,
    });
    this.retryable = failure.isTemporary;
  }
}

export interface StartFailure {
  /** Why, as the second half of a sentence. */
  readonly reason: string;
  /** What to do, without the full stop. */
  readonly remedy: string;
  /** True when a later attempt may succeed. */
  readonly isTemporary: boolean;
  readonly cause?: unknown;
}
