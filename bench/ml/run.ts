/** Compares the embedded engine with torch and scikit-learn, on texts of npm packages. Prints lines for RESULTS.md. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type {
  EvaluateJob,
  FinetuneJob,
  ModelFiles,
  TrainingEngine,
  TrainingResult,
  TrainJob,
} from '../../src/contract/ml/index.ts';
import {
  createEmbeddedEngine,
  createGgufEngine,
  createPythonEngine,
  systemPython,
} from '../../src/toolbox/ml/engines/index.ts';
import { watchIn } from '../../test/support/ml/finetune-job.ts';
import { openEngines } from '../../test/support/ml/open-engines.ts';
import { makeTinyLlama, writeRows } from '../../testkit/ml/tiny-llama.ts';
import { readMails, readParagraphs } from './texts.ts';

const opened = openEngines();
const folder = opened.folder;
const frame = {
  seed: 1,
  threads: 1,
  limits: { wallMs: 1_500_000, memoryBytes: 3e9, diskBytes: 1e9 },
};
const embedded = createEmbeddedEngine(opened.context);
const gguf = createGgufEngine(opened.context);
const python = createPythonEngine({ ...opened.context, environments: async () => [systemPython] });
const columns = { text: 'text' };

try {
  await spam();
  await language();
} finally {
  await opened.close();
}

async function spam(): Promise<void> {
  const { train, test } = readMails();
  const data = {
    train: writeRows(join(folder, 'mails.jsonl'), train),
    test: writeRows(join(folder, 'mails-test.jsonl'), test),
  };
  const job: TrainJob = {
    kind: 'train',
    task: 'classification',
    algorithm: 'linear',
    data,
    columns: { label: 'label', features: [], text: 'text' },
    hyperparameters: {},
    ...frame,
  };
  const { metrics, usage } = await embedded.run(job, watchIn(join(folder, 'spam')));
  const theirs = execFileSync(
    '/usr/bin/python3',
    ['bench/ml/spam_reference.py', data.train.path, data.test.path],
    { encoding: 'utf8' },
  );
  console.log(
    `spam, ${train.length}/${test.length} mails: embedded ${(100 * (metrics['test_accuracy'] ?? 0)).toFixed(2)} (${usage.cpuMs.toFixed(0)} CPU ms); scikit-learn ${theirs.trim()}`,
  );
}

async function language(): Promise<void> {
  const sizes = { hidden: 128, inner: 352, layers: 4, heads: 4, groups: 4, isTied: false };
  const base = makeTinyLlama(join(folder, 'big'), 1, sizes);
  const book = readParagraphs('moby-dick', 600_000);
  const speeches = readParagraphs('sotu', 400_000);
  const held = { test: writeRows(join(folder, 'held.jsonl'), speeches.slice(-150)) };
  const pretrain = aJob(
    base,
    { method: 'full', train: book, steps: 400, rate: 0.003 },
    'book.jsonl',
  );
  const first = modelOf(await embedded.run(pretrain, watchIn(join(folder, 'pretrain'))));
  const evaluation: EvaluateJob = {
    kind: 'evaluate',
    model: first,
    data: { train: held.test },
    columns,
    hyperparameters: { max_seq_length: 64 },
    ...frame,
  };
  const before = await embedded.run(evaluation, watchIn(join(folder, 'before')));
  console.log('base on held-out speeches', before.metrics);
  for (const method of ['full', 'lora'] as const) {
    const job = aJob(
      first,
      {
        method,
        train: speeches.slice(0, -150),
        steps: 200,
        rate: method === 'lora' ? 0.003 : 0.002,
      },
      'speeches.jsonl',
    );
    const withTest = { ...job, data: { ...job.data, ...held } };
    const results: Record<string, TrainingResult> = {};
    for (const engine of [embedded, python] satisfies TrainingEngine[]) {
      const plan = await engine.plan(withTest);
      const ended = await engine.run(withTest, watchIn(join(folder, `${method}-${engine.name}`)));
      results[engine.name] = ended;
      console.log(
        `${method}, 200 steps, ${engine.name}: held-out loss ${ended.metrics['test_loss']}, perplexity ${ended.metrics['test_perplexity']?.toFixed(3)}, ${ended.usage.cpuMs.toFixed(0)} CPU ms, ${ended.usage.wallMs.toFixed(0)} ms, peak ${(ended.usage.peakMemoryBytes / 1e6).toFixed(0)} MB; planned ${plan.wallMs.value} ms, ${(plan.memoryBytes.value / 1e6).toFixed(0)} MB`,
      );
    }
    if (method === 'full') await formats(modelOf(results['embedded']), evaluation);
  }
}

async function formats(model: ModelFiles, evaluation: EvaluateJob): Promise<void> {
  const before = await embedded.run({ ...evaluation, model }, watchIn(join(folder, 'unquantized')));
  console.log('float32', before.metrics);
  for (const quantization of ['f16', 'q8_0', 'q4_0'] as const) {
    const made = await gguf.run(
      { kind: 'quantize', model, quantization, ...frame },
      watchIn(join(folder, quantization)),
    );
    const after = await gguf.run(
      { ...evaluation, model: modelOf(made) },
      watchIn(join(folder, `${quantization}-scored`)),
    );
    console.log(quantization, made.metrics, after.metrics);
  }
}

function aJob(
  base: ModelFiles,
  wanted: { method: 'full' | 'lora'; train: object[]; steps: number; rate: number },
  name: string,
): FinetuneJob {
  mkdirSync(folder, { recursive: true });
  const { method, train, steps, rate } = wanted;
  const hyperparameters = {
    max_steps: steps,
    max_seq_length: 64,
    per_device_train_batch_size: 16,
    learning_rate: rate,
    warmup_steps: 10,
    save_steps: 100,
  };
  return {
    kind: 'finetune',
    method,
    base,
    data: { train: writeRows(join(folder, name), train) },
    columns,
    hyperparameters,
    ...frame,
  };
}

function modelOf(result: TrainingResult | undefined): ModelFiles {
  if (!result?.model) throw new Error('there is no model');
  return result.model;
}
