import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { findDataset, type StoredDataset } from '../dataset/dataset-store.ts';
import { isHubName } from '../dataset/fetch-from-hub.ts';
import { prepareUsual } from '../dataset/load-dataset-tool.ts';
import { UnusableModelError } from '../errors.ts';
import { chooseEngine } from '../jobs/choose-engine.ts';
import { formatDuration } from '../jobs/report-progress.ts';
import type { MlParts } from '../ml-ports.ts';
import { estimateByName } from './estimate-by-name.ts';
import { findModel } from './find-base.ts';
import { finetuneJob } from './make-jobs.ts';
import { estimateOf } from './store-result.ts';
import {
  engineField,
  estimateSchema,
  hyperparametersField,
  modelField,
  seedField,
} from './training-fields.ts';

const input = z.strictObject({
  base: modelField,
  dataset: z.string().min(1).max(4096).describe('A dataset: id, file or name.'),
  method: z
    .enum(['lora', 'full'])
    .default('lora')
    .describe('LoRA trains a small part of the weights.'),
  hyperparameters: hyperparametersField,
  seed: seedField,
  engine: engineField,
});

/** The tool `estimate`: what a fine-tuning would take, before anything is done. */
export function estimateTool(parts: MlParts): DefinedTool {
  return defineTool({
    name: 'estimate',
    title: 'Estimate a fine-tuning',
    description:
      'Says what a fine-tuning would take in time, memory and disk, with the arithmetic, and whether it is possible on this machine. Runs nothing. A model that is not here is estimated from its name.',
    input,
    output: estimateSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: ['how long would fine-tuning take?', 'can I fine-tune Llama-2-7b here?'],
    run: async (request, context) => {
      const { base, method } = request;
      const dataset = await datasetFor(parts, request, context);
      try {
        if (dataset) {
          const wanted = { ...request, dataset: dataset.id };
          const { job } = await finetuneJob(parts, context, wanted);
          const engine = await chooseEngine(await parts.engines(), job, request.engine);
          return estimateOf(await engine.plan(job));
        }
      } catch (error) {
        if (!(error instanceof UnusableModelError)) throw error;
      }
      const chars = dataset?.card.splits.train?.bytes;
      const epochs = Number(request.hyperparameters['num_train_epochs'] ?? 1);
      const { threads } = parts.limits;
      const estimate = estimateByName({
        base,
        method,
        chars,
        epochs,
        threads,
        dataset: request.dataset,
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
        arithmetic: [...estimate.arithmetic],
        refusals: [...estimate.refusals],
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
  { dataset }: { readonly dataset: string },
  context: CallContext,
): Promise<StoredDataset | undefined> {
  if (/^sha256:[0-9a-f]{64}$/.test(dataset)) return findDataset(parts, context.caller, dataset);
  const local = { ...parts, fetchDocument: undefined };
  try {
    return (await prepareUsual(local, { source: dataset }, context)).stored;
  } catch (error) {
    if (parts.fetchDocument && isHubName(dataset) && !/\.\w{2,7}$/.test(dataset)) return undefined;
    throw error;
  }
}
