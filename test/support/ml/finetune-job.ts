import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FinetuneJob, TrainingEvent, TrainingWatch } from '../../../src/contract/ml/index.ts';
import {
  makeTinyLlama,
  type TinySizes,
  tinySizes,
  writeRows,
} from '../../../testkit/ml/tiny-llama.ts';

/** A small fine-tuning on lines of our own README, other lines held out. */
export function aFinetuneJob(
  folder: string,
  changes: Partial<Omit<FinetuneJob, 'kind'>> = {},
  sizes: TinySizes = tinySizes,
): FinetuneJob {
  const base = makeTinyLlama(join(folder, 'base'), 1, sizes);
  const rows = readFileSync('README.md', 'utf8')
    .split('\n')
    .filter((line) => line.length > 30)
    .map((text) => ({ text }));
  const train = writeRows(join(folder, 'train.jsonl'), rows.slice(12));
  const test = writeRows(join(folder, 'test.jsonl'), rows.slice(0, 12));
  return {
    kind: 'finetune',
    method: 'lora',
    base,
    data: { train, test },
    columns: { text: 'text' },
    seed: 1,
    threads: 1,
    limits: { wallMs: 600_000, memoryBytes: 2e9, diskBytes: 1e9 },
    ...changes,
    hyperparameters: {
      max_steps: 12,
      max_seq_length: 32,
      per_device_train_batch_size: 4,
      save_steps: 3,
      logging_steps: 3,
      learning_rate: 0.005,
      ...changes.hyperparameters,
    },
  };
}

/** Keeps events; aborts when `until` says so. */
export function watchIn(
  folder: string,
  until: (event: TrainingEvent) => boolean = () => false,
): TrainingWatch & { readonly events: TrainingEvent[] } {
  const ending = new AbortController();
  const events: TrainingEvent[] = [];
  const onEvent = (event: TrainingEvent): void => {
    events.push(event);
    if (until(event)) ending.abort();
  };
  return { folder, signal: ending.signal, onEvent, events };
}
