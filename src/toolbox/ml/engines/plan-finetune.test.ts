import { describe, expect, it } from 'vitest';
import { type FinetuneJob, settleHyperparameters } from '../../../contract/ml/index.ts';
import { shapeOf } from './model-shape.ts';
import { planFinetune } from './plan-finetune.ts';

const llama7b = {
  hidden_size: 4096,
  intermediate_size: 11_008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  vocab_size: 32_000,
};
const speed = {
  engine: 'embedded',
  flopsPerSecond: 12e9,
  baseBytes: 1e8,
  weightCopies: 3,
  addressableBytes: 4e9,
  outputBytes: 64e6,
};

function aJob(bytes: number, changes: Partial<FinetuneJob> = {}): FinetuneJob {
  const file = { path: '/data', sha256: '', bytes };
  return {
    kind: 'finetune',
    method: 'lora',
    base: { format: 'llama', folder: '/base', files: [] },
    data: { train: file },
    columns: { text: 'text' },
    seed: 1,
    threads: 1,
    limits: { wallMs: 3_600_000, memoryBytes: 8e9, diskBytes: 1e10 },
    ...changes,
    hyperparameters: settleHyperparameters({ kind: 'finetune' }, changes.hyperparameters ?? {})
      .values,
  };
}

describe('the plan of a fine-tuning', () => {
  it('counts the parameters of Llama 2 7B and refuses it on a laptop with the arithmetic', () => {
    const shape = shapeOf(llama7b);
    if (!shape) throw new Error('no shape');
    const plan = planFinetune(aJob(70e6), shape, speed);
    expect(plan.parameters).toBe(6_738_415_616);
    expect(plan.trainableParameters).toBe(19_988_480);
    expect(plan.refusals).toEqual([
      expect.stringMatching(
        /^it needs 9\d\.\d GB of memory and may use 8\.0 GB: 6,738,415,616 parameters × 4 bytes × 3/,
      ),
      expect.stringMatching(/^the engine "embedded" can address 4\.0 GB/),
      expect.stringMatching(/^it needs 2\d\.\d GB of disk and may use 10\.0 GB/),
      expect.stringMatching(
        /^it would take about \d+ days and may take 60 min: [\d,]+ steps × 1,024 tokens/,
      ),
      expect.stringMatching(/^one checkpoint or result has 27\.0 GB/),
    ]);
  });

  it('takes a longer time for more data and no more memory', () => {
    const shape = shapeOf({
      ...llama7b,
      hidden_size: 64,
      intermediate_size: 176,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      vocab_size: 288,
    });
    if (!shape) throw new Error('no shape');
    const [small, large] = [
      planFinetune(aJob(1e5), shape, speed),
      planFinetune(aJob(1e7), shape, speed),
    ];
    expect(small.refusals).toEqual([]);
    expect(large.wallMs.value).toBeGreaterThan(50 * small.wallMs.value);
    expect(large.memoryBytes.value).toBe(small.memoryBytes.value);
  });

  it.each([{}, { hidden_size: 0 }, { hidden_size: '64' }])('has no shape for %j', (config) => {
    expect(shapeOf(config)).toBeNull();
  });
});
