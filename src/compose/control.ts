import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { RestartAnswer, RestartReport } from '../contract/server-files/index.ts';
import { isRunning, reportError, type Log } from '../kernel/index.ts';

/**
 * How a command reaches the Tutti processes that run on the same data directory: each has a folder
 * named after its process id, in which requests are put down as files and answered beside them.
 */
const requestSchema = z.object({ restart: z.string() });
const answerSchema = z.object({ pid: z.number(), isDone: z.boolean(), message: z.string() });

const pollMs = 250;

export interface ControlServer {
  close(): Promise<void>;
}

/** Answers requests to this process until it is closed. Without a folder it serves all the same, unreached. */
export async function openControl(options: {
  readonly home: string;
  readonly fleet: FleetControl;
  readonly log: Log;
}): Promise<ControlServer> {
  const { home, fleet, log } = options;
  const folder = folderOf(home, process.pid);
  try {
    // What lies there was meant for an earlier process of the same number.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    log.warn('control requests are disabled', { message: reportError(error).message });
    return { close: async () => {} };
  }
  let isLooking = false;
  const look = async (): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.request.json')) continue;
      const answer = await answerRequest(join(folder, name), fleet);
      await rm(join(folder, name), { force: true });
      await put(join(folder, name.replace('.request.', '.answer.')), answer);
      const { isDone, message } = answer;
      log.info('answered control request', { isDone, message });
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch((error: unknown) =>
        log.warn('failed to answer control request', reportError(error).details),
      )
      .finally(() => {
        isLooking = false;
      });
  }, pollMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks every Tutti process on this data directory to restart a server, and waits for their answers. */
export async function requestRestart(
  home: string,
  server: string,
  limitMs: number,
): Promise<RestartReport> {
  const id = randomUUID();
  const pids: number[] = [];
  for (const pid of await runningProcesses(home)) {
    const file = join(folderOf(home, pid), `${id}.request.json`);
    // Its folder goes when the process ends, which may be just now.
    const isAsked = await put(file, { restart: server }).then(
      () => true,
      () => false,
    );
    if (isAsked) pids.push(pid);
  }
  const answers = new Map<number, RestartAnswer>();
  const giveUpAt = Date.now() + limitMs;
  const isAwaited = (pid: number): boolean => !answers.has(pid) && isRunning(pid);
  while (pids.some(isAwaited) && Date.now() < giveUpAt) {
    for (const pid of pids) {
      const file = join(folderOf(home, pid), `${id}.answer.json`);
      const answer = await readJson(file, answerSchema);
      if (answer === undefined) continue;
      answers.set(pid, answer);
      await rm(file, { force: true });
    }
    if (pids.some(isAwaited)) await pause(pollMs / 2);
  }
  return { processes: pids.length, answers: [...answers.values()] };
}

async function answerRequest(file: string, fleet: FleetControl): Promise<RestartAnswer> {
  const { pid } = process;
  const request = await readJson(file, requestSchema);
  if (request === undefined)
    return { pid, isDone: false, message: 'The request was not understood' };
  try {
    await fleet.restart(request.restart);
    return { pid, isDone: true, message: `"${request.restart}" was restarted` };
  } catch (error) {
    return { pid, isDone: false, message: reportError(error).message };
  }
}

async function runningProcesses(home: string): Promise<number[]> {
  const names = await readdir(join(home, 'run', 'control')).catch(() => []);
  const running: number[] = [];
  for (const pid of names.map(Number)) {
    if (!Number.isInteger(pid) || pid <= 0) continue;
    if (isRunning(pid)) running.push(pid);
    else await rm(folderOf(home, pid), { recursive: true, force: true });
  }
  return running;
}

function folderOf(home: string, pid: number): string {
  return join(home, 'run', 'control', String(pid));
}

/** A reader never sees half a file. */
async function put(file: string, value: object): Promise<void> {
  await writeFile(`${file}.tmp`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
