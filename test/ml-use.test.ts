import { afterAll, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../src/toolbox/ml/engines/index.ts';
import { anMlServer } from '../testkit/ml/an-ml-server.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { openEngines } from './support/ml/open-engines.ts';

/** Flats with a category, missing values and a boolean; their price follows from them. */
const flats = Array.from({ length: 90 }, (_, at) => {
  const [size, area] = [30 + ((at * 37) % 90), ['north', 'south', 'west'][at % 3] ?? ''];
  const price = size * 1000 + (area === 'south' ? 20_000 : 0) + (at % 2) * 5000 + (at % 7);
  return {
    area: at % 11 === 0 ? '' : area,
    size: at % 13 === 0 ? 'NA' : size,
    new: at % 2 === 1,
    price,
  };
});
const csv = (rows: readonly object[]): string =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))].join('\n');

describe.skipIf(bubblewrapMissing)(`a model of a table${whyNoBubblewrap}`, () => {
  const opened = openEngines();
  const engine = createEmbeddedEngine(opened.context);
  const openProject = () => {
    const ml = anMlServer({
      engines: async () => [engine],
      limits: { wallMs: 60_000, memoryBytes: 2e9, diskBytes: 1e8, threads: 1 },
    });
    ml.write('flats.csv', csv(flats));
    ml.write('new.csv', csv(flats.slice(0, 4).map(({ price: _price, ...row }) => row)));
    ml.write(
      'mails.jsonl',
      ['pay now and win', 'see you at lunch']
        .flatMap((text, label) =>
          Array.from({ length: 30 }, (_, at) =>
            JSON.stringify({
              text: `${text} again, said number ${at}`,
              label: label === 0 ? 'spam' : 'fine',
            }),
          ),
        )
        .join('\n'),
    );
    return ml;
  };
  afterAll(() => opened.close());

  it('that predicts a number is trained from a file, scored by its error and used on rows without it', async () => {
    const ml = openProject();
    const trained = await ml.call('train', { dataset: 'flats.csv', label: 'price', name: 'flats' });
    expect(trained).toMatchObject({ model: 'flats@1' });
    for (const given of [{}, { dataset: 'flats.csv' }]) {
      const scores = await ml.call('evaluate', { model: 'flats', ...given });
      expect(scores).toMatchObject({ measure: 'error', metrics: { mean_absolute_error: {} } });
    }
    expect(await ml.call('predict', { model: 'flats', dataset: 'new.csv' })).toMatchObject({
      rows: 4,
      predictions: Array.from({ length: 4 }, () => ({ prediction: expect.any(Number) })),
      artifact: expect.stringMatching(/^sha256:/),
    });
  });

  it('that tells classes of texts gives shares from 0 to 1, as its evaluation does', async () => {
    const ml = openProject();
    const trained = await ml.call('train', { dataset: 'mails.jsonl', name: 'mails' });
    expect(trained).toMatchObject({ metrics: { test_accuracy: { value: 1 } } });
    expect(await ml.call('evaluate', { model: 'mails' })).toMatchObject({
      metrics: { accuracy: { value: 1 } },
    });
  });

  it('is not used on rows that lack its columns, and not for another label', async () => {
    const ml = openProject();
    await ml.call('train', { dataset: 'mails.jsonl', name: 'mails' });
    expect(await ml.call('predict', { model: 'mails', dataset: 'new.csv' })).toMatchObject({
      text: expect.stringContaining(
        'The model needs the columns \\"text\\", and the rows have area, size, new',
      ),
    });
    const { dataset } = await ml.call('load_dataset', { source: 'mails.jsonl' });
    await ml.call('train', { dataset: 'flats.csv', label: 'price', name: 'flats' });
    expect(await ml.call('evaluate', { model: 'flats', dataset })).toMatchObject({
      text: expect.stringContaining('it was loaded to predict label'),
    });
    expect(await ml.call('train', { dataset, label: 'size' })).toMatchObject({
      error: { code: 'ml.bad_dataset' },
    });
  });
});
