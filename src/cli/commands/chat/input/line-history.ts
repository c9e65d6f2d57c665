import { appendFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Messages of this and earlier chats, newest first, each as one line. */
export interface LineHistory {
  readonly lines: readonly string[];
  readonly maxLines: number;
  add(message: string): Promise<void>;
}

const maxLines = 1_000;
/** A pasted program is found again in the session, not here. */
const maxLineLength = 10_000;
const maxFileBytes = 4_194_304;
/** Only the person whose messages they are reads them. */
const privateMode = 0o600;
/** Stands for the end of a line within a message. */
const lineEnd = '⏎';

export function toHistoryLine(message: string): string {
  return message.replaceAll('\n', lineEnd);
}

export function fromHistoryLine(line: string): string {
  return line.replaceAll(lineEnd, '\n');
}

/**
 * Reads the file; one that is not there or cannot be read is an empty one, and one that cannot be written is done
 * without: a chat does not end because of it. A message that begins with a blank is not kept.
 */
export async function openLineHistory(file: string): Promise<LineHistory> {
  const lines = await readNewest(file);
  return {
    lines,
    maxLines,
    add: async (message) => {
      const line = toHistoryLine(message);
      if (/^\s/.test(line) || line.length > maxLineLength || lines[0] === line) return;
      lines.unshift(line);
      lines.splice(maxLines);
      await appendFile(file, `${line}\n`, { mode: privateMode }).catch(() => {});
    },
  };
}

async function readNewest(file: string): Promise<string[]> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const { size } = await stat(file);
    if (size > maxFileBytes) return [];
    const all = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    const kept = all.slice(-maxLines);
    if (all.length > maxLines * 2) await replace(file, kept);
    return kept.toReversed();
  } catch {
    return [];
  }
}

/** Others may write at the same time: they find the old file or the new one. */
async function replace(file: string, lines: readonly string[]): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${lines.join('\n')}\n`, { mode: privateMode });
  await rename(draft, file);
}
