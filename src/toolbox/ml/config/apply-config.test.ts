import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anEngine } from '../../../../testkit/ml/an-engine.ts';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';
import { makeTinyLlama } from '../../../../testkit/ml/tiny-llama.ts';

const rows = Array.from({ length: 20 }, (_, at) => ({ text: `this is line number ${at}` }));
const labelled = rows.map((row, at) => ({ ...row, label: at % 2 === 0 ? 'even' : 'odd' }));
const lines = (all: readonly object[]): string => all.map((row) => JSON.stringify(row)).join('\n');
const axolotl = `
base_model: tiny
datasets: [{ path: data/lines.jsonl, type: completion }]
adapter: lora
lora_r: 4
micro_batch_size: 2
max_steps: 30
seed: 7
val_set_size: 0.5
hub_model_id: ann/lines
`;

function aProject() {
  const { engine, runs } = anEngine();
  const ml = anMlServer({ engines: async () => [engine] });
  makeTinyLlama(join(ml.project, 'models', 'tiny'));
  ml.write('data/lines.jsonl', lines(rows));
  ml.write('data/labelled.jsonl', lines(labelled));
  ml.write('axolotl.yaml', axolotl);
  return { ...ml, runs };
}

describe('a configuration', () => {
  it('is all that a fine-tuning needs: base, dataset, method, seed, name and hyperparameters', async () => {
    const { call, runs } = aProject();
    expect(await call('finetune', { config: 'axolotl.yaml' })).toMatchObject({
      model: 'lines@1',
      version: { card: { dataset: { rows: 20 } } },
    });
    expect(runs).toMatchObject([
      {
        kind: 'finetune',
        method: 'lora',
        seed: 7,
        hyperparameters: { max_steps: 30, per_device_train_batch_size: 2, lora_r: 4 },
      },
    ]);
  });

  it('may be what load_config gave', async () => {
    const { call, runs } = aProject();
    const config = await call('load_config', { path: 'axolotl.yaml' });
    await call('finetune', { config });
    await call('finetune', { config: 'axolotl.yaml', name: 'again' });
    expect(runs).toHaveLength(1);
  });

  it('gives way to arguments, under whichever name', async () => {
    const { call, runs } = aProject();
    await call('finetune', {
      config: 'axolotl.yaml',
      method: 'full',
      seed: 1,
      name: 'own',
      hyperparameters: { batch_size: 8, epochs: 3 },
    });
    expect(runs).toMatchObject([
      {
        method: 'full',
        seed: 1,
        // Epochs that were asked for are not overruled by the steps of the file.
        hyperparameters: { max_steps: 0, num_train_epochs: 3, per_device_train_batch_size: 8 },
      },
    ]);
  });

  it('serves train as well', async () => {
    const { call, runs } = aProject();
    const given = { frame: { dataset: 'data/labelled.jsonl', seed: 3 }, hyperparameters: {} };
    expect(await call('train', { config: given, label: 'label' })).toMatchObject({
      model: 'model@1',
    });
    expect(runs).toMatchObject([{ kind: 'train', seed: 3 }]);
  });

  it.each([
    ['no file', { config: 'none.yaml' }, /none\.yaml/],
    ['a file without a dataset', { config: 'base.yaml' }, /dataset is neither an argument nor/],
    ['nothing at all', {}, /base is neither an argument nor in the configuration/],
    ['a method that is not possible', { config: 'qlora.yaml' }, /qlora.*4-bit/],
    ['a seed that is none', { config: 'seed.yaml' }, /seed/],
    ['a file outside of the project', { config: '../../etc/passwd' }, /passwd/],
  ])('is refused with %s', async (_what, args, says) => {
    const { call, write, runs } = aProject();
    write('base.yaml', 'base_model: tiny');
    write('qlora.yaml', axolotl.replace('adapter: lora', 'adapter: qlora'));
    write('seed.yaml', axolotl.replace('seed: 7', 'seed: -1'));
    const result = await call('finetune', args);
    expect(result).toMatchObject({ error: { code: 'ml.bad_config' } });
    expect(JSON.stringify(result)).toMatch(says);
    expect(runs).toEqual([]);
  });
});
