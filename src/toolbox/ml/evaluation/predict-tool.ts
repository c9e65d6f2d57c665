import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TextColumns } from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { textColumnsOf } from '../dataset/dataset-store.ts';
import { inferColumns } from '../dataset/infer-columns.ts';
import { readSource } from '../dataset/read-source.ts';
import { DatasetError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel } from '../models/find-base.ts';
import { isDatasetId, layOut } from '../models/make-jobs.ts';
import { jobAnnotations } from '../models/train-tools.ts';
import { engineField, hyperparametersField, modelField } from '../models/training-fields.ts';
import { predictRows, writeHashed, type Predicted } from './score-model.ts';
import texts from '../tools.json' with { type: 'json' };

const maxShown = 50;
/** Columns that hold what a language model continues, the likeliest first. */
const promptNames = ['prompt', 'question', 'instruction', 'input', 'text'];

/** The tool `predict`. */
export function predictTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.predict,
    input: z.strictObject({
      model: modelField,
      dataset: z
        .string()
        .min(1)
        .max(4096)
        .describe('A file, all of whose rows count, or the id of a dataset, for its test split.'),
      limit: z.int().min(1).max(maxShown).default(10).describe('Predictions to show.'),
      hyperparameters: hyperparametersField,
      engine: engineField,
    }),
    output: z.object({
      predictions: z.array(z.record(z.string(), z.unknown())),
      rows: z.int(),
      artifact: z.string().describe('Artifact id of all predictions, one JSON object a line.'),
    }),
    annotations: jobAnnotations,
    run: async ({ model, dataset, limit, ...rest }, context) => {
      const found = await findModel(parts, context.caller, model);
      const isTabular = found.files.format === 'tabular';
      const wanted = isDatasetId(dataset)
        ? await testRows(parts, { id: dataset, isTabular }, context)
        : await fileRows(parts, { source: dataset, isTabular }, context);
      const predictions = await predictRows(parts, { model: found, ...wanted, ...rest }, context);
      const content = predictions.map((one) => `${JSON.stringify(one)}\n`).join('');
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 32);
      const lineage = {
        step: 'predictions',
        tool: 'ml.predict',
        argumentsDigest: null,
        inputs: [],
      };
      const artifacts = await parts.artifacts();
      const { id } = await artifacts.put(context.caller, {
        content,
        mediaType: 'application/jsonl',
        lineage: { runId: `predictions-${digest}`, ...lineage },
      });
      return { predictions: predictions.slice(0, limit), rows: predictions.length, artifact: id };
    },
    summarize: ({ predictions, rows, artifact }) =>
      [
        ...predictions.map(({ prediction, probability }, at) => {
          const share =
            typeof probability === 'number' ? ` (${Math.round(probability * 100)} %)` : '';
          return `${at + 1}: ${String(prediction)}${share}`;
        }),
        `${predictions.length} of ${rows} predictions; all of them: artifact ${artifact}`,
      ].join('\n'),
  });
}

type Rows = Pick<Predicted, 'rows' | 'columns' | 'source'>;

async function testRows(
  parts: MlParts,
  { id, isTabular }: { readonly id: string; readonly isTabular: boolean },
  context: CallContext,
): Promise<Rows> {
  const { dataset, data } = await layOut(parts, context, { reference: id });
  const { card } = dataset;
  const columns = isTabular ? undefined : textColumnsOf(card);
  return { rows: data.test ?? data.train, columns, source: card.source };
}

/** All rows of a file, as they are: what is to be predicted is not in it. */
async function fileRows(
  parts: MlParts,
  { source, isTabular }: { readonly source: string; readonly isTabular: boolean },
  { caller, signal }: CallContext,
): Promise<Rows> {
  const table = inferColumns(source, await readSource(parts, { source, caller, signal }));
  const text = table.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const folder = join(parts.home, 'ml', 'rows');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const digest = createHash('sha256').update(text).digest('hex');
  const rows = await writeHashed(join(folder, `${digest.slice(0, 40)}.jsonl`), text);
  return { rows, columns: isTabular ? undefined : promptColumn(source, table.columns), source };
}

function promptColumn(
  source: string,
  columns: readonly { readonly name: string; readonly type: string }[],
): TextColumns {
  const texts = columns.filter(({ type }) => type === 'text').map(({ name }) => name);
  const [only, ...others] = texts;
  const found =
    promptNames.find((name) => texts.includes(name)) ?? (others.length === 0 ? only : undefined);
  if (found !== undefined) return { text: found };
  throw new DatasetError(
    source,
    `which column holds the prompts? Name it "prompt"; it has ${columns.map(({ name }) => name).join(', ')}`,
  );
}
