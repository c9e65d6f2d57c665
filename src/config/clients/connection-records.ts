import { z } from 'zod';
import { listFile } from '../locked-file.ts';

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

const records = listFile<ConnectionRecord>({
  name: 'connections.json',
  key: 'connections',
  item: recordSchema,
});

/** Undefined without a record or with a damaged file: disconnecting then removes only the entry. */
export async function findRecord(
  home: string,
  file: string,
): Promise<ConnectionRecord | undefined> {
  return (await records.read(home)).find((record) => record.file === file);
}

/** Replaces the record of a file; removes it when `record` is undefined. */
export async function storeRecord(
  home: string,
  file: string,
  record: ConnectionRecord | undefined,
): Promise<void> {
  await records.change(home, (all) => [
    ...all.filter((other) => other.file !== file),
    ...(record === undefined ? [] : [record]),
  ]);
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
