import { describe, expect, it } from 'vitest';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';

const axolotl = `
base_model: tiny-llama
datasets: [{ path: data/qa.jsonl, type: alpaca }]
adapter: lora
lora_r: 4
micro_batch_size: 2
sequence_len: 64
gradient_accumulation_steps: 4
output_dir: ./out
load_in_4bit: false`;

describe('load_config', () => {
  it.each([
    ['Axolotl', axolotl, { per_device_train_batch_size: 2, max_seq_length: 64, lora_r: 4 }],
    [
      'LLaMA-Factory',
      'model_name_or_path: tiny\nfinetuning_type: lora\ncutoff_len: 32\nlora_rank: 2\nnum_train_epochs: 3',
      { max_seq_length: 32, lora_r: 2, num_train_epochs: 3 },
    ],
    [
      'Hugging Face as JSON',
      '{"learning_rate": 0.0002, "per_device_train_batch_size": 1, "max_steps": 5, "lr_scheduler_type": "linear"}',
      { learning_rate: 0.0002, max_steps: 5, lr_scheduler_type: 'linear' },
    ],
  ])('understands the keys of %s and shows every default', async (_tool, text, values) => {
    const { call } = anMlServer();
    const loaded = await call('load_config', { text });
    expect(loaded).toMatchObject({ hyperparameters: { ...values, adam_beta1: 0.9 } });
    expect(loaded['defaults']).toContain('adam_beta1');
  });

  it.each([
    [
      'an unknown key',
      'learning_rte: 1',
      /\\?"learning_rte\\?" is not a key of a configuration; did you mean \\?"learning_rate\\?"/,
    ],
    [
      'a value out of bounds',
      'max_steps: -3',
      /max_steps is -3, and it must be a whole number from 0/,
    ],
    [
      'a value of another type',
      'lora_r: many',
      /lora_r is .*many.*, and it must be a whole number/,
    ],
    ['an impossible limit', 'max_seq_length: 9999999', /max_seq_length is 9999999/],
    ['the same key twice', 'batch_size: 1\nmicro_batch_size: 2', /are the same key/],
    ['4-bit training', 'load_in_4bit: true', /load_in_4bit\\?" is not possible/],
    ['bf16', 'bf16: true', /bf16\\?" is not possible/],
    ['broken YAML', 'a: [1', /neither YAML nor JSON/],
    ['a list', '- 1', /must be a table/],
  ])('refuses %s by name', async (_what, text, says) => {
    const { call } = anMlServer();
    const result = await call('load_config', { text });
    expect(result).toMatchObject({ error: { code: 'ml.bad_config' } });
    expect(JSON.stringify(result)).toMatch(says);
  });
});
