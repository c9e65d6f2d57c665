import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TrainingEngine, TrainingResult } from '../src/contract/ml/index.ts';
import { createEmbeddedEngine } from '../src/toolbox/ml/engines/index.ts';
import { writeRows } from '../testkit/ml/tiny-llama.ts';
import { isProof } from '../testkit/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { aFinetuneJob, watchIn } from './support/ml/finetune-job.ts';
import { openEngines } from './support/ml/open-engines.ts';

const weightsOf = ({ model }: TrainingResult): string | undefined =>
  model?.files.find(({ name }) => name === 'model.safetensors')?.sha256;

describe.skipIf(bubblewrapMissing)(`fine-tuning in the sandbox${whyNoBubblewrap}`, () => {
  const opened = openEngines();
  const engine = createEmbeddedEngine(opened.context);
  const job = aFinetuneJob(opened.folder);
  const frame = { seed: job.seed, threads: job.threads, limits: job.limits };
  const in_ = (name: string): string => join(opened.folder, name);
  /** An engine whose process fails after that many checkpoints. */
  const stopAfter = (checkpoints: number): TrainingEngine => {
    let left = checkpoints;
    const faults = (name: string): void => {
      if (name === 'parent flushed' && (left -= 1) === 0) throw new Error('stopped');
    };
    return createEmbeddedEngine({ ...opened.context, faults });
  };
  afterAll(() => opened.close());

  it.each(['lora', 'full'] as const)(
    'with %s gives a model that is better than its base',
    async (method) => {
      const trained = await engine.run({ ...job, method }, watchIn(in_(method)));
      const before = await engine.run(
        { ...job, kind: 'evaluate', model: job.base, hyperparameters: { max_seq_length: 32 } },
        watchIn(in_(`${method}-base`)),
      );
      expect(trained.metrics['test_loss']).toBeLessThan((before.metrics['loss'] ?? 0) - 0.2);
      expect(trained.model?.files.map(({ name }) => name)).toContain('tokenizer.json');
    },
  );

  it('continues each prompt with a model, also one longer than its window', async () => {
    const rows = writeRows(in_('prompts.jsonl'), [
      { prompt: 'Tutti is' },
      { prompt: 'a word '.repeat(200) },
    ]);
    const { predictions } = await engine.run(
      {
        ...frame,
        kind: 'predict',
        model: job.base,
        rows,
        columns: { prompt: 'prompt', completion: 'completion' },
        hyperparameters: { max_new_tokens: 4 },
      },
      watchIn(in_('predict')),
    );
    const lines = readFileSync(predictions?.path ?? '', 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { prediction: expect.stringMatching(/./s) },
      { prediction: expect.stringMatching(/./s) },
    ]);
  });

  it('gives the same bytes for the same seed, and others for another', async () => {
    const [one, two, other] = [
      await engine.run(job, watchIn(in_('one'))),
      await engine.run(job, watchIn(in_('two'))),
      await engine.run({ ...job, seed: 2 }, watchIn(in_('other'))),
    ];
    expect(weightsOf(two)).toBe(weightsOf(one));
    expect(weightsOf(other)).not.toBe(weightsOf(one));
  });

  it('ends a cancelled run with a checkpoint, from which it gets the same bytes', async () => {
    const whole = await engine.run(job, watchIn(in_('whole')));
    const watch = watchIn(in_('cancelled'), (event) => event.event === 'start');
    const cancelled = await engine.run(job, watch);
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    const resumed = watchIn(in_('cancelled'));
    expect(weightsOf(await engine.run(job, resumed))).toBe(weightsOf(whole));
    expect(resumed.events.find(({ event }) => event === 'start')).toMatchObject({
      fromStep: expect.toSatisfy((step: number) => step > 0),
    });
  });

  it('reports at least every two seconds, and a cancel costs at most two seconds and a step', async () => {
    const large = { hidden: 128, inner: 320, layers: 4, heads: 4, groups: 2, isTied: false };
    const hyperparameters = { max_steps: 4_000, max_seq_length: 64, save_steps: 9_999 };
    const quiet = { ...hyperparameters, logging_steps: 9_999, per_device_train_batch_size: 16 };
    const limits = { wallMs: 7_200_000, memoryBytes: 2e9, diskBytes: 1e9 };
    const long = aFinetuneJob(
      in_('large'),
      { method: 'full', limits, hyperparameters: quiet },
      large,
    );
    const times: number[] = [];
    const reports: number[] = [];
    let cancelledAtMs = 0;
    const watch = watchIn(in_('timed'), (event) => {
      if (event.event !== 'step') return false;
      times.push(performance.now());
      reports.push(event.step);
      const isEnough = (times.at(-1) ?? 0) - (times[0] ?? 0) > 6_000;
      if (isEnough) cancelledAtMs ||= performance.now();
      return isEnough;
    });
    expect(await engine.run(long, watch)).toMatchObject({ status: 'cancelled' });
    const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
    const stepMs = span / ((reports.at(-1) ?? 0) - (reports[0] ?? 0));
    // In steps of this very run, because the machine may be busy with others.
    const stored = watch.events.findLast(({ event }) => event === 'checkpoint');
    const cancelledAt = reports[times.findIndex((at) => at >= cancelledAtMs)] ?? reports.at(-1);
    if (stored?.event !== 'checkpoint' || cancelledAt === undefined)
      throw new Error('no checkpoint');
    expect(stored.step - cancelledAt).toBeLessThanOrEqual(1 + Math.ceil(2_000 / stepMs));
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]).toBeLessThan(
      2_000 + stepMs,
    );
    expect(reports.length).toBeGreaterThanOrEqual(Math.floor(span / (2_000 + stepMs)));
    if (isProof)
      console.log({
        stepMs,
        reports: reports.length,
        over: stored.step - cancelledAt,
        largest: Math.max(...gaps),
      });
    const resumed = watchIn(in_('timed'), ({ event }) => event === 'start');
    await engine.run(long, resumed);
    expect(resumed.events.find(({ event }) => event === 'start')).toMatchObject({
      fromStep: stored.step,
    });
  });

  it.each([
    ['torn', (folder: string) => truncateSync(join(folder, 'optimizer.safetensors'), 100)],
    ['without its manifest', (folder: string) => rmSync(join(folder, 'manifest.json'))],
    ['with a torn manifest', (folder: string) => truncateSync(join(folder, 'manifest.json'), 40)],
    ['without a file', (folder: string) => rmSync(join(folder, 'trainer_state.json'))],
  ])(
    'passes over a newest checkpoint that is %s, says so, and gets the same bytes',
    async (what, damage) => {
      const whole = await engine.run(job, watchIn(in_('undamaged')));
      const folder = in_(`damaged ${what}`);
      await expect(stopAfter(3).run(job, watchIn(folder))).rejects.toThrow('stopped');
      const newest = readdirSync(join(folder, 'checkpoints')).sort().at(-1) ?? '';
      damage(join(folder, 'checkpoints', newest));
      const watch = watchIn(folder);
      expect(weightsOf(await engine.run(job, watch))).toBe(weightsOf(whole));
      expect(watch.events).toContainEqual(
        expect.objectContaining({
          message: 'checkpoint passed over',
          fields: expect.objectContaining({ checkpoint: newest }),
        }),
      );
    },
  );

  it('refuses a folder with checkpoints of another job, and inputs that changed', async () => {
    await expect(stopAfter(1).run(job, watchIn(in_('mine')))).rejects.toThrow('stopped');
    await expect(engine.run({ ...job, seed: 9 }, watchIn(in_('mine')))).rejects.toMatchObject({
      code: 'ml.checkpoint_of_other_job',
    });
    const changed = aFinetuneJob(in_('run'), {});
    writeFileSync(changed.data.train.path, `${readFileSync(changed.data.train.path, 'utf8')}\n`);
    await expect(engine.run(changed, watchIn(in_('changed')))).rejects.toMatchObject({
      code: 'ml.input_changed',
    });
  });

  it('refuses what cannot be done, with the arithmetic', async () => {
    const { refusals } = await engine.plan({
      ...job,
      limits: { ...job.limits, memoryBytes: 1e6, wallMs: 1 },
    });
    expect(refusals).toEqual([
      expect.stringMatching(
        /^it needs 12\d\.\d MB of memory and may use 1\.0 MB: 123,200 parameters × 4 bytes/,
      ),
      expect.stringMatching(/^it would take about 1 s and may take/),
    ]);
  });

  it('names row and column of data that does not fit', async () => {
    const run = engine.run({ ...job, columns: { text: 'body' } }, watchIn(in_('columns')));
    await expect(run).rejects.toThrow(
      'Row 1 of "train" has no text in the column "body" (its columns: text)',
    );
  });
});
