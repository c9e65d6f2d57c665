/** Runs one fine-tuning in a process of its own, for tests that kill it: `FOLDER [FAULT]`. */
import { openEngines } from './open-engines.ts';
import { aFinetuneJob, watchIn } from './finetune-job.ts';
import { createFaultPoints } from '../../../src/kernel/index.ts';
import { createEmbeddedEngine } from '../../../src/toolbox/ml/engines/index.ts';

const [folder = '', fault] = process.argv.slice(2);
const opened = openEngines(createFaultPoints(fault));
try {
  const engine = createEmbeddedEngine(opened.context);
  // Each event as it comes, for tests that kill at one of them.
  const watch = watchIn(`${folder}/run`, () => {
    process.stdout.write('event\n');
    return false;
  });
  const { model } = await engine.run(
    aFinetuneJob(folder, { hyperparameters: { max_steps: 40, save_steps: 2 } }),
    watch,
  );
  const start = watch.events.find(({ event }) => event === 'start');
  const sha256 = model?.files.find(({ name }) => name === 'model.safetensors')?.sha256;
  process.stdout.write(
    `${JSON.stringify({ sha256, fromStep: start?.event === 'start' ? start.fromStep : null })}\n`,
  );
} finally {
  await opened.close();
}
