import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  EngineReport,
  HashedFile,
  ModelFiles,
  TrainingEngine,
  TrainingJob,
  TrainingPlan,
} from '../../src/contract/ml/index.ts';
import { AppError } from '../../src/kernel/index.ts';

/** A failure of a training, as engines throw it. */
export class TrainingBrokeError extends AppError {
  readonly code = 'ml.training_failed';
}

interface EngineOptions {
  readonly digests?: EngineReport['digests'];
  readonly refusals?: readonly string[];
  /** Throws where a job is to fail. */
  readonly inspect?: (job: TrainingJob, run: number) => void;
  /** Called after each step. */
  readonly onStep?: (step: number) => void;
}

const aReport: EngineReport = {
  engine: 'counting',
  version: '1',
  digests: { program: 'sha256:1', environment: 'sha256:2' },
  can: ['train', 'finetune', 'quantize', 'evaluate', 'predict'],
  cannot: [],
};

const aPlan: Omit<TrainingPlan, 'refusals'> = {
  engine: 'counting',
  steps: 5,
  parameters: 256,
  trainableParameters: 256,
  wallMs: { value: 10, arithmetic: '5 steps × 2 ms' },
  memoryBytes: { value: 1_000, arithmetic: '256 × 4 bytes' },
  diskBytes: { value: 1_000, arithmetic: '256 × 4 bytes' },
};

/**
 * A small engine that really learns: the most frequent label, or the frequencies of characters, with a checkpoint after
 * every step. It reads its data from disk, resumes, and gives the same bytes for the same job.
 */
export function anEngine({ refusals = [], inspect, onStep, digests }: EngineOptions = {}) {
  const runs: TrainingJob[] = [];
  const engine: TrainingEngine = {
    name: 'counting',
    probe: async () => ({ ...aReport, ...(digests && { digests }) }),
    plan: async () => ({ ...aPlan, refusals }),
    async run(job, { onEvent, folder, signal }) {
      runs.push(job);
      inspect?.(job, runs.length);
      await mkdir(folder, { recursive: true });
      const usage = { wallMs: 10, cpuMs: 5, peakMemoryBytes: 1_000 };
      const done = {
        status: 'done',
        metrics: {},
        usage,
        engine: 'counting',
        version: '1',
      } as const;
      if (job.kind === 'evaluate')
        return { ...done, metrics: await lossOf(job.model, job.data.test) };
      if (job.kind === 'predict')
        return { ...done, predictions: await predict(job.model, job.rows, folder) };
      const source =
        'data' in job ? await readFile(job.data.train.path, 'utf8') : await readWeights(job.model);
      const checkpoint = join(folder, 'checkpoint');
      const fromStep = Number(await readFile(checkpoint, 'utf8').catch(() => '0'));
      onEvent({
        event: 'start',
        engine: 'counting',
        version: '1',
        steps: 5,
        parameters: 256,
        trainableParameters: 256,
        fromStep,
      });
      for (let step = fromStep + 1; step <= 5; step += 1) {
        onEvent({
          event: 'step',
          step,
          steps: 5,
          loss: 5 / step,
          learningRate: 0.1,
          tokensPerSecond: 1,
          memoryBytes: 1_000_000,
          etaMs: 1,
        });
        await writeFile(checkpoint, String(step));
        onStep?.(step);
        if (signal.aborted) return { ...done, status: 'cancelled' };
      }
      return {
        ...done,
        metrics: { train_loss: 1 },
        model: await writeModel(join(folder, 'result'), job, source),
      };
    },
  };
  return { engine, runs };
}

const readWeights = ({ folder }: ModelFiles): Promise<string> =>
  readFile(join(folder, 'model.safetensors'), 'utf8').catch(() => 'base');

async function writeModel(folder: string, job: TrainingJob, source: string): Promise<ModelFiles> {
  await mkdir(folder, { recursive: true });
  const text = job.kind === 'train' ? labelIn(source, job.columns.label) : source;
  await writeFile(join(folder, 'model.safetensors'), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const files = [{ name: 'model.safetensors', sha256, bytes: Buffer.byteLength(text) }];
  return { format: job.kind === 'train' ? 'tabular' : 'llama', folder, files };
}

/** The label that most rows have. */
function labelIn(text: string, column: string): string {
  const counts = new Map<string, number>();
  for (const line of text.split('\n').filter(Boolean)) {
    const label = String(JSON.parse(line)[column]);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** Bits a character of the rows, by the frequencies of characters in what was learned. */
async function lossOf(model: ModelFiles, rows: HashedFile | undefined) {
  const learned = await readWeights(model);
  const text = rows ? await readFile(rows.path, 'utf8') : '';
  const counts = new Map<string, number>();
  for (const character of learned) counts.set(character, (counts.get(character) ?? 0) + 1);
  let loss = 0;
  for (const character of text)
    loss -= Math.log(((counts.get(character) ?? 0) + 1) / (learned.length + 256));
  return { loss: loss / Math.max(1, text.length), tokens: text.length };
}

async function predict(model: ModelFiles, rows: HashedFile, folder: string): Promise<HashedFile> {
  const label = await readWeights(model);
  const lines = (await readFile(rows.path, 'utf8')).split('\n').filter(Boolean);
  const text = lines.map(() => `${JSON.stringify({ prediction: label })}\n`).join('');
  const path = join(folder, 'predictions.jsonl');
  await writeFile(path, text);
  return { path, sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length };
}
