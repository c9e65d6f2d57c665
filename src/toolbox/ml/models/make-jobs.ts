import { join } from 'node:path';
import type { CallContext } from '../../../contract/server/index.ts';
import type {
  FinetuneJob,
  Hyperparameters,
  JobLimits,
  TrainingData,
  TrainJob,
} from '../../../contract/ml/index.ts';
import {
  findDataset,
  layOutDataset,
  textColumnsOf,
  type StoredDataset,
} from '../dataset/dataset-store.ts';
import { prepareUsual } from '../dataset/load-dataset-tool.ts';
import { DatasetError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel, type FoundModel } from './find-base.ts';

export interface LaidOutDataset {
  readonly dataset: StoredDataset;
  readonly data: TrainingData;
}

export const isDatasetId = (reference: string): boolean => /^sha256:[0-9a-f]{64}$/.test(reference);

interface WantedDataset {
  readonly reference: string;
  readonly label?: string | undefined;
  readonly testShare?: number | undefined;
}

/**
 * A dataset as files; the same dataset lies in the same folder for all jobs. One that is named by its file is loaded
 * with the defaults of `load_dataset`.
 */
export async function layOut(
  parts: MlParts,
  context: CallContext,
  { reference, label, testShare }: WantedDataset,
): Promise<LaidOutDataset> {
  const { caller } = context;
  const columns = label === undefined ? {} : { label };
  const dataset = isDatasetId(reference)
    ? await findDataset(parts, caller, reference)
    : (await prepareUsual(parts, { source: reference, columns, test_share: testShare }, context))
        .stored;
  if (label !== undefined && dataset.card.label !== label)
    throw new DatasetError(
      dataset.card.source,
      `it was loaded to predict ${dataset.card.label ?? 'nothing'}; load it again with columns={"label": "${label}"}`,
    );
  const { card } = dataset;
  const folder = join(parts.home, 'ml', 'datasets', card.hash.slice(0, 40));
  return { dataset, data: await layOutDataset(parts, caller, { card, folder }) };
}

/** What a model is scored on: loaded to predict what the model predicts, or refused. */
export async function layOutFor(
  parts: MlParts,
  { model, reference }: { readonly model: FoundModel; readonly reference: string },
  context: CallContext,
): Promise<LaidOutDataset> {
  const learned = model.version?.card.dataset?.id;
  const label = learned && (await findDataset(parts, context.caller, learned)).card.label;
  return layOut(parts, context, { reference, label: label ?? undefined });
}

export function frameOf(
  { limits }: MlParts,
  { seed, threads }: { seed: number; threads?: number | undefined },
) {
  const { wallMs, memoryBytes, diskBytes }: JobLimits = limits;
  return {
    seed,
    threads: Math.min(threads ?? 1, limits.threads),
    limits: { wallMs, memoryBytes, diskBytes },
  };
}

export interface FinetuneRequest {
  readonly base: string;
  readonly dataset: string;
  readonly method: 'full' | 'lora';
  /** Settled: all of them, by their own names. */
  readonly hyperparameters: Hyperparameters;
  readonly seed: number;
  readonly threads?: number | undefined;
  /** Of a dataset that is named by its file. */
  readonly testShare?: number | undefined;
}

export async function finetuneJob(
  parts: MlParts,
  context: CallContext,
  request: FinetuneRequest,
): Promise<{ job: FinetuneJob; base: FoundModel; dataset: StoredDataset }> {
  const base = await findModel(parts, context.caller, request.base);
  const { dataset: reference, testShare } = request;
  const { dataset, data } = await layOut(parts, context, { reference, testShare });
  const job: FinetuneJob = {
    kind: 'finetune',
    method: request.method,
    base: base.files,
    data,
    columns: textColumnsOf(dataset.card),
    hyperparameters: request.hyperparameters,
    ...frameOf(parts, request),
  };
  return { job, base, dataset };
}

export interface TrainRequest {
  readonly dataset: string;
  readonly algorithm: 'linear' | 'boosted';
  readonly objective?: 'classification' | 'regression' | undefined;
  readonly label?: string | undefined;
  readonly text?: string | undefined;
  /** Settled: all of them, by their own names. */
  readonly hyperparameters: Hyperparameters;
  readonly seed: number;
  readonly threads?: number | undefined;
  /** Of a dataset that is named by its file. */
  readonly testShare?: number | undefined;
}

const longTextChars = 40;
/** A number with more different values than this is measured, not a class. */
const maxClasses = 20;

export async function trainJob(
  parts: MlParts,
  context: CallContext,
  request: TrainRequest,
): Promise<{ job: TrainJob; dataset: StoredDataset }> {
  const { algorithm, hyperparameters } = request;
  const { dataset, data } = await layOut(parts, context, {
    reference: request.dataset,
    label: request.label,
    testShare: request.testShare,
  });
  const { label, columns, source } = dataset.card;
  if (label === null) {
    throw new DatasetError(source, 'it has no label; load it again with columns={"label": …}');
  }
  const labels = columns.find(({ name }) => name === label);
  const isNumber =
    labels?.type === 'number' || (labels?.type === 'integer' && labels.distinct > maxClasses);
  const text = request.text ?? textColumn(dataset, label);
  const job: TrainJob = {
    kind: 'train',
    task: request.objective ?? (isNumber ? 'regression' : 'classification'),
    algorithm,
    data,
    columns: { label, features: [], ...(text !== undefined && { text }) },
    hyperparameters,
    ...frameOf(parts, request),
  };
  return { job, dataset };
}

/** Where there is nothing but one column of texts, its words are the features. */
function textColumn({ card }: StoredDataset, label: string): string | undefined {
  const others = card.columns.filter(
    ({ name }) => name !== label && !/^(?:id|_id|uuid)$/i.test(name),
  );
  const [only] = others;
  if (only?.type !== 'text' || others.length > 1) return undefined;
  const rows = Object.values(card.splits).reduce((sum, split) => sum + (split?.rows ?? 0), 0);
  // What differs from row to row is no category.
  const isText = (only.mean ?? 0) > longTextChars || only.distinct > rows / 2;
  return isText ? only.name : undefined;
}
