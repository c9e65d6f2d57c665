import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FleetControl } from '../contract/fleet/index.ts';
import type { RestartAnswer, RestartReport } from '../contract/server-files/index.ts';
import { isRunning, reportError, type Log } from '../kernel/index.ts';
import type { RunningLog } from '../observe/index.ts';
import {
  answerSchema,
  folderOf,
  put,
  readJson,
  requestSchema,
  runningProcesses,
  type ControlRequest,
} from './control-files.ts';

const pollMs = 250;

export interface ControlServer {
  close(): Promise<void>;
}

/** Answers requests to this process until it is closed. Without a folder it serves all the same, unreached. */
export async function openControl(options: {
  readonly home: string;
  readonly fleet: Pick<FleetControl, 'restart' | 'rereadTools'>;
  readonly checkFiles: () => Promise<void>;
  readonly log: Log & Pick<RunningLog, 'setLevel'>;
}): Promise<ControlServer> {
  const { home, log } = options;
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
      const answer = await answerRequest(join(folder, name), options);
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

/** Asks every Tutti process on this data directory, and waits for their answers. */
export async function requestEverywhere(
  home: string,
  request: ControlRequest,
  limitMs: number,
): Promise<RestartReport> {
  const id = randomUUID();
  const pids: number[] = [];
  for (const pid of await runningProcesses(home)) {
    const file = join(folderOf(home, pid), `${id}.request.json`);
    // Its folder goes when the process ends, which may be just now.
    const isAsked = await put(file, request).then(
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

async function answerRequest(
  file: string,
  { fleet, checkFiles, log }: Omit<Parameters<typeof openControl>[0], 'home'>,
): Promise<RestartAnswer> {
  const { pid } = process;
  const request = await readJson(file, requestSchema);
  if (request === undefined)
    return { pid, isDone: false, message: 'The request was not understood' };
  try {
    const done = (message: string): RestartAnswer => ({ pid, isDone: true, message });
    if ('restart' in request) {
      await fleet.restart(request.restart);
      return done(`"${request.restart}" was restarted`);
    }
    if ('logLevel' in request) {
      log.setLevel(request.logLevel);
      return done(`logs ${request.logLevel}`);
    }
    if ('reread' in request) await fleet.rereadTools(request.reread);
    else {
      // A change counts once two looks saw the same.
      await checkFiles();
      await checkFiles();
    }
    return done('done');
  } catch (error) {
    return { pid, isDone: false, message: reportError(error).message };
  }
}
