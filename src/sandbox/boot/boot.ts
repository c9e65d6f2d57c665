import { readFileSync } from 'node:fs';
import type { SandboxProgram } from '../../contract/sandbox/index.ts';
import { ownFile } from '../../kernel/index.ts';
import type { Toolchain } from '../driver.ts';

/** Where the program and its files are, inside. */
export const workFolder = '/work';

/** The first bytes on standard output of a sandbox that waits for its program. They are no output. */
export const bootReadyMark = 'tutti-ready\n';

/** The command that runs inside: prints the ready mark, reads a job of its kind from its input, runs it. */
export function bootCommand(kind: SandboxProgram['kind'], toolchain: Toolchain): string[] {
  switch (kind) {
    case 'python':
      return [toolchain.program, '-c', bootProgram('boot.py')];
    case 'node':
      return [toolchain.program, '-e', bootProgram('boot.cjs')];
    case 'command':
      // `head -c` of GNU never reads further than asked.
      return ['/bin/sh', '-c', commandBoot('head -c 8', 'head -c "$((0x$size))"')];
  }
}

/** A shell that waits, then becomes the program. Its header is a script, which has all the rest. */
export function commandBoot(readSize: string, readHeader: string): string {
  return `printf '${bootReadyMark.replace('\n', '\\n')}'
size=$(${readSize}) || exit 125
eval "$(${readHeader})"`;
}

const bootPrograms = new Map<string, string>();

function bootProgram(file: 'boot.py' | 'boot.cjs'): string {
  const text = bootPrograms.get(file) ?? readFileSync(ownFile(`sandbox/boot/${file}`), 'utf8');
  bootPrograms.set(file, text);
  return text;
}

const systemSearchPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The environment that every program of a toolchain has; nothing of ours is in it. */
export function minimalEnv(toolchain: Toolchain): Record<string, string> {
  const searchPath = new Set([...toolchain.searchPath, ...systemSearchPath]);
  return {
    PATH: [...searchPath].join(':'),
    HOME: workFolder,
    LANG: 'C.UTF-8',
    ...toolchain.env,
  };
}

/**
 * Whether a program reads this variable only when it starts, so that an interpreter that waits would
 * ignore it: a run that sets one is started anew, as a command.
 */
export function isReadAtStart(variable: string): boolean {
  return /^(?:PYTHON|NODE_|LC_|LD_|MALLOC_|GLIBC_|UV_|OPENSSL_|SSL_)|^(?:LANG|LANGUAGE)$/.test(
    variable,
  );
}

export type OutputListener = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;

const maxComplaintCharacters = 2_000;

/** The output of a boot: its ready mark, which is taken off, then whatever its program writes. */
export class BootOutput {
  /** Settles once: with the mark, other output in its place, or `fail`. */
  readonly ready: Promise<void>;
  /** Receives the program's output, from the first byte behind the mark. */
  onOutput: OutputListener = () => {};
  readonly #settle: { resolve(): void; reject(error: Error): void };
  #isReady = false;
  #start = Buffer.alloc(0);
  #complaint = '';

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    // A later waiter still sees the failure.
    this.ready.catch(() => {});
    this.#settle = { resolve, reject };
  }

  /** What was written before the sandbox was ready: why it did not start. */
  get complaint(): string {
    return `${this.#start.toString()}${this.#complaint}`.trim();
  }

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (this.#isReady) return this.onOutput(stream, bytes);
    if (stream === 'stderr') {
      const text = this.#complaint + Buffer.from(bytes).toString();
      this.#complaint = text.slice(0, maxComplaintCharacters);
      return;
    }
    const start = Buffer.concat([this.#start, bytes]);
    this.#start = start.subarray(0, maxComplaintCharacters);
    if (start.length < bootReadyMark.length) return;
    this.#isReady = start.toString('latin1').startsWith(bootReadyMark);
    if (!this.#isReady) return this.fail(new Error('the sandbox printed something else first'));
    this.#start = Buffer.alloc(0);
    this.#settle.resolve();
    const rest = start.subarray(bootReadyMark.length);
    if (rest.length > 0) this.onOutput('stdout', rest);
  }

  /** The sandbox ended or took too long; without effect once it is ready. */
  fail(error: Error): void {
    this.#settle.reject(error);
  }
}
