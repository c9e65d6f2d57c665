import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createModelStore } from '../../../artifacts/index.ts';
import { localCaller } from '../../../contract/caller/index.ts';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';

/** Two models of labels: the first knows the usual one, the second is trained on rows with another. */
async function twoModels() {
  const ml = anMlServer();
  const load = async (name: string, usual: (at: number) => boolean) => {
    const rows = Array.from({ length: 200 }, (_, at) => ({
      size: at,
      label: usual(at) ? 'a' : 'b',
    }));
    const source = ml.write(`${name}.jsonl`, rows.map((row) => JSON.stringify(row)).join('\n'));
    return String((await ml.call('load_dataset', { source }))['dataset']);
  };
  const dataset = await load('mostly-a', (at) => at % 5 !== 0);
  const other = await load('mostly-b', (at) => at % 5 === 0);
  await ml.call('train', { dataset: other, name: 'm' });
  await ml.call('train', { dataset, name: 'm' });
  return { ...ml, dataset };
}

describe('models in the store', () => {
  it('say from which data, by which run and with what they were made', async () => {
    const { call, dataset } = await twoModels();
    expect(await call('get_model', { model: 'm@2' })).toMatchObject({
      model: {
        version: 2,
        card: {
          dataset: { id: dataset, source: 'mostly-a.jsonl', rows: 200 },
          run: { key: expect.stringMatching(/^[0-9a-f]{64}$/), attempts: 1 },
          engine: { name: 'counting', version: '1' },
          config: { algorithm: 'linear', task: 'classification', l2: 1 },
          seed: 42,
        },
      },
    });
  });

  it('are promoted only when they are better with confidence, and rolled back by moving the alias', async () => {
    const { call, dataset } = await twoModels();
    expect(await call('promote_model', { model: 'm@1' })).toMatchObject({
      version: 1,
      previous: null,
    });
    expect(await call('promote_model', { model: 'm@2' })).toMatchObject({
      error: { code: 'ml.not_promoted' },
    });
    expect(await call('promote_model', { model: 'm@2', dataset })).toMatchObject({
      version: 2,
      previous: 1,
      reason: expect.stringContaining('McNemar'),
    });
    expect(await call('promote_model', { model: 'm@1', dataset })).toMatchObject({
      error: { code: 'ml.not_promoted' },
    });
    expect(await call('get_model', { model: 'm@champion' })).toMatchObject({
      model: { version: 2 },
    });
    await call('promote_model', { model: 'm@1', reason: 'rollback' });
    expect(await call('get_model', { model: 'm@champion' })).toMatchObject({
      model: { version: 1 },
      moves: [{ version: 1, reason: 'rollback' }, { version: 2 }, { version: 1 }],
    });
  });

  it('are compared on the same rows, with a report whose plots stand alone', async () => {
    const { call, dataset, artifacts } = await twoModels();
    const compared = await call('compare_models', { first: 'm@2', second: 'm@1', dataset });
    expect(compared).toMatchObject({ better: 'm@2', test: 'mcnemar' });
    const page = Buffer.from(await artifacts.get(localCaller, String(compared['report']))).toString(
      'utf8',
    );
    expect(page.match(/<svg /g)).toHaveLength(3);
    expect(page).not.toMatch(/<script|NaN|undefined/);
  });

  it('keep nothing of a model whose files are not what their digests say', async () => {
    const ml = anMlServer();
    writeFileSync(join(ml.project, 'model.bin'), 'changed');
    const files = {
      format: 'llama',
      folder: ml.project,
      files: [{ name: 'model.bin', sha256: 'a'.repeat(64), bytes: 7 }],
    } as const;
    const { aModelCard } = await import('../../../../testkit/ml/a-model.ts');
    const { aStore } = await import('../../../../testkit/store/a-store.ts');
    const store = createModelStore({
      index: aStore().modelIndex,
      artifacts: async () => ml.artifacts,
      clock: { now: () => 0 },
    });
    const adding = store.add(localCaller, { name: 'x', card: aModelCard('run'), files });
    await expect(adding).rejects.toMatchObject({ code: 'ml.damaged_model' });
    expect(await store.list(localCaller, 5)).toEqual([]);
  });
});

describe('a base model', () => {
  const header = (text: string, length = text.length): Buffer =>
    Buffer.concat([Buffer.from(new BigUint64Array([BigInt(length)]).buffer), Buffer.from(text)]);

  it.each([
    ['is missing', {}, /neither in the store nor a folder/],
    [
      'has no tokenizer',
      { 'config.json': '{}', 'model.safetensors': header('{}') },
      /has no tokenizer\.json/,
    ],
    [
      'has weights that are cut off',
      {
        'config.json': '{}',
        'tokenizer.json': '{}',
        'model.safetensors': header('{"w":{"data_offsets":[0,400]}}'),
      },
      /tensor \\?"w\\?" lies beyond its end/,
    ],
    [
      'has no header',
      { 'config.json': '{}', 'tokenizer.json': '{}', 'model.safetensors': header('xx', 1e9) },
      /its header would be/,
    ],
    [
      'has a header that is no JSON',
      { 'config.json': '{}', 'tokenizer.json': '{}', 'model.safetensors': header('nonsense') },
      /its header is no JSON/,
    ],
    [
      'has a broken configuration',
      { 'config.json': '{', 'tokenizer.json': '{}', 'model.safetensors': header('{}') },
      /config\.json is no JSON object/,
    ],
  ])(
    'that %s is refused by name',
    async (_what, files: Readonly<Record<string, string | Uint8Array>>, says) => {
      const { write, call } = anMlServer();
      for (const [name, content] of Object.entries(files)) write(`tiny/${name}`, content);
      const result = await call('quantize', { model: 'tiny' });
      expect(result).toMatchObject({ error: { code: 'ml.unusable_model' } });
      expect(JSON.stringify(result)).toMatch(says);
    },
  );
});
