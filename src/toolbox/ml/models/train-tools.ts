import { z } from 'zod';
import { quantizations, type TrainingJob } from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import { configField, required, settleRequest } from '../config/apply-config.ts';
import { chooseEngine, formatDuration, plotLine, runJob } from '../jobs/run-job.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel } from './find-base.ts';
import { finetuneJob, frameOf, trainJob } from './make-jobs.ts';
import { storeResult, type ResultParts } from './store-result.ts';
import {
  datasetField,
  engineField,
  hyperparametersField,
  methodField,
  modelField,
  nameField,
  seedField,
  trainedSchema,
  type Trained,
} from './training-fields.ts';
import texts from '../tools.json' with { type: 'json' };

/** Nothing of the user's changes, and the same call gives the same result: it may be repeated after a crash. */
export const jobAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const threadsField = z
  .int()
  .min(1)
  .max(256)
  .optional()
  .describe('Threads; another number gives other last digits. One when not given.');

/** The tool `finetune`. */
export function finetuneTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.finetune,
    input: z.strictObject({
      base: modelField.optional(),
      dataset: datasetField.optional(),
      config: configField,
      method: methodField,
      name: nameField.optional(),
      hyperparameters: hyperparametersField,
      seed: seedField,
      threads: threadsField,
      engine: engineField,
    }),
    output: trainedSchema,
    annotations: jobAnnotations,
    run: async (request, context) => {
      const settled = await settleRequest(parts, { kind: 'finetune' }, request);
      const named = required(settled.base, 'base');
      const wanted = { ...settled, base: named, dataset: required(settled.dataset, 'dataset') };
      const { job, base, dataset } = await finetuneJob(parts, context, wanted);
      const parent = base.version ? `${base.version.name}@${base.version.version}` : named;
      const name = request.name ?? plainName(settled.name ?? `${plainName(named)}-finetuned`);
      const made = {
        name,
        origin: 'finetuned',
        parents: [parent],
        dataset,
        licences: base.licences,
      } as const;
      return runAndStore(
        parts,
        { job, made, wanted: request.engine, what: 'fine-tuning' },
        context,
      );
    },
    summarize: describeTrained,
  });
}

/** The tool `train`. */
export function trainTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.train,
    input: z.strictObject({
      dataset: datasetField.optional(),
      config: configField,
      algorithm: z
        .enum(['linear', 'boosted'])
        .default('linear')
        .describe('Linear or logistic regression, or boosted trees.'),
      objective: z
        .enum(['classification', 'regression'])
        .optional()
        .describe('Told from the label when not given.'),
      label: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('The column to predict, where it is not found by its name.'),
      text: z.string().max(500).optional().describe('A text column whose words are the features.'),
      name: nameField
        .optional()
        .describe('Name of the model in the store; "model" when not given.'),
      hyperparameters: hyperparametersField,
      seed: seedField,
      threads: threadsField,
      engine: engineField,
    }),
    output: trainedSchema,
    annotations: jobAnnotations,
    run: async (request, context) => {
      const { algorithm } = request;
      const settled = await settleRequest(parts, { kind: 'train', algorithm }, request);
      const wanted = { ...request, ...settled, dataset: required(settled.dataset, 'dataset') };
      const { job, dataset } = await trainJob(parts, context, wanted);
      const made = {
        name: request.name ?? plainName(settled.name ?? 'model'),
        origin: 'trained',
        parents: [],
        dataset,
        licences: [],
      } as const;
      return runAndStore(parts, { job, made, wanted: request.engine, what: 'training' }, context);
    },
    summarize: describeTrained,
  });
}

/** The tool `quantize`. */
export function quantizeTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.quantize,
    input: z.strictObject({
      model: modelField,
      quantization: z
        .enum(quantizations)
        .default('q8_0')
        .describe('f16, q8_0 (8 bits) or q4_0 (4 bits).'),
      name: nameField.optional(),
      engine: engineField,
    }),
    output: trainedSchema,
    annotations: jobAnnotations,
    run: async ({ model, quantization, name, engine: wanted }, context) => {
      const found = await findModel(parts, context.caller, model);
      const job: TrainingJob = {
        kind: 'quantize',
        model: found.files,
        quantization,
        ...frameOf(parts, { seed: 0 }),
      };
      const parent = found.version ? `${found.version.name}@${found.version.version}` : model;
      const made = {
        name: name ?? `${plainName(model)}-${quantization.replace('_', '.')}`,
        origin: 'quantized',
        parents: [parent],
        licences: found.licences,
      } as const;
      return runAndStore(parts, { job, made, wanted, what: 'quantizing' }, context);
    },
    summarize: describeTrained,
  });
}

/** The name of a model without folder and version, as a name in the store. */
function plainName(reference: string): string {
  const last = reference.replace(/^@/, '').split('@')[0]?.split('/').findLast(Boolean) ?? 'model';
  return (
    last
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[^a-z0-9]+/i, '')
      .slice(0, 60) || 'model'
  );
}

interface Running {
  readonly job: TrainingJob;
  readonly made: Omit<ResultParts, 'engine' | 'outcome'>;
  readonly wanted: string | undefined;
  readonly what: string;
}

async function runAndStore(
  parts: MlParts,
  { job, made, wanted, what }: Running,
  context: CallContext,
): Promise<Trained> {
  const engine = await chooseEngine(await parts.engines(), job, wanted);
  const outcome = await runJob(parts, { job, engine, what: `${what} ${made.name}` }, context);
  return storeResult(parts, { ...made, engine, outcome }, context);
}

function describeTrained(trained: Trained): string {
  const { version, metrics, losses, estimate } = trained;
  const bytes = version.files.reduce((sum, file) => sum + file.bytes, 0);
  const { card } = version;
  const wallMs = card.usage['wallMs'] ?? 0;
  const first = losses[0];
  const last = losses.at(-1);
  const lines = [
    `${trained.model} (${card.origin}, ${version.format}, ${(bytes / 1e6).toFixed(2)} MB) by ${card.engine.name} ${card.engine.version}`,
    trained.is_reused
      ? 'the same job was done before: its result is used again'
      : `took ${formatDuration(wallMs)}, estimated ${formatDuration(estimate.wall_ms)}; memory ${mb(card.usage['peakMemoryBytes'] ?? 0)}, estimated ${mb(estimate.memory_bytes)}`,
    trained.resumed > 0 ? `continued from a checkpoint ${trained.resumed} times` : '',
    ...trained.attempts,
    first && last
      ? `loss ${first.loss.toFixed(4)} → ${last.loss.toFixed(4)}  ${plotLine(losses.map(({ loss }) => loss))}`
      : '',
    Object.entries(metrics)
      .map(([name, { value }]) => `${name} ${showNumber(value)}`)
      .join(', '),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** Counts without decimals, large errors without those that say nothing. */
export function showNumber(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1000
    ? String(Math.round(value))
    : value.toFixed(4);
}

const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
