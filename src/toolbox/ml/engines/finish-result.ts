import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ModelFile,
  ModelFiles,
  TrainingJob,
  TrainingResult,
} from '../../../contract/ml/index.ts';
import { hashFile } from '../checkpoints/index.ts';
import type { TrainerResult } from './run-trainer.ts';

/** Files of a base model that belong to every model made from it. */
const inherited =
  /^(?:config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens)\.json$/;
/** Reports beside a model. */
const reports = new Set(['losses.json', 'metrics.json']);

/** The result as the contract has it: a model is complete, with the tokenizer and configuration of its base. */
export async function finishResult(
  job: TrainingJob,
  ended: TrainerResult,
  run: { readonly engine: string; readonly version: string; readonly folder: string },
): Promise<TrainingResult> {
  const { status, metrics, usage, result } = ended;
  const { engine, version } = run;
  const frame = { status, metrics, usage, engine, version };
  if (!result) return frame;
  if (job.kind === 'predict') {
    const file = result.files.find(({ name }) => name === 'predictions.jsonl');
    return {
      ...frame,
      ...(file && {
        predictions: {
          path: join(result.folder, file.name),
          sha256: file.sha256,
          bytes: file.bytes,
        },
      }),
    };
  }
  if (job.kind === 'evaluate') return frame;
  const files = result.files.filter(({ name }) => !reports.has(name));
  const base = job.kind === 'finetune' ? job.base : job.kind === 'quantize' ? job.model : undefined;
  const copied = base ? await inherit(base, result.folder) : [];
  const format = job.kind === 'train' ? 'tabular' : job.kind === 'quantize' ? 'gguf' : 'llama';
  return { ...frame, model: { format, folder: result.folder, files: [...files, ...copied] } };
}

async function inherit(base: ModelFiles, folder: string): Promise<ModelFile[]> {
  const copied: ModelFile[] = [];
  for (const { name } of base.files.filter((file) => inherited.test(file.name))) {
    const path = join(folder, name);
    await copyFile(join(base.folder, name), path);
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    copied.push({ name, ...(await hashFile(path)) });
  }
  return copied;
}
