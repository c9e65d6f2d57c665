import { Readable, Writable } from 'node:stream';
import type { ProcessIo } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import type { System, SystemRequest } from '../../src/compose/index.ts';
import { createFakeSystem, type Seen } from './fake-system.ts';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seen: Seen;
}

export interface RunOptions {
  readonly stdin?: string | Buffer;
  readonly isTTY?: boolean;
  readonly io?: Partial<ProcessIo>;
}

/** Runs a command line in this process on a fake system. */
export async function runMain(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { compose, seen } = createFakeSystem();
  const stdout = new TextSink(options.isTTY ?? false);
  const stderr = new TextSink(options.isTTY ?? false);
  const exitCode = await main(argv, {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout,
    stderr,
    env: {},
    cwd: process.cwd(),
    signal: new AbortController().signal,
    compose,
    ...options.io,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text, seen };
}

/** The same on a fake system that was changed first. */
export async function runWith(
  change: (system: System) => System,
  argv: readonly string[],
): Promise<Ran> {
  const { openSystem, ...others } = await createFakeSystem().compose();
  const compose = async () => ({
    ...others,
    openSystem: async (options: SystemRequest) => change(await openSystem(options)),
  });
  return runMain(argv, { io: { compose } });
}

/** A stream that keeps what is written to it. */
export class TextSink extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 60;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}
