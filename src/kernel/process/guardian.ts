import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';
import { ownFile } from '../own-files.ts';

/** A guardian that keeps dying is not needed less, but restarting it forever does not help. */
const maxRestarts = 20;
const restartPauseMs = 50;
const endTimeoutMs = 1_000;

/** Says no word of its own, reads pids, and kills each with all below it when its input ends. */
const windowsScript = `
const { spawnSync } = require('node:child_process');
const groups = new Set();
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [verb, group] = line.split(' ');
  if (verb === 'add') groups.add(group);
  if (verb === 'del') groups.delete(group);
  if (verb === 'end') process.exit(0);
});
lines.on('close', () => {
  for (const group of groups) spawnSync('taskkill', ['/PID', group, '/T', '/F'], { windowsHide: true });
});`;

/**
 * A tiny process of our own that kills our programs when we are gone: it sees that by its input
 * ending, which also happens when we are killed and cannot do anything more.
 *
 * 1. Only this process holds the other end of its input: Node marks its pipes to be closed in programs.
 * 2. It has a session of its own, so what ends our group or terminal does not end it.
 * 3. When it dies it is replaced, and its successor gets the whole state again.
 */
export class Guardian {
  readonly #mark: string;
  readonly #log: Log;
  readonly #groups = new Set<number>();
  #process: ChildProcess | undefined;
  #restarts = 0;
  #isEnding = false;

  constructor(mark: string, log: Log) {
    this.#mark = mark;
    this.#log = log;
  }

  /** Starts it, unless it runs. Must come before the first program. */
  watch(): void {
    if (this.#process || this.#isEnding || this.#restarts > maxRestarts) return;
    const child = this.#spawn();
    if (!child) return;
    this.#process = child;
    child.stdin?.on('error', () => {});
    child.on('error', (error) => this.#onGone(child, error.message));
    child.on('exit', (exitCode, signal) => this.#onGone(child, signal ?? `exit code ${exitCode}`));
    // It must not keep us alive: our end is what it waits for.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    for (const group of this.#groups) this.#tell(`add ${group}`);
  }

  add(group: number): void {
    this.#groups.add(group);
    this.#tell(`add ${group}`);
  }

  delete(group: number): void {
    this.#groups.delete(group);
    this.#tell(`del ${group}`);
  }

  /** Lets it look once for what is still marked, and waits until it is gone. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const child = this.#process;
    if (!child) return;
    child.ref();
    child.stdin?.end('end\n');
    // A guardian that hangs is not worth waiting for, and nothing is left for it to do.
    await once(child, 'exit', { signal: AbortSignal.timeout(endTimeoutMs) }).catch(() => {});
    child.kill('SIGKILL');
  }

  #spawn(): ChildProcess | undefined {
    const isWindows = process.platform === 'win32';
    const script = fileURLToPath(ownFile('kernel/process/guardian.sh'));
    const command = isWindows ? process.execPath : '/bin/sh';
    try {
      return spawn(command, isWindows ? ['-e', windowsScript] : [script, this.#mark], {
        // Neither our environment, which may hold the mark of an owner of our own, nor our folder.
        env: guardianEnvironment(isWindows),
        cwd: isWindows ? undefined : '/',
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        windowsHide: true,
      });
    } catch (error) {
      this.#restarts += 1;
      this.#log.warn('the guardian of the programs was not started', { error: String(error) });
      return undefined;
    }
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }

  #onGone(child: ChildProcess, reason: string): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    if (this.#isEnding) return;
    this.#restarts += 1;
    this.#log.warn('the guardian of the programs ended and is started again', { reason });
    void setTimeout(restartPauseMs, undefined, { ref: false }).then(() => this.watch());
  }
}

function guardianEnvironment(isWindows: boolean): NodeJS.ProcessEnv {
  if (isWindows) return process.env;
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };
}
