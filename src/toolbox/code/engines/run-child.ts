import { spawn } from 'node:child_process';
import { parse } from 'node:path';

export interface ChildLimits {
  readonly timeLimitMs: number;
  readonly maxOutputBytes: number;
}

/** How a child process ended; `missing` when there is no such program. What it wrote until then is kept. */
type ChildEnd =
  | { readonly kind: 'missing' }
  | { readonly kind: 'stopped'; readonly reason: string; readonly stderr: string }
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    };

interface ChildRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
  /** The root folder when not given, so that no project's settings reach the program. */
  readonly cwd?: string;
  /** All of its environment; ours when not given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits: ChildLimits;
  readonly signal: AbortSignal;
}

/**
 * Runs a program to its end on the given input. It is killed when the signal aborts (whose reason is
 * thrown), when time is up, and when it writes more than allowed.
 */
export async function runChild(request: ChildRequest): Promise<ChildEnd> {
  request.signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<ChildEnd>();
  const child = spawn(request.program, request.args, {
    cwd: request.cwd ?? parse(process.cwd()).root,
    ...(request.env && { env: request.env }),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const stop = (reason: string): void => {
    child.kill('SIGKILL');
    // Its own children may live on, but their pipes are closed.
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ kind: 'stopped', reason, stderr: join(stderr) });
  };
  const onAbort = (): void => stop('the call was cancelled');
  const timer = setTimeout(
    () => stop(`it did not end within ${request.limits.timeLimitMs} ms`),
    request.limits.timeLimitMs,
  );
  request.signal.addEventListener('abort', onAbort, { once: true });
  let bytes = 0;
  const collect =
    (into: Buffer[]) =>
    (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > request.limits.maxOutputBytes) {
        stop(`it wrote more than ${request.limits.maxOutputBytes} bytes`);
      } else into.push(chunk);
    };
  child.stdout.on('data', collect(stdout));
  child.stderr.on('data', collect(stderr));
  child.on('error', (error) =>
    resolve(
      isMissing(error)
        ? { kind: 'missing' }
        : { kind: 'stopped', reason: error.message, stderr: join(stderr) },
    ),
  );
  child.on('close', (exitCode) =>
    resolve({
      kind: 'exited',
      exitCode: exitCode ?? 1,
      stdout: join(stdout),
      stderr: join(stderr),
    }),
  );
  // A program that ends without reading its input closes the pipe: how it ended says enough.
  child.stdin.on('error', () => {});
  child.stdin.end(request.stdin);
  try {
    const end = await promise;
    request.signal.throwIfAborted();
    return end;
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  }
}

function join(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

function isMissing(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT' || error.code === 'EACCES';
}
