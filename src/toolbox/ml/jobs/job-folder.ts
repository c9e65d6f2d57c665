import { randomUUID } from 'node:crypto';
import {
  appendFile,
  link,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type {
  EngineReport,
  TrainingEvent,
  TrainingJob,
  TrainingResult,
} from '../../../contract/ml/index.ts';
import { digestJson, isGone, ownIdentity } from '../../../kernel/index.ts';
import { JobRunningError } from '../errors.ts';

/** What a result depends on. Where files lie and what a run may use at most does not count. */
export function jobKey(
  job: TrainingJob,
  engine: Pick<EngineReport, 'engine' | 'version' | 'digests'>,
): string {
  const plain: unknown = JSON.parse(
    JSON.stringify(job, (name, value: unknown) =>
      name === 'path' || name === 'folder' || name === 'limits' ? undefined : value,
    ),
  );
  const { engine: name, version, digests } = engine;
  return digestJson([plain, name, version, digests]).replace(/^sha256:/, '');
}

const keyChars = 40;

export function jobFolderOf(home: string, key: string): string {
  return join(home, 'ml', 'jobs', key.slice(0, keyChars));
}

const identitySchema = z.object({ pid: z.number(), processStart: z.string() });

/**
 * Runs `work` while this process owns the folder. The lock of a process that died is taken over: killing it anywhere
 * leaves a folder that the next call of the same job continues. Throws `ml.job_running`.
 */
export async function withJobFolder<Result>(
  folder: string,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  await takeLock(lock, key, signal);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Between two looks at the lock of a process that lives, and how long it is waited for. */
const pauseMs = 250;
const maxWaitMs = 3_600_000;

/** Who waits for the same job gets its result. */
async function takeLock(lock: string, key: string, signal: AbortSignal): Promise<void> {
  const identity = JSON.stringify(await ownIdentity());
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      // A link to nowhere: it is made with its owner's name in one step, so no kill leaves one without.
      await symlink(identity, lock);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // The folder was empty, and another process removed it.
      if (code === 'ENOENT' && waitedMs < maxWaitMs)
        await mkdir(dirname(lock), { recursive: true });
      if (code === 'ENOENT') continue;
      if (code !== 'EEXIST') throw error;
      const owner = await ownerOf(lock);
      if (waitedMs >= maxWaitMs) throw new JobRunningError(key, owner?.pid ?? 0);
      const isAlive = owner !== undefined && !(await isGone(owner));
      // Locks of earlier versions are files, and may have no name yet.
      if (isAlive || waitedMs === 0) await setTimeout(pauseMs, undefined, { signal });
      else await removeStale(lock);
    }
  }
}

/** Of two processes that find the same lock stale, the second must not remove the lock of the first. */
async function removeStale(lock: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => {});
  const owner = await ownerOf(aside);
  if (owner && !(await isGone(owner))) await link(aside, lock).catch(() => {});
  await rm(aside, { force: true });
}

/** Whether the process that worked in the folder died in it. */
export async function isAbandoned(folder: string): Promise<boolean> {
  const owner = await ownerOf(join(folder, 'lock'));
  return owner !== undefined && (await isGone(owner));
}

/** Undefined where there is no lock, or one of an earlier version that was written in part. */
async function ownerOf(lock: string): Promise<z.output<typeof identitySchema> | undefined> {
  try {
    const identity = await readlink(lock).catch(() => readFile(lock, 'utf8'));
    return identitySchema.parse(JSON.parse(identity));
  } catch {
    return undefined;
  }
}

export async function appendEvent(folder: string, event: TrainingEvent): Promise<void> {
  await appendFile(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`, { mode: 0o600 });
}

/** Events of all attempts and resumes; a line cut by a crash is left out. */
export async function readEvents(folder: string): Promise<readonly TrainingEvent[]> {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      // We wrote it ourselves, from an event.
      return line === '' ? [] : [JSON.parse(line) as TrainingEvent];
    } catch {
      return [];
    }
  });
}

export interface FinishedJob {
  readonly result: TrainingResult;
  readonly job: TrainingJob;
  readonly resumed: number;
  readonly attempts: number;
}

/** Appears complete or not at all. */
export async function writeFinished(folder: string, finished: FinishedJob): Promise<void> {
  const path = join(folder, 'finished.json');
  await writeFile(`${path}.tmp`, JSON.stringify(finished), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

export async function readFinished(folder: string): Promise<FinishedJob | undefined> {
  try {
    // We wrote it ourselves, whole.
    return JSON.parse(await readFile(join(folder, 'finished.json'), 'utf8')) as FinishedJob;
  } catch {
    return undefined;
  }
}
