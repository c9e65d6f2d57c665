import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Caller } from '../../../contract/caller/index.ts';
import { readRegularFile, UnusableFileError } from '../../../kernel/index.ts';
import { DatasetError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { decodeSource } from './decode-text.ts';
import { fetchFromHub, isHubName } from './fetch-from-hub.ts';
import { maxColumns, maxRows, maxSourceBytes, type RawTable, type Row } from './raw-table.ts';
import { readCsv } from './read-csv.ts';
import { isObject, readJson, readJsonLines } from './read-json.ts';

interface SourceRequest {
  readonly source: string;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Parts = Pick<MlParts, 'roots' | 'artifacts' | 'fetchDocument'>;

interface ReadTable extends RawTable {
  readonly encoding: string;
}

/** Rows of a file or folder inside the roots, of an artifact, or of a dataset of the hub. */
export async function readSource(parts: Parts, request: SourceRequest): Promise<ReadTable> {
  const { source } = request;
  if (/^sha256:[0-9a-f]{64}$/.test(source)) {
    const artifacts = await parts.artifacts();
    return parseBytes(await artifacts.get(request.caller, source), request);
  }
  const found = await findPath(parts.roots, source);
  if (found?.isFolder === true) {
    return { ...(await readImages(source, found.path, parts.roots)), encoding: 'binary' };
  }
  if (found) {
    const bytes = await readRegularFile(found.path, {
      maxBytes: maxSourceBytes,
      inside: parts.roots,
    }).catch((error: unknown) => {
      if (error instanceof UnusableFileError) throw new DatasetError(source, error.message);
      throw error;
    });
    return parseBytes(bytes, request);
  }
  if (isHubName(source) && parts.fetchDocument) {
    return parseBytes(await fetchFromHub(source, parts.fetchDocument, request.signal), request);
  }
  const hub = parts.fetchDocument ? '' : ', and nothing is fetched from a hub here';
  throw new DatasetError(source, `there is no such file in ${parts.roots.join(', ')}${hub}`);
}

async function findPath(
  roots: readonly string[],
  source: string,
): Promise<{ path: string; isFolder: boolean } | undefined> {
  for (const root of roots) {
    const path = resolve(join(root), source.replace(/^@/, ''));
    const found = await stat(path).catch(() => undefined);
    if (found) return { path, isFolder: found.isDirectory() };
  }
  return undefined;
}

async function parseBytes(bytes: Uint8Array, request: SourceRequest): Promise<ReadTable> {
  const { source, encoding: wanted, delimiter } = request;
  if (bytes.length === 0) throw new DatasetError(source, 'it is empty');
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PAR1') {
    return notEmpty(source, { ...(await readParquet(source, bytes)), encoding: 'binary' });
  }
  const { text, encoding } = decodeSource(source, bytes, wanted);
  return notEmpty(source, { ...parseText(source, text, delimiter), encoding });
}

function notEmpty(source: string, table: ReadTable): ReadTable {
  if (table.rows.length === 0) throw new DatasetError(source, 'it has no rows');
  return table;
}

function parseText(source: string, text: string, delimiter?: string): RawTable {
  const name = source.replace(/\.gz$/i, '').toLowerCase();
  if (name.endsWith('.jsonl') || name.endsWith('.ndjson')) return readJsonLines(source, text);
  if (name.endsWith('.json')) return readJson(source, text);
  if (name.endsWith('.tsv')) return readCsv({ source, text, delimiter: delimiter ?? '\t' });
  if (name.endsWith('.csv')) return readCsv({ source, text, delimiter });
  if (/\.(?:txt|md|rst)$/.test(name)) return readPlainText(text);
  const start = text.trimStart();
  if (start.startsWith('[')) return readJson(source, text);
  if (start.startsWith('{'))
    return isWholeObject(start) ? readJson(source, text) : readJsonLines(source, text);
  if (delimiter !== undefined || /^[^\n]*[,;\t|][^\n]*\r?\n/.test(text))
    return readCsv({ source, text, delimiter });
  return readPlainText(text);
}

/** One document and not one a line. */
function isWholeObject(text: string): boolean {
  const [first = ''] = text.split('\n', 1);
  try {
    return !isObject(JSON.parse(first)) || text.trimEnd().length === first.trimEnd().length;
  } catch {
    return true;
  }
}

/** Paragraphs are rows; a text without empty lines has one a line. */
function readPlainText(text: string): RawTable {
  const paragraphs = text.split(/\r?\n[ \t]*\r?\n/);
  const parts = paragraphs.length > 1 ? paragraphs : text.split(/\r?\n/);
  const rows = parts
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => ({ text: part }));
  return { format: 'text', rows };
}

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
async function readImages(
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

/** Rows of a parquet file. Its own claims about size are checked before a page is unpacked. */
async function readParquet(source: string, bytes: Uint8Array): Promise<RawTable> {
  const [{ parquetMetadata, parquetReadObjects, parquetSchema }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  // A copy of its own: the bytes may be part of a larger buffer.
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = parquetMetadata(file);
    const claimed = metadata.row_groups.flatMap(({ columns }) =>
      columns.map(({ meta_data: meta }) => Number(meta?.total_uncompressed_size ?? 0)),
    );
    const total = claimed.reduce((sum, one) => sum + one, 0);
    if (!(total <= maxSourceBytes)) {
      throw new DatasetError(source, `it is ${total} bytes unpacked, of at most ${maxSourceBytes}`);
    }
    if (Number(metadata.num_rows) > maxRows) {
      throw new DatasetError(source, `it has ${metadata.num_rows} rows, of at most ${maxRows}`);
    }
    const { children } = parquetSchema(metadata);
    if (children.length > maxColumns) {
      throw new DatasetError(source, `it has more than ${maxColumns} columns`);
    }
    const rows = await parquetReadObjects({ file, compressors });
    return { format: 'parquet', rows: rows.map((row) => plainRow(row)) };
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatasetError(source, `it is no readable parquet file: ${reason.slice(0, 200)}`);
  }
}

/** Values as JSON has them: whole numbers of 64 bits, times and bytes are none. */
function plainRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value ?? null;
}
