import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Explanation, Suggestion } from '../../../contract/experience/index.ts';
import type { TrainingEngine } from '../../../contract/ml/index.ts';
import { anEngine, TrainingBrokeError } from '../../../../testkit/ml/an-engine.ts';
import { anMlServer } from '../../../../testkit/ml/an-ml-server.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';

const rows = Array.from({ length: 80 }, (_, at) => ({
  size: at,
  weight: at % 7,
  label: at % 3 === 0 ? 'small' : 'large',
}));

async function aDataset({ write, call }: Pick<ReturnType<typeof anMlServer>, 'write' | 'call'>) {
  const source = write('data.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
  return String((await call('load_dataset', { source }))['dataset']);
}

function suggestion(id: string): Explanation {
  const one: Suggestion = {
    fixId: `shipped:${id}:1`,
    origin: 'shipped',
    text: '',
    kind: 'safe',
    likeness: 1,
    cureRate: 0.5,
    uses: 0,
    cures: 0,
    lastCuredAt: null,
    without: { attempts: 0, successes: 0 },
    isApproved: false,
    isDemoted: false,
  } as Suggestion;
  const seen = { before: 0, lastAt: null };
  return {
    failure: null,
    isKnown: true,
    cause: '',
    source: null,
    evidence: [],
    suggestions: [one],
    seen,
  };
}

describe('a job', () => {
  it('is another with another program or environment, and its card says which', async () => {
    const digests = { program: 'sha256:aa', environment: 'sha256:bb' };
    const all = [digests, { ...digests, program: 'sha256:cc' }, { ...digests, environment: 'x' }];
    const engines = all.map((one) => anEngine({ digests: one }).engine);
    const ml = anMlServer({ engines: async () => engines.slice(0, 1) });
    const dataset = await aDataset(ml);
    for (const [at] of all.entries()) {
      const trained = await ml.call('train', { dataset, name: 'm' });
      expect(trained).toMatchObject({ model: `m@${at + 1}`, is_reused: false });
      engines.shift();
    }
    expect(await ml.call('get_model', { model: 'm@1' })).toMatchObject({
      model: { card: { code: '0.0.0 sha256:aa', environment: { hash: 'sha256:bb' } } },
    });
  });

  it('gives its result again for the same data, configuration and seed, and a new one for another', async () => {
    const { engine, runs } = anEngine();
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    const first = await ml.call('train', { dataset, name: 'm' });
    expect(first).toMatchObject({ model: 'm@1', is_reused: false });
    expect(await ml.call('train', { dataset, name: 'm' })).toMatchObject({
      model: 'm@1',
      is_reused: true,
    });
    expect(await ml.call('train', { dataset, name: 'm', seed: 7 })).toMatchObject({ model: 'm@2' });
    expect(runs).toHaveLength(2);
  });

  it('runs once where it is asked for twice at the same time', async () => {
    const { engine, runs } = anEngine();
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    const both = await Promise.all([ml.call('train', { dataset }), ml.call('train', { dataset })]);
    expect(both).toMatchObject([{ model: 'model@1' }, { model: 'model@1' }]);
    expect(runs).toHaveLength(1);
  });

  it('continues from its checkpoint after a cancel, and after its process died with the lock', async () => {
    const abort = new AbortController();
    const { engine } = anEngine({ onStep: (step) => step === 2 && abort.abort(new Error('stop')) });
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    const context = aCallContext({ signal: abort.signal });
    await expect(ml.call('train', { dataset }, context)).rejects.toThrow('stop');
    const jobs = join(ml.home, 'ml', 'jobs');
    const [job = ''] = readdirSync(jobs);
    writeFileSync(join(jobs, job, 'lock'), '{"pid": 3, "proc');
    const resumed = await ml.call('train', { dataset });
    expect(resumed).toMatchObject({
      resumed: 1,
      losses: [1, 2, 3, 4, 5].map((step) => ({ step })),
    });
  });

  it('ends with its checkpoint before the server is closed', async () => {
    let closed: Promise<boolean> | undefined;
    let isOver = false;
    const onStep = (step: number): void => {
      if (step === 2) closed = close();
    };
    const { engine } = anEngine({ onStep });
    const run: TrainingEngine['run'] = async (job, watch) => {
      const result = await engine.run(job, watch);
      await new Promise(setImmediate);
      isOver = true;
      return result;
    };
    const ml = anMlServer({ engines: async () => [{ ...engine, run }] });
    const close = (): Promise<boolean> => ml.server.close().then(() => isOver);
    const dataset = await aDataset(ml);
    const call = ml.call('train', { dataset });
    expect(await call).toMatchObject({ error: expect.anything() });
    expect(await closed).toBe(true);
  });

  it('reports progress with loss, plot and time left', async () => {
    const ml = anMlServer();
    const dataset = await aDataset(ml);
    const reports: { progress: number; message?: string }[] = [];
    await ml.call('train', { dataset }, aCallContext({ progress: (one) => reports.push(one) }));
    expect(
      reports.some(({ message }) =>
        /step 5\/5 · loss 1\.0000 █.*▁ · 1 tokens\/s · 1 MB/.test(message ?? ''),
      ),
    ).toBe(true);
    const numbers = reports.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it('is refused with the arithmetic where the engine says that it is impossible', async () => {
    const { engine, runs } = anEngine({
      refusals: ['27 GB of weights, and this machine has 8 GB'],
    });
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    expect(await ml.call('train', { dataset })).toMatchObject({ error: { code: 'ml.refused' } });
    expect(runs).toEqual([]);
  });
});

describe('a failed job', () => {
  const breakOnce = (message: string) => ({
    inspect: (_job: unknown, run: number) => {
      if (run === 1) throw new TrainingBrokeError(message);
    },
  });

  it.each([
    [
      'the memory runs out',
      "DefaultCPUAllocator: can't allocate memory",
      'cpu-allocator',
      { per_device_train_batch_size: 4, gradient_accumulation_steps: 2 },
    ],
    ['the loss is not a number', 'loss is NaN', 'loss-nan', { learning_rate: 0.0001 }],
  ])(
    'is tried again with a harmless cure when %s, and both attempts are recorded',
    async (_what, message, known, changed) => {
      const { engine, runs } = anEngine(breakOnce(message));
      const cured: unknown[] = [];
      const failures: unknown[] = [];
      const experience = {
        failed: (_caller: unknown, attempt: unknown) => failures.push(attempt),
        succeeded: (_caller: unknown, attempt: unknown) => cured.push(attempt),
        explain: async () => suggestion(known),
      };
      const ml = anMlServer({ engines: async () => [engine], experience });
      const source = ml.write(
        'a.jsonl',
        rows.map(({ size }) => JSON.stringify({ prompt: `p${size}`, completion: 'c' })).join('\n'),
      );
      const { dataset } = await ml.call('load_dataset', { source });
      ml.write('base/config.json', '{}');
      ml.write('base/tokenizer.json', '{}');
      const header = '{"w":{"data_offsets":[0,4]}}';
      ml.write(
        'base/model.safetensors',
        Buffer.concat([
          Buffer.from(new BigUint64Array([BigInt(header.length)]).buffer),
          Buffer.from(header),
          Buffer.alloc(4),
        ]),
      );
      const result = await ml.call('finetune', { base: 'base', dataset });
      expect(result).toMatchObject({
        model: 'base-finetuned@1',
        attempts: [expect.stringContaining('trying again')],
      });
      expect(runs[1]).toMatchObject({ hyperparameters: changed });
      expect(failures).toMatchObject([{ error: { code: 'ml.training_failed' } }]);
      expect(cured).toMatchObject([{ arguments: changed }]);
    },
  );

  it('says that the disk is full, and continues when it is not', async () => {
    const inspect = (_job: unknown, run: number): void => {
      if (run === 1) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    };
    const { engine } = anEngine({ inspect });
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    expect(await ml.call('train', { dataset })).toMatchObject({ error: { code: 'ml.disk_full' } });
    expect(await ml.call('train', { dataset })).toMatchObject({ model: 'model@1' });
  });

  it('stays failed where no cure is known', async () => {
    const { engine, runs } = anEngine(breakOnce('something new'));
    const ml = anMlServer({ engines: async () => [engine] });
    const dataset = await aDataset(ml);
    expect(await ml.call('train', { dataset })).toMatchObject({
      error: { code: 'ml.training_failed' },
    });
    expect(runs).toHaveLength(1);
    expect(await ml.call('list_models', {})).toEqual({ models: [] });
  });
});
