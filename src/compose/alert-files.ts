import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AlertChange, EarlierAlerts, SentAlerts } from '../observe/index.ts';

/** Files of instances that ended are kept for as long as hours are compared. */
const maxAgeMs = 42 * 24 * 3_600_000;
/** Of all instances that ever watched on this directory; the oldest are removed. */
const maxFiles = 100;

const changeSchema = z.object({
  alert: z.string(),
  state: z.enum(['firing', 'resolved']),
  severity: z.enum(['info', 'warning', 'critical']),
  summary: z.string(),
  value: z.number(),
  sinceMs: z.number(),
});
const firingSchema = z.object({
  source: z.string(),
  /** Says nothing of later times: its instance may have ended. */
  untilMs: z.number(),
  firing: z.array(changeSchema),
  sent: z.record(z.string(), z.array(z.string())),
});
const historySchema = z.record(
  z.string(),
  z.array(
    z.object({
      atMs: z.number(),
      value: z.number(),
      residual: z.number().optional(),
      inflation: z.number(),
    }),
  ),
);
const silencesSchema = z.record(z.string(), z.number());

/** What one instance says of its alerts; `sent` is what each webhook knows to fire. */
export interface FiringAlerts {
  readonly source: string;
  readonly untilMs: number;
  readonly firing: readonly AlertChange[];
  readonly sent: SentAlerts;
}

type History = EarlierAlerts['history'];

/** Alerts below one data directory: each instance writes files of its own, all share the silences. */
export function alertFiles(home: string) {
  const folder = join(home, 'alerts');
  const silencesFile = join(home, 'alert-silences.json');
  const fileOf = (kind: 'firing' | 'history', source: string): string =>
    join(folder, `${kind}-${source.replaceAll(/[^\w.-]/g, '_')}.json`);
  return {
    silences: () => readJson(silencesFile, silencesSchema, {}),
    writeSilences: (silences: Readonly<Record<string, number>>) =>
      writeJson(silencesFile, silences),
    writeFiring: (alerts: FiringAlerts) => writeJson(fileOf('firing', alerts.source), alerts),
    writeHistory: (source: string, history: History) =>
      writeJson(fileOf('history', source), history),
    /** Of every instance that still says it. */
    firingAt: async (nowMs: number): Promise<readonly FiringAlerts[]> => {
      const all = await Promise.all((await newestFirst(folder, 'firing-')).map(readFiring));
      return all.filter((one) => one !== undefined).filter(({ untilMs }) => untilMs >= nowMs);
    },
    /** What this instance left; one that is new begins with the latest history of this directory. */
    earlierOf: async (source: string) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeOld(folder);
      const own = await readFiring(fileOf('firing', source));
      const ownHistory = fileOf('history', source);
      const histories = [ownHistory, ...(await newestFirst(folder, 'history-'))];
      for (const file of histories) {
        const history = await readJson<History | undefined>(file, historySchema, undefined);
        if (history) return { own, history };
      }
      return { own, history: {} };
    },
  };
}

function readFiring(file: string): Promise<FiringAlerts | undefined> {
  return readJson<FiringAlerts | undefined>(file, firingSchema, undefined);
}

async function newestFirst(folder: string, prefix = ''): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.startsWith(prefix) && name.endsWith('.json'));
  const dated = await Promise.all(
    files.map(async (name) => {
      const file = join(folder, name);
      return {
        file,
        atMs: await stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      };
    }),
  );
  return dated.toSorted((one, other) => other.atMs - one.atMs).map(({ file }) => file);
}

async function removeOld(folder: string): Promise<void> {
  const files = await newestFirst(folder);
  for (const [at, file] of files.entries()) {
    const ageMs =
      Date.now() -
      (await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ));
    if (at >= maxFiles || ageMs > maxAgeMs) await rm(file, { force: true });
  }
}

async function readJson<Value>(
  file: string,
  schema: z.ZodType<Value>,
  otherwise: Value,
): Promise<Value> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return otherwise;
  }
}

async function writeJson(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, file);
}
