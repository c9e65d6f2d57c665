import type { Readable } from 'node:stream';
import type { FrontDesk } from './first-answers/front-desk.ts';
import type { Compose } from './system.ts';

/** A stream a command writes text to. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Everything of the process that a command may touch, so that tests can run commands in theirs. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: TextStream & NodeJS.WritableStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when the user or the system asks the program to end; the reason's `cause` is the name of the signal. */
  readonly signal: AbortSignal;
  /** Loads the composition root; not called by commands that need no system. */
  readonly compose: () => Promise<Compose>;
  /** Who may have answered already what came on `stdin`. */
  readonly desk?: FrontDesk | undefined;
}
