import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Caller } from '../../../contract/caller/index.ts';
import { readRegularFile, UnusableFileError } from '../../../kernel/index.ts';
import { DatasetError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { decodeSource } from './decode-text.ts';
import { fetchFromHub, isHubName } from './fetch-from-hub.ts';
import { maxSourceBytes, type RawTable } from './raw-table.ts';
import { readCsv } from './read-csv.ts';
import { readImages } from './read-images.ts';
import { isObject, readJson, readJsonLines } from './read-json.ts';
import { readParquet } from './read-parquet.ts';

export interface SourceRequest {
  readonly source: string;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Parts = Pick<MlParts, 'roots' | 'artifacts' | 'fetchDocument'>;

export interface ReadTable extends RawTable {
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
