import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning } from '../kernel/index.ts';
import { logLevels } from '../observe/index.ts';

/**
 * How a command reaches the Tutti processes that run on the same data directory: each has a folder
 * named after its process id, in which requests are put down as files and answered beside them.
 */
export const requestSchema = z.union([
  z.object({ restart: z.string() }),
  /** Take over which tools of this server were accepted. */
  z.object({ reread: z.string() }),
  /** Look at the files that name servers now, in place of at the next look. */
  z.object({ checkFiles: z.literal(true) }),
  /** Log from this level on, until the process ends. */
  z.object({ logLevel: z.enum(logLevels) }),
]);
export type ControlRequest = z.output<typeof requestSchema>;
export const answerSchema = z.object({ pid: z.number(), isDone: z.boolean(), message: z.string() });

export async function runningProcesses(home: string): Promise<number[]> {
  const names = await readdir(join(home, 'run', 'control')).catch(() => []);
  const running: number[] = [];
  for (const pid of names.map(Number)) {
    if (!Number.isInteger(pid) || pid <= 0) continue;
    if (isRunning(pid)) running.push(pid);
    else await rm(folderOf(home, pid), { recursive: true, force: true });
  }
  return running;
}

export function folderOf(home: string, pid: number): string {
  return join(home, 'run', 'control', String(pid));
}

/** A reader never sees half a file. */
export async function put(file: string, value: object): Promise<void> {
  await writeFile(`${file}.tmp`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}

export async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
