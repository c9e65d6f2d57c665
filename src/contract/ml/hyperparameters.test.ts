import { describe, expect, it } from 'vitest';
import { hyperparametersFor, settleHyperparameters } from './index.ts';

describe('hyperparameters', () => {
  it('fill in what a job leaves open', () => {
    const { values, problems } = settleHyperparameters({ kind: 'finetune' }, { lora_r: 4 });
    expect(problems).toEqual([]);
    expect(values).toMatchObject({ lora_r: 4, lora_alpha: 16, lr_scheduler_type: 'cosine' });
  });

  it.each([
    ['an unknown key', { lora_rank: 4 }, /"lora_rank" is not a hyperparameter of finetune/],
    [
      'a text for a number',
      { max_steps: '200' },
      /max_steps is "200", and it must be a whole number/,
    ],
    ['a number out of bounds', { max_seq_length: 4 }, /must be a whole number from 8 to 8192/],
    ['an infinite rate', { learning_rate: Infinity }, /must be a number, 0 or more/],
    ['an unknown schedule', { lr_scheduler_type: 'step' }, /one of cosine, linear, constant/],
    ['an empty list', { lora_target_modules: [] }, /a list of names/],
  ])('name %s', (_what, given, problem) => {
    expect(settleHyperparameters({ kind: 'finetune' }, given).problems).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('differ between algorithms', () => {
    expect(hyperparametersFor({ kind: 'train', algorithm: 'boosted' })).toHaveProperty('max_depth');
    expect(hyperparametersFor({ kind: 'train', algorithm: 'linear' })).not.toHaveProperty(
      'max_depth',
    );
  });
});
