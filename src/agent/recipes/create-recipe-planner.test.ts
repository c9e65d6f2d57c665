import { describe, expect, it, vi } from 'vitest';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { recipes } from '../../toolbox/recipes/index.ts';
import type { Planner, PlanningRequest } from '../planner/index.ts';
import { createRecipePlanner, type LookAhead } from './create-recipe-planner.ts';

const tools = [
  'train',
  'predict',
  'list_models',
  'load_dataset',
  'estimate',
  'create_env',
  'finetune',
  'quantize',
  'evaluate',
  'compare_models',
];
const passedOn = { kind: 'refusal', reason: 'not a recipe' } as const;
const planner: Planner = { plan: async () => passedOn };
const possible = { engine: 'embedded', refusals: [], arithmetic: ['time: 3 s'] };

function plan(
  message: string,
  content: Readonly<Record<string, unknown>> = possible,
  files: readonly string[] = [],
) {
  const seen: object[] = [];
  const lookAhead: LookAhead = async (_tool, args) => {
    seen.push(args);
    const code = content['code'];
    if (typeof code === 'string') return { kind: 'error', code, message: 'It is missing.' };
    return { kind: 'result', content };
  };
  const request = {
    message,
    tools: tools.map((tool) => ({ name: `ml.${tool}` }) as CatalogueEntry),
    files: { list: async () => files },
    signal: new AbortController().signal,
  } as unknown as PlanningRequest;
  const answer = createRecipePlanner(planner, recipes, lookAhead).plan(request);
  return { answer, seen };
}

describe('a request for a fine-tuning', () => {
  it.each([
    [
      'Finetune small-one on @texts/notes.jsonl for 120 steps with LoRA r=4 and quantize it to 4 bit',
      { base: 'small-one', dataset: 'texts/notes.jsonl' },
      { max_steps: 120, lora_r: 4 },
      'q4_0',
    ],
    [
      'please fine-tune models/tiny with faq.csv, 3 epochs, lr 2e-4, batch size 2',
      { base: 'models/tiny', dataset: 'faq.csv' },
      { num_train_epochs: 3, learning_rate: 0.0002, per_device_train_batch_size: 2 },
      undefined,
    ],
    [
      'i want to fine tune my base model writer on the data in letters.txt and get a gguf with 8 bits',
      { base: 'writer', dataset: 'letters.txt' },
      {},
      'q8_0',
    ],
    [
      'finetune my-base on faq.csv for 20 steps',
      { base: 'my-base', dataset: 'faq.csv' },
      { max_steps: 20 },
      undefined,
    ],
    ['fine tune ./base w/ notes.txt', { base: './base', dataset: 'notes.txt' }, {}, undefined],
    [
      'Finetuning mistral-tiny using org/some-set',
      { base: 'mistral-tiny', dataset: 'org/some-set' },
      {},
      undefined,
    ],
    [
      'full fine-tuning of tiny on qa.parquet, rank 2',
      { base: 'tiny', dataset: 'qa.parquet', method: 'full' },
      { lora_r: 2 },
      undefined,
    ],
  ])('%s', async (message, values, hyperparameters, quantization) => {
    const { answer, seen } = plan(message);
    const found = await answer;
    if (found.kind !== 'plan') throw new Error(JSON.stringify(found));
    const steps = Object.fromEntries(
      found.candidates[0]?.plan.steps.map((step) => [step.id, step]) ?? [],
    );
    expect(seen).toMatchObject([values]);
    expect(steps['tuned']).toMatchObject({ args: { base: values.base, hyperparameters } });
    expect(steps['data']).toMatchObject({ args: { source: values.dataset } });
    expect(steps['small']).toEqual(
      quantization && expect.objectContaining({ args: { model: '${tuned.model}', quantization } }),
    );
    expect(found.candidates[0]?.why).toContain('time: 3 s');
  });

  describe('with a configuration', () => {
    const files = ['config/axolotl.yaml', 'tiny/config.json', 'faq.csv'];
    const frame = { base: 'tiny', dataset: 'faq.csv', method: 'full', seed: 3 };
    const read = { ...possible, frame };

    it.each([
      ['finetune with axolotl.yaml', 'config/axolotl.yaml', 'tiny', 'faq.csv'],
      [
        'please fine-tune using @config/axolotl.yaml for 20 steps',
        'config/axolotl.yaml',
        'tiny',
        'faq.csv',
      ],
      [
        'Fine-tune small-one with the config axolotl.yaml',
        'config/axolotl.yaml',
        'small-one',
        'faq.csv',
      ],
      [
        'fine tune small-one on own.jsonl as in axolotl.yml',
        'axolotl.yml',
        'small-one',
        'own.jsonl',
      ],
      ['fine-tune it with train_config.json', 'train_config.json', 'tiny', 'faq.csv'],
    ])('%s', async (message, config, base, dataset) => {
      const { answer, seen } = plan(message, read, files);
      const found = await answer;
      if (found.kind !== 'plan') throw new Error(JSON.stringify(found));
      const steps = Object.fromEntries(
        found.candidates[0]?.plan.steps.map((step) => [step.id, step]) ?? [],
      );
      expect(seen).toMatchObject([{ path: config }, { base, dataset, config }]);
      expect(steps['data']).toMatchObject({ args: { source: dataset } });
      expect(steps['tuned']).toMatchObject({ args: { base, config } });
      // The method of the file counts: the recipe's own default must not win over it.
      expect(steps['tuned']?.args).not.toHaveProperty('method');
    });

    it('that lacks the base asks for it, and one that cannot be read is refused', async () => {
      const half = { ...possible, frame: { dataset: 'faq.csv' } };
      expect(await plan('finetune with axolotl.yaml', half, files).answer).toMatchObject({
        questions: [expect.stringMatching(/Which model/)],
      });
      expect(
        await plan('finetune the model with axolotl.yaml', { code: 'ml.bad_config' }, files).answer,
      ).toMatchObject({ kind: 'refusal', reason: 'It is missing.' });
    });
  });

  it('finds a file and a model folder by their names', async () => {
    const files = ['data/faq.csv', 'models/tiny/config.json', 'a/twice.csv', 'b/twice.csv'];
    const found = await plan('fine-tune tiny on faq.csv', possible, files).answer;
    expect(found).toMatchObject({
      candidates: [
        {
          plan: {
            steps: [
              { args: { source: 'data/faq.csv' } },
              { args: { base: 'models/tiny' } },
              {},
              {},
              {},
              {},
            ],
          },
        },
      ],
    });
    const { seen } = plan('fine-tune tiny on twice.csv', possible, files);
    await vi.waitFor(() => expect(seen).toMatchObject([{ dataset: 'twice.csv' }]));
  });

  it('is asked about where the model, the data, or both are not named or not there', async () => {
    expect(await plan('fine-tune my model').answer).toMatchObject({
      questions: [expect.stringMatching(/Which model/), expect.stringMatching(/On which data/)],
    });
    expect(await plan('fine-tune tiny').answer).toMatchObject({
      kind: 'question',
      questions: [/On which data/].map((one) => expect.stringMatching(one)),
    });
    expect(
      await plan('fine-tune tiny on a.csv', { code: 'ml.unusable_model' }).answer,
    ).toMatchObject({ questions: [expect.stringMatching(/It is missing\.\nWhich model/)] });
    expect(
      await plan('fine-tune big-1b on a.csv', { ...possible, engine: 'none' }).answer,
    ).toMatchObject({ questions: [expect.stringContaining('"big-1b" is not on this machine')] });
  });

  it('is refused with the arithmetic where it is impossible', async () => {
    const refused = await plan('Finetune huge-70b on faq', {
      ...possible,
      refusals: ['280 GB of 8 GB'],
    }).answer;
    expect(refused).toMatchObject({
      kind: 'refusal',
      isFinal: true,
      reason: expect.stringContaining('ml.finetune → ml.evaluate'),
    });
    expect(refused).toMatchObject({ reason: expect.stringContaining('280 GB of 8 GB') });
  });
});

describe('a request about a model of a table', () => {
  it.each([
    [
      'train a classifier on shop/orders.csv',
      { source: 'shop/orders.csv', columns: {} },
      { objective: 'classification' },
    ],
    [
      'pls train sth on flats.csv to predict the rent',
      { source: 'flats.csv', columns: { label: 'rent' } },
      {},
    ],
    [
      'fit a boosted regression model that predicts "total cost" from a.parquet, call it costs',
      { source: 'a.parquet', columns: { label: 'total cost' } },
      { algorithm: 'boosted', objective: 'regression', name: 'costs' },
    ],
    ['train a model on flats.csv\nrent', { source: 'flats.csv', columns: { label: 'rent' } }, {}],
  ])('%s', async (message, source, training) => {
    const { answer, seen } = plan(message, {});
    expect(await answer).toMatchObject({
      candidates: [
        { plan: { steps: [{ args: source }, { args: training }, { tool: 'ml.evaluate' }] } },
      ],
    });
    expect(seen).toEqual([source]);
  });

  it.each([
    ['how good is the model flats@2?', 'ml.evaluate', { model: 'flats@2' }],
    [
      'evaluate my model flats on held-out.csv',
      'ml.evaluate',
      { model: 'flats', dataset: 'held-out.csv' },
    ],
    [
      'apply the trained model flats to new.csv',
      'ml.predict',
      { model: 'flats', dataset: 'new.csv' },
    ],
    ['what models did we train so far', 'ml.list_models', {}],
    ['which models have I trained', 'ml.list_models', {}],
  ])('%s', async (message, tool, args) => {
    expect(await plan(message).answer).toMatchObject({
      candidates: [{ plan: { steps: [{ tool, args }] } }],
    });
  });

  it('is asked for the model, the data or the column that is not named', async () => {
    const questions = async (message: string, content = {}) => {
      const found = await plan(message, content).answer;
      return found.kind === 'question' ? found.questions.join() : found.kind;
    };
    expect(await questions('how good is the model')).toContain('Which model?');
    expect(await questions('is our model any good?')).toContain('Which model?');
    expect(await questions('use the model on new.csv')).toContain('Which model?');
    expect(await questions('train a classifier')).toContain('On which data');
    expect(await questions('train a model on a.csv', { code: 'ml.bad_dataset' })).toContain(
      'which column',
    );
  });
});

describe('other requests', () => {
  it.each([
    'how long would fine-tuning tiny on faq.csv take?',
    'can I fine-tune tiny on faq.csv with 8 GB?',
    'estimate the memory for fine-tuning tiny on faq.csv',
    'review src/train.py',
    'write a function that plots training loss',
    'write a script that trains a model on a.csv',
    'use the model gpt-4 to explain a.py',
    'how do I train my cat to sit',
    'train new staff on safety with a quiz',
    'from which rows was this model trained?',
    'format @finetune.py',
    'what does the fine print say?',
    'this explanation was fine, tune the parser next',
  ])('go to the planner: %s', async (message) => {
    expect(await plan(message).answer).toEqual(passedOn);
  });
});
