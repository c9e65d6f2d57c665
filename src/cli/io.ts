import type { Readable, Writable } from 'node:stream';
import type { FrontDesk } from './first-answers/front-desk.ts';

/** The composition root. */
export type Compose = typeof import('../compose/index.ts');

/** A stream a command writes text to. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** The streams of the process, before `main` takes care of what is written to them. */
export interface ProcessIo extends Omit<Io, 'rawStdout'> {
  readonly stdout: Io['rawStdout'];
}

/** Everything of the process that a command may touch, so that tests can run commands in theirs. */
export interface Io {
  readonly stdin: Readable;
  /** For people: only printable text and our own escape sequences get through, on both streams. */
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Standard output as it is: for a protocol, for data in a pipe, and for the line editor. */
  readonly rawStdout: TextStream & Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when the user or the system asks the program to end; the reason's `cause` is the name of the signal. */
  readonly signal: AbortSignal;
  /** Loads the composition root; not called by commands that need no system. */
  readonly compose: () => Promise<Compose>;
  /** The handshake cache, which may have answered the first requests on `stdin` already. */
  readonly desk?: FrontDesk | undefined;
}
