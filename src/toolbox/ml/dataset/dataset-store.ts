import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../contract/caller/index.ts';
import {
  type DatasetCard,
  datasetCardSchema,
  type HashedFile,
  type SplitName,
  splitNames,
  type TextColumns,
  type TrainingData,
} from '../../../contract/ml/index.ts';
import { DatasetError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { inputOf } from './find-hints.ts';
import type { Row } from './raw-table.ts';

export interface StoredDataset {
  /** The artifact id of its card. */
  readonly id: string;
  readonly card: DatasetCard;
}

type Unsplit = Omit<DatasetCard, 'splits' | 'hash'>;
type Parts = Pick<MlParts, 'artifacts'>;

/** Keeps the rows of each split and, after all of them, the card: an id exists for complete datasets only. */
export async function storeDataset(
  parts: Parts,
  caller: Caller,
  { splits, ...described }: Unsplit & { readonly splits: SplitRows },
): Promise<StoredDataset> {
  const artifacts = await parts.artifacts();
  const texts = splitNames.flatMap((name) => {
    const rows = splits[name];
    return rows
      ? [{ name, rows: rows.length, text: rows.map((row) => `${JSON.stringify(row)}\n`).join('') }]
      : [];
  });
  const hash = createHash('sha256');
  for (const { name, text } of texts) hash.update(`${name}\n`).update(text);
  const digest = hash.digest('hex');
  // No run makes them: they are kept for as long as the dataset is.
  const lineage = {
    runId: `dataset-${digest.slice(0, 32)}`,
    tool: 'ml.load_dataset',
    argumentsDigest: null,
    inputs: [],
  };
  const stored: Record<string, DatasetCard['splits'][keyof DatasetCard['splits']]> = {};
  for (const { name, rows, text } of texts) {
    const { id, bytes } = await artifacts.put(caller, {
      content: text,
      mediaType: 'application/jsonl',
      lineage: { ...lineage, step: name },
    });
    stored[name] = { rows, bytes, sha256: id.slice('sha256:'.length) };
  }
  const card = datasetCardSchema.parse({ ...described, splits: stored, hash: digest });
  const content = JSON.stringify(card);
  const { id } = await artifacts.put(caller, {
    content,
    mediaType: 'application/json',
    lineage: { ...lineage, step: 'card' },
  });
  return { id, card };
}

export async function findDataset(
  parts: Parts,
  caller: Caller,
  id: string,
): Promise<StoredDataset> {
  const artifacts = await parts.artifacts();
  const bytes = await artifacts.get(caller, id);
  try {
    return { id, card: datasetCardSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))) };
  } catch {
    throw new DatasetError(id, 'this artifact is no dataset; ml.load_dataset gives the id of one');
  }
}

/** Lays the splits out as files that a job reads. */
export async function layOutDataset(
  parts: Parts,
  caller: Caller,
  { card, folder }: { readonly card: DatasetCard; readonly folder: string },
): Promise<TrainingData> {
  const artifacts = await parts.artifacts();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files: Record<string, HashedFile> = {};
  for (const name of splitNames) {
    const split = card.splits[name];
    if (!split) continue;
    const path = join(folder, `${name}.jsonl`);
    await writeFile(path, await artifacts.get(caller, `sha256:${split.sha256}`), { mode: 0o600 });
    files[name] = { path, sha256: split.sha256, bytes: split.bytes };
  }
  const { train, validation, test } = files;
  if (!train) throw new DatasetError(card.source, 'it has no rows to train on');
  return { train, validation, test };
}

/** How a job reads its rows. */
export function textColumnsOf(card: DatasetCard): TextColumns {
  if (card.kind === 'text') return { text: 'text' };
  if (card.kind === 'completion') return { prompt: 'prompt', completion: 'completion' };
  throw new DatasetError(
    card.source,
    'it is a table; a language model needs texts, or prompts with completions: load it again with columns={"text": …} or {"prompt": …, "completion": …}',
  );
}

type Shares = Readonly<Record<SplitName, number>>;
type SplitRows = Readonly<Partial<Record<SplitName, readonly Row[]>>>;

/**
 * Splits by a hash of the seed and the row: the same row goes to the same split whatever else is there, and rows that
 * are equal to a model are never in two.
 */
export function splitRows(
  source: string,
  rows: readonly Row[],
  { seed, shares }: { readonly seed: number; readonly shares: Shares },
): SplitRows {
  const split: Record<SplitName, Row[]> = { train: [], validation: [], test: [] };
  for (const row of rows) {
    const digest = createHash('sha256')
      .update(`${seed}\n${inputOf(row)}`)
      .digest();
    const at = digest.readUInt32BE(0) / 2 ** 32;
    const name =
      at < shares.test ? 'test' : at < shares.test + shares.validation ? 'validation' : 'train';
    split[name].push(row);
  }
  for (const name of splitNames) {
    if (shares[name] === 0 || split[name].length > 0) continue;
    const problem = `the split "${name}" is empty: ${Math.round(shares[name] * 100)} % of ${rows.length} rows; give more rows, another share, or 0 for none`;
    throw new DatasetError(source, problem);
  }
  return Object.fromEntries(
    splitNames.filter((name) => split[name].length > 0).map((name) => [name, split[name]]),
  );
}
