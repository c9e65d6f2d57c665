import { z } from 'zod';
import { DatasetError } from '../errors.ts';
import type { FetchDocument } from '../ml-ports.ts';
import { maxSourceBytes } from './raw-table.ts';

const hub = 'https://datasets-server.huggingface.co/parquet?dataset=';
const maxListBytes = 4 * 1024 * 1024;
/** Datasets that people name without their owner. */
const shortNames = new Map([
  ['squad', 'rajpurkar/squad'],
  ['squad_v2', 'rajpurkar/squad_v2'],
  ['imdb', 'stanfordnlp/imdb'],
  ['alpaca', 'tatsu-lab/alpaca'],
]);

const listSchema = z.object({
  parquet_files: z.array(
    z.object({ url: z.url(), split: z.string(), config: z.string(), size: z.number() }),
  ),
});

/** `owner/name`, or a name that is known without its owner. */
export function isHubName(source: string): boolean {
  return shortNames.has(source.toLowerCase()) || /^[\w-]+\/[\w.-]+$/.test(source);
}

/** The first parquet file of the training split, as the hub converts every public dataset. */
export async function fetchFromHub(
  source: string,
  fetchDocument: FetchDocument,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const name = shortNames.get(source.toLowerCase()) ?? source;
  const listing = await fetchDocument(hub + encodeURIComponent(name), {
    maxBytes: maxListBytes,
    signal,
  });
  const parsed = listSchema.safeParse(parseJson(listing));
  if (!parsed.success) throw new DatasetError(source, 'the hub does not list parquet files for it');
  const files = parsed.data.parquet_files;
  const file = files.find(({ split }) => split === 'train') ?? files[0];
  if (!file) throw new DatasetError(source, 'the hub has no rows of it');
  if (file.size > maxSourceBytes) {
    throw new DatasetError(source, `it is ${file.size} bytes, of at most ${maxSourceBytes}`);
  }
  return fetchDocument(file.url, { maxBytes: maxSourceBytes, signal });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
