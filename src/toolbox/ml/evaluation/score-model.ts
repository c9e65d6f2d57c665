import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  EvaluateJob,
  HashedFile,
  Metric,
  PredictJob,
  TextColumns,
  TrainingJob,
} from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { textColumnsOf } from '../dataset/dataset-store.ts';
import { isObject } from '../dataset/read-json.ts';
import { DatasetError, UnusableModelError } from '../errors.ts';
import { readConfig } from '../config/read-config.ts';
import { chooseEngine, runJob } from '../jobs/run-job.ts';
import type { MlParts } from '../ml-ports.ts';
import type { FoundModel } from '../models/find-base.ts';
import { frameOf, type LaidOutDataset } from '../models/make-jobs.ts';
import { metricsOf } from '../models/store-result.ts';
import { bootstrapMean } from './paired-tests.ts';

/** A language model is scored in as many parts of the test set, so that its loss has an interval. */
const maxParts = 10;
const lossNames = ['nll', 'loss', 'eval_loss'] as const;

/** What a model did on each item of a test set: rows of a table, parts of a set of texts. */
export interface Scores {
  /** `accuracy` of rows (right or wrong), `error` of numbers, `loss` of texts. */
  readonly measure: 'accuracy' | 'error' | 'loss';
  readonly items: readonly number[];
  /** Tokens or rows of each item. */
  readonly weights: readonly number[];
  readonly metrics: Readonly<Record<string, Metric>>;
}

interface Scored {
  readonly model: FoundModel;
  readonly laidOut: LaidOutDataset;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  readonly engine?: string | undefined;
}

/** Scores a model on the test split, or on all rows where nothing was split off. */
export async function scoreModel(
  parts: MlParts,
  scored: Scored,
  context: CallContext,
): Promise<Scores> {
  return scored.model.files.format === 'tabular'
    ? scoreRows(parts, scored, context)
    : scoreTexts(parts, scored, context);
}

async function scoreTexts(parts: MlParts, scored: Scored, context: CallContext): Promise<Scores> {
  const { card } = scored.laidOut.dataset;
  const { hyperparameters } = readConfig({ kind: 'evaluate' }, scored.hyperparameters);
  const items: number[] = [];
  const weights: number[] = [];
  const sums = new Map<string, number>();
  for (const file of await partsOf(parts, scored.laidOut)) {
    const job: EvaluateJob = {
      kind: 'evaluate',
      model: scored.model.files,
      data: { train: file, test: file },
      columns: textColumnsOf(card),
      hyperparameters,
      ...frameOf(parts, { seed: 0 }),
    };
    const { metrics } = await execute(parts, { job, wanted: scored.engine }, context);
    const loss = lossNames.map((name) => metrics[name]).find((value) => value !== undefined);
    if (loss === undefined) throw new UnusableModelError(card.source, 'the engine gave no loss');
    const weight = metrics['tokens'] ?? 1;
    items.push(loss);
    weights.push(weight);
    for (const [name, value] of Object.entries(metrics))
      sums.set(name, (sums.get(name) ?? 0) + value * weight);
  }
  const loss = bootstrapMean(items, weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const others = [...sums]
    .filter(
      ([name]) =>
        !lossNames.some((one) => one === name) && name !== 'tokens' && name !== 'perplexity',
    )
    .map(([name, sum]) => [name, sum / total] as const);
  const perplexity = {
    value: Math.exp(loss.value),
    low: Math.exp(loss.low),
    high: Math.exp(loss.high),
  };
  return {
    measure: 'loss',
    items,
    weights,
    metrics: { loss, perplexity, ...metricsOf(Object.fromEntries(others)) },
  };
}

/** The test rows in up to ten files, each under its digest. */
async function partsOf(
  parts: MlParts,
  { dataset, data }: LaidOutDataset,
): Promise<readonly HashedFile[]> {
  const source = data.test ?? data.train;
  const lines = (await readFile(source.path, 'utf8')).split('\n').filter(Boolean);
  if (lines.length === 0) throw new DatasetError(dataset.card.source, 'its test split is empty');
  const count = Math.min(maxParts, lines.length);
  const folder = join(parts.home, 'ml', 'datasets', dataset.card.hash.slice(0, 40), 'parts');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const text = lines
        .filter((_line, row) => row % count === at)
        .map((line) => `${line}\n`)
        .join('');
      return writeHashed(join(folder, `part-${at + 1}.jsonl`), text);
    }),
  );
}

export async function writeHashed(path: string, text: string): Promise<HashedFile> {
  await writeFile(path, text, { mode: 0o600 });
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { path, sha256, bytes: Buffer.byteLength(text) };
}

async function scoreRows(parts: MlParts, scored: Scored, context: CallContext): Promise<Scores> {
  const { dataset, data } = scored.laidOut;
  const { label, source } = dataset.card;
  if (label === null) throw new DatasetError(source, 'it has no label to compare with');
  const rows = data.test ?? data.train;
  const predicted = await predictRows(parts, { ...scored, rows, source }, context);
  const truth = readLines(await readFile(rows.path, 'utf8')).map((row) => row[label]);
  if (truth.length !== predicted.length) {
    throw new DatasetError(
      source,
      `the model gave ${predicted.length} predictions for ${truth.length} rows`,
    );
  }
  // Classes are texts, whatever they look like.
  const isNumeric = predicted.every((row) => typeof valueOf(row) === 'number');
  const items = truth.map((value, at) => {
    const guess = valueOf(predicted[at] ?? {});
    return isNumeric
      ? Math.abs(Number(guess) - Number(value))
      : Number(String(guess) === String(value));
  });
  const measure = isNumeric ? 'error' : 'accuracy';
  const metric = bootstrapMean(items);
  const name = isNumeric ? 'mean_absolute_error' : 'accuracy';
  return { measure, items, weights: items.map(() => 1), metrics: { [name]: metric } };
}

/** What an engine calls its answer. */
function valueOf(row: Readonly<Record<string, unknown>>): unknown {
  return row['prediction'] ?? row['predicted'] ?? row['label'] ?? row['value'];
}

export interface Predicted extends Omit<Scored, 'laidOut'> {
  readonly rows: HashedFile;
  /** For language models. */
  readonly columns?: TextColumns | undefined;
  /** Where the rows are from. */
  readonly source: string;
}

export async function predictRows(
  parts: MlParts,
  { model, hyperparameters: given, engine, rows, columns, source }: Predicted,
  context: CallContext,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { hyperparameters } = readConfig({ kind: 'predict' }, given);
  const job: PredictJob = {
    kind: 'predict',
    model: model.files,
    rows,
    hyperparameters,
    ...(columns && { columns }),
    ...frameOf(parts, { seed: 0 }),
  };
  const { predictions } = await execute(parts, { job, wanted: engine }, context);
  if (!predictions) throw new UnusableModelError(source, 'the engine gave no predictions');
  return readLines(await readFile(predictions.path, 'utf8'));
}

function readLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): Readonly<Record<string, unknown>> => {
      const value: unknown = JSON.parse(line);
      return isObject(value) ? value : { prediction: value };
    });
}

async function execute(
  parts: MlParts,
  { job, wanted }: { readonly job: TrainingJob; readonly wanted: string | undefined },
  context: CallContext,
) {
  const engine = await chooseEngine(await parts.engines(), job, wanted);
  return (await runJob(parts, { job, engine, what: job.kind }, context)).result;
}
