import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TrainingResult } from '../src/contract/ml/index.ts';
import {
  createEmbeddedEngine,
  createPythonEngine,
  systemPython,
} from '../src/toolbox/ml/engines/index.ts';
import { isProof } from '../testkit/sample.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { aFinetuneJob, watchIn } from './support/ml/finetune-job.ts';
import { openEngines } from './support/ml/open-engines.ts';

const hasTorch = existsSync('/usr/lib/python3/dist-packages/torch');
const whyNot = hasTorch
  ? whyNoBubblewrap
  : ' (skipped: no python3-torch, which `make test` does not install: over 150 MB to fetch and 650 MB on disk; apt-get install --no-install-recommends python3-torch libopenblas0-pthread)';
const steps = isProof ? 60 : 12;

function lossesOf({ model }: TrainingResult): number[] {
  return JSON.parse(readFileSync(join(model?.folder ?? '', 'losses.json'), 'utf8'));
}

describe.skipIf(bubblewrapMissing || !hasTorch)(`the embedded engine beside torch${whyNot}`, () => {
  const opened = openEngines();
  const embedded = createEmbeddedEngine(opened.context);
  const python = createPythonEngine({
    ...opened.context,
    environments: async () => [systemPython],
  });
  afterAll(() => opened.close());

  it.each(['lora', 'full'] as const)(
    `has the losses of torch within 1e-5 over ${steps} steps with %s`,
    async (method) => {
      const job = aFinetuneJob(opened.folder, {
        method,
        hyperparameters: {
          max_steps: steps,
          save_steps: 1000,
          warmup_steps: 3,
          weight_decay: 0.01,
          gradient_accumulation_steps: 2,
          learning_rate: 0.001,
        },
      });
      const ours = await embedded.run(job, watchIn(join(opened.folder, `embedded-${method}`)));
      const theirs = await python.run(job, watchIn(join(opened.folder, `python-${method}`)));
      const [one, other] = [lossesOf(ours), lossesOf(theirs)];
      expect(one.length).toBe(steps);
      const differences = one.map((loss, at) => Math.abs(loss - (other[at] ?? 0)));
      expect(Math.max(...differences)).toBeLessThan(1e-5);
      expect(
        Math.abs((ours.metrics['test_loss'] ?? 0) - (theirs.metrics['test_loss'] ?? 1)),
      ).toBeLessThan(1e-4);
      if (isProof)
        console.log(
          method,
          'largest difference',
          Math.max(...differences),
          'CPU ms',
          ours.usage.cpuMs,
          theirs.usage.cpuMs,
        );
    },
  );

  it('resumes torch with the same bytes', async () => {
    const job = aFinetuneJob(opened.folder);
    const weights = ({ model }: TrainingResult) =>
      model?.files.find(({ name }) => name === 'model.safetensors')?.sha256;
    const whole = await python.run(job, watchIn(join(opened.folder, 'torch-whole')));
    const folder = join(opened.folder, 'torch-cancelled');
    expect(
      await python.run(
        job,
        watchIn(folder, ({ event }) => event === 'start'),
      ),
    ).toMatchObject({ status: 'cancelled' });
    expect(weights(await python.run(job, watchIn(folder)))).toBe(weights(whole));
  });

  it('says what it can do and what not', async () => {
    expect(await python.probe()).toMatchObject({
      can: ['finetune:full', 'finetune:lora'],
      version: expect.stringMatching(/torch/),
    });
    const none = createPythonEngine({
      ...opened.context,
      environments: async () => [{ interpreter: '/usr/bin/no-python', mounts: [], hash: '' }],
    });
    expect((await none.probe()).cannot).toContainEqual(
      expect.objectContaining({ what: 'finetune', fix: expect.stringMatching(/apt-get install/) }),
    );
  });
});
