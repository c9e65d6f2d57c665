import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../../kernel/index.ts';
import { DatasetError } from '../errors.ts';
import type { RawTable, Row } from './raw-table.ts';

const endings = /\.(?:png|jpe?g|gif|bmp|webp)$/i;
const maxImages = 200_000;
const maxImageBytes = 64 * 1024 * 1024;
const signatures = new Map<string, readonly number[]>(
  Object.entries({
    png: [0x89, 0x50, 0x4e, 0x47],
    jpeg: [0xff, 0xd8, 0xff],
    gif: [0x47, 0x49, 0x46, 0x38],
    bmp: [0x42, 0x4d],
    webp: [0x52, 0x49, 0x46, 0x46],
  }),
);

/** A folder of folders: the name of each is the label of the images in it. */
export async function readImages(
  source: string,
  folder: string,
  roots: readonly string[],
): Promise<RawTable> {
  const rows: Row[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).toSorted(byName)) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    const files = (await readdir(join(folder, entry.name), { withFileTypes: true })).toSorted(
      byName,
    );
    for (const file of files) {
      if (!file.isFile() || !endings.test(file.name)) continue;
      if (rows.length >= maxImages)
        throw new DatasetError(source, `it has more than ${maxImages} images`);
      const path = join(entry.name, file.name);
      const bytes = await readRegularFile(join(folder, path), {
        maxBytes: maxImageBytes,
        inside: roots,
      });
      rows.push(describeImage(source, { path, label: entry.name, bytes }));
    }
  }
  if (rows.length === 0) {
    throw new DatasetError(
      source,
      'it has no images: each label needs a folder with png, jpeg, gif, bmp or webp files',
    );
  }
  return { format: 'images', rows };
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function describeImage(source: string, image: { path: string; label: string; bytes: Buffer }): Row {
  const { path, label, bytes } = image;
  const [kind] =
    [...signatures].find(([, magic]) => magic.every((byte, at) => bytes[at] === byte)) ?? [];
  if (kind === undefined) throw new DatasetError(source, 'it is no image', { column: path });
  const size =
    kind === 'png' && bytes.length >= 24
      ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      : [null, null];
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { image: path, kind, width: size[0], height: size[1], bytes: bytes.length, sha256, label };
}
