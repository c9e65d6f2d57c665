import { totalmem } from 'node:os';
import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { type DefinedTool, defineTool } from '../../define-tool.ts';
import { configField, required, settleRequest } from '../config/apply-config.ts';
import { findDataset, type StoredDataset } from '../dataset/dataset-store.ts';
import { isHubName } from '../dataset/fetch-from-hub.ts';
import { prepareUsual } from '../dataset/load-dataset-tool.ts';
import { UnusableModelError } from '../errors.ts';
import { chooseEngine, formatDuration } from '../jobs/run-job.ts';
import type { MlParts } from '../ml-ports.ts';
import { findModel } from './find-base.ts';
import { finetuneJob, isDatasetId } from './make-jobs.ts';
import sizes from './model-sizes.json' with { type: 'json' };
import { estimateOf } from './store-result.ts';
import {
  engineField,
  estimateSchema,
  hyperparametersField,
  methodField,
  modelField,
  seedField,
} from './training-fields.ts';
import texts from '../tools.json' with { type: 'json' };

const input = z.strictObject({
  base: modelField.optional(),
  dataset: z.string().min(1).max(4096).optional().describe('A dataset: id, file or name.'),
  config: configField,
  method: methodField,
  hyperparameters: hyperparametersField,
  seed: seedField,
  engine: engineField,
});

/** The tool `estimate`: what a fine-tuning would take, before anything is done. */
export function estimateTool(parts: MlParts): DefinedTool {
  return defineTool({
    ...texts.estimate,
    input,
    output: estimateSchema,
    run: async (request, context) => {
      const settled = await settleRequest(parts, { kind: 'finetune' }, request);
      const { method, testShare } = settled;
      const base = required(settled.base, 'base');
      const source = required(settled.dataset, 'dataset');
      const dataset = await datasetFor(parts, { source, testShare }, context);
      try {
        if (dataset) {
          const wanted = { ...settled, base, dataset: dataset.id };
          const { job } = await finetuneJob(parts, context, wanted);
          const engine = await chooseEngine(await parts.engines(), job, request.engine);
          return estimateOf(await engine.plan(job));
        }
      } catch (error) {
        if (!(error instanceof UnusableModelError)) throw error;
      }
      const chars = dataset?.card.splits.train?.bytes;
      const epochs = Number(settled.hyperparameters['num_train_epochs'] ?? 1);
      const { threads } = parts.limits;
      const estimate = estimateByName({
        base,
        method,
        chars,
        epochs,
        threads,
        dataset: source,
      });
      // Says what is near to the name, and where models are looked for.
      if (!estimate) await findModel(parts, context.caller, base);
      if (!estimate) throw new UnusableModelError(base, 'its size is not known');
      return {
        engine: 'none',
        steps: 0,
        parameters: estimate.parameters,
        trainable_parameters: 0,
        wall_ms: estimate.wallMs,
        memory_bytes: estimate.memoryBytes,
        disk_bytes: estimate.diskBytes,
        arithmetic: estimate.arithmetic,
        refusals: estimate.refusals,
      };
    },
    summarize: (estimate) =>
      [
        `about ${formatDuration(estimate.wall_ms)}, ${Math.round(estimate.memory_bytes / 1e6)} MB of memory, ${Math.round(estimate.disk_bytes / 1e6)} MB of disk`,
        ...estimate.arithmetic,
        ...estimate.refusals.map((reason) => `not possible here: ${reason}`),
      ].join('\n'),
  });
}

/** Undefined for one of the hub, which is not fetched for an estimate. */
async function datasetFor(
  parts: MlParts,
  { source, testShare }: { readonly source: string; readonly testShare: number | undefined },
  context: CallContext,
): Promise<StoredDataset | undefined> {
  if (isDatasetId(source)) return findDataset(parts, context.caller, source);
  const local = { ...parts, fetchDocument: undefined };
  try {
    return (await prepareUsual(local, { source, test_share: testShare }, context)).stored;
  } catch (error) {
    if (parts.fetchDocument && isHubName(source) && !/\.\w{2,7}$/.test(source)) return undefined;
    throw error;
  }
}

/** What a core does in training, generously: measured with OpenBLAS; WebAssembly reaches a third. */
const flopsPerSecond = 50e9;
/** Forward and backward: two and four operations a weight and token; LoRA computes no gradients of the base. */
const flopsPerWeight = { full: 6, lora: 4 } as const;
const bytesPerWeight = 4;
/** Weights, gradients and two moments. */
const fullCopies = 4;
const loraShare = 0.01;
const charsPerToken = 4;
/** A job that takes longer is refused. */
const maxDays = 7;
const dayMs = 86_400_000;
const tokensKnown = new Map([['squad', 17_500_000]]);

interface NamedEstimate {
  readonly parameters: number;
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly arithmetic: readonly string[];
  readonly refusals: readonly string[];
}

/** Parameters of a model by its name: a known one, or one whose name says its size ("…-7b", "…-125m"). */
function parametersByName(name: string): number | undefined {
  const plain = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const known = sizes.find(({ pattern }) => new RegExp(pattern).test(plain));
  if (known) return known.parameters;
  const [, count, unit] = /(?:^|[-/])(\d+(?:\.\d+)?)(b|m)(?:$|[-.])/.exec(plain) ?? [];
  return count === undefined ? undefined : Number(count) * (unit === 'b' ? 1e9 : 1e6);
}

interface NamedJob {
  readonly base: string;
  readonly dataset: string;
  readonly method: 'full' | 'lora';
  /** Characters of the training split, where the dataset is here. */
  readonly chars?: number | undefined;
  readonly epochs: number;
  readonly threads: number;
}

const giga = (value: number): string => (value / 1e9).toFixed(1);

/** What a training would take, from the name of a model that is not here. Undefined where the name says no size. */
function estimateByName(job: NamedJob, memory = totalmem()): NamedEstimate | undefined {
  const parameters = parametersByName(job.base);
  if (parameters === undefined) return undefined;
  const tokens =
    (job.chars === undefined
      ? tokensKnown.get(job.dataset.toLowerCase())
      : job.chars / charsPerToken) ?? 1e6;
  const perWeight = flopsPerWeight[job.method];
  const flops = perWeight * parameters * tokens * job.epochs;
  const speed = flopsPerSecond * job.threads;
  const wallMs = (flops / speed) * 1_000;
  const copies = job.method === 'full' ? fullCopies : 1 + loraShare * (fullCopies - 1);
  const memoryBytes = parameters * bytesPerWeight * copies;
  const diskBytes = parameters * bytesPerWeight * 2;
  const days = wallMs / dayMs;
  const time = `${perWeight} × ${giga(parameters)}e9 weights × ${(tokens / 1e6).toFixed(1)}e6 tokens × ${job.epochs} = ${flops.toExponential(1)} operations; at ${speed / 1e9}e9 a second (${job.threads} cores) ${days.toFixed(1)} days`;
  const space = `${giga(parameters)}e9 weights × ${bytesPerWeight} bytes × ${copies.toFixed(2)} = ${giga(memoryBytes)} GB; this machine has ${giga(memory)} GB`;
  return {
    parameters,
    wallMs,
    memoryBytes,
    diskBytes,
    arithmetic: [`time: ${time}`, `memory: ${space}`],
    refusals: [
      ...(memoryBytes > memory ? [`it does not fit into memory: ${space}`] : []),
      ...(days > maxDays ? [`it would take ${days.toFixed(0)} days: ${time}`] : []),
    ],
  };
}
