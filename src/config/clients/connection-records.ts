import { join } from 'node:path';
import { z } from 'zod';
import {
  decodeText,
  makeFolderFor,
  readBytes,
  withFileLock,
  writeFileAtomically,
} from '../locked-file.ts';

/**
 * What connecting did to a client's file, so that disconnecting restores it byte for byte. Holds only
 * our own insertion, because the rest of the file may hold secrets.
 */
const recordSchema = z.object({
  file: z.string(),
  edit: z.object({ offset: z.int(), removed: z.string(), inserted: z.string() }),
  /** There was no section for servers. */
  madeSection: z.boolean(),
  /** There was no file. */
  madeFile: z.boolean(),
  /** Folders that were created for the file, innermost first. */
  madeFolders: z.array(z.string()),
});

export type ConnectionRecord = z.output<typeof recordSchema>;

const fileSchema = z.object({ connections: z.array(recordSchema) });
const maxRecordBytes = 4_194_304;

export async function findRecord(
  home: string,
  file: string,
): Promise<ConnectionRecord | undefined> {
  return (await readRecords(home)).find((record) => record.file === file);
}

/** Stores the record of a file, in place of an older one; without a record it is forgotten. */
export async function storeRecord(
  home: string,
  file: string,
  record: ConnectionRecord | undefined,
): Promise<void> {
  const path = recordsFile(home);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const others = (await readRecords(home)).filter((other) => other.file !== file);
    const connections = record === undefined ? others : [...others, record];
    await writeFileAtomically(path, `${JSON.stringify({ connections }, null, 2)}\n`);
  });
}

/** A damaged file counts as empty: without a record, disconnecting removes the entry alone. */
async function readRecords(home: string): Promise<readonly ConnectionRecord[]> {
  try {
    const bytes = await readBytes(recordsFile(home), maxRecordBytes);
    const text = bytes && decodeText(bytes);
    return text === undefined ? [] : fileSchema.parse(JSON.parse(text)).connections;
  } catch {
    return [];
  }
}

function recordsFile(home: string): string {
  return join(home, 'connections.json');
}

/** One replaced range of a text, with enough to undo it in a text that changed elsewhere since. */
interface TextEdit {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The smallest edit that turns `before` into `after`. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return {
    offset: start,
    removed: before.slice(start, before.length - tail),
    inserted: after.slice(start, after.length - tail),
  };
}

/** The text without the edit; undefined when what was inserted is not there, or not only once. */
export function revertEdit(
  text: string,
  { offset, removed, inserted }: TextEdit,
): string | undefined {
  if (inserted === '') return undefined;
  const at = text.startsWith(inserted, offset) ? offset : onlyIndexOf(text, inserted);
  if (at === undefined) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}

function onlyIndexOf(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at !== -1 && text.indexOf(part, at + 1) === -1 ? at : undefined;
}
