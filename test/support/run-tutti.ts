import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** The built program; `npm run build` makes what it loads. */
export const program = new URL('../../bin/tutti.js', import.meta.url).pathname;

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TuttiOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly nodeArguments?: readonly string[];
}

/** A folder that is gone when the test ends. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the program in its own process, its data and its home directory below `cwd`. */
export function startTutti(
  argv: readonly string[],
  { cwd, env = {}, nodeArguments = [] }: TuttiOptions,
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...nodeArguments, program, ...argv], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      TUTTI_HOME: join(cwd, 'data'),
      // What else runs on this machine must not be offered in a test.
      TUTTI_MODELS_AUTODETECT: 'false',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A program that needs no input may be gone before it is written.
  child.stdin.on('error', () => {});
  return child;
}

/** Starts `tutti serve` on a free port; `headers` are what its clients send. */
export async function serveTutti(options: TuttiOptions): Promise<{
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly headers: { readonly authorization: string };
}> {
  const child = startTutti(['serve', '--port', '0'], options);
  child.stderr.resume();
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const token = readFileSync(join(options.cwd, 'data', 'serve-token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  return { child, url: line.replace('listening on ', ''), headers };
}

/** Runs the program to its end. */
export async function runTutti(argv: readonly string[], options: TuttiOptions): Promise<Ended> {
  const child = startTutti(argv, options);
  child.stdin.end(options.stdin ?? '');
  return untilEnd(child);
}

export function untilEnd(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
