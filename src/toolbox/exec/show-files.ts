import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { z } from 'zod';
import type { CollectedFile, CollectRequest } from '../../contract/sandbox/index.ts';

const maxFiles = 200;
const maxBytes = 8 * 1024 * 1024;
const maxPaths = 100;
/** Longer text comes as base64, which nobody reads by mistake. */
const maxTextBytes = 1024 * 1024;

export const collectField = z
  .array(z.string().min(1).max(1_000))
  .max(maxPaths)
  .optional()
  .describe(
    `Files and folders of the work folder to bring back; an empty list brings back all that is new or changed. At most ${maxFiles} files, ${maxBytes} bytes.`,
  );

export const shownFileSchema = z.object({
  path: z.string(),
  size: z.int().describe('In bytes.'),
  encoding: z.enum(['utf-8', 'base64']),
  content: z.string(),
  isExecutable: z.boolean(),
});

export type ShownFile = z.input<typeof shownFileSchema>;

export function collectRequest(paths: readonly string[] | undefined): CollectRequest | null {
  if (paths === undefined) return null;
  const plain = paths.map((path) => posix.normalize(path).replace(/(?<=.)\/$/, ''));
  return { paths: plain.includes('.') ? [] : plain, maxFiles, maxBytes };
}

/** What a program left, as text where it is text. Files as they were given are left out of "all". */
export function showFiles(
  files: readonly CollectedFile[],
  given: Readonly<Record<string, string>>,
  wantsAll: boolean,
): ShownFile[] {
  return files
    .filter(({ path, bytes }) => {
      const before = Object.hasOwn(given, path) ? given[path] : undefined;
      return !wantsAll || before === undefined || !Buffer.from(before).equals(bytes);
    })
    .map(showFile);
}

function showFile({ path, bytes, isExecutable }: CollectedFile): ShownFile {
  const isText = bytes.length <= maxTextBytes && isUtf8(bytes) && !bytes.includes(0);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    path: path.replaceAll(/\p{Cc}/gu, '\ufffd'),
    size: bytes.length,
    encoding: isText ? 'utf-8' : 'base64',
    content: content.toString(isText ? 'utf8' : 'base64'),
    isExecutable,
  };
}
