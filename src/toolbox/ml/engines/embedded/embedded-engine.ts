import {
  settleHyperparameters,
  type EngineReport,
  type TrainingEngine,
  type TrainingJob,
  type TrainingPlan,
  type TrainingResult,
  type TrainingWatch,
} from '../../../../contract/ml/index.ts';
import { JobRefusedError } from '../../errors.ts';
import { readModelShape } from '../model-shape.ts';
import { type EngineSpeed, planFinetune, planSmall } from '../plan-finetune.ts';
import { hashProgram, nodeDigest, readEmbeddedProgram } from '../program-files.ts';
import { finishResult } from '../finish-result.ts';
import { type EngineContext, runTrainer, type Trainer } from '../run-trainer.ts';

const megabyte = 1e6;
/** Measured with the model of `bench/ml`: the kernel does 40e9, the rest of a step is not products of matrices. */
const flopsPerSecond = 12e9;
/** The memory of WebAssembly. */
const addressableBytes = 4e9;

/** Trains with Node and WebAssembly alone: nothing to install, the same bits on every run. */
export function createEmbeddedEngine(context: EngineContext): TrainingEngine {
  const speed: EngineSpeed = {
    engine: 'embedded',
    flopsPerSecond,
    baseBytes: 120 * megabyte,
    // Each weight and its transpose, and the file it was read from.
    weightCopies: 3,
    addressableBytes,
    outputBytes: context.ceilings.outputBytes,
  };
  const plan = async (given: TrainingJob): Promise<TrainingPlan> => {
    const { job, problems } = settle(given);
    const refusals = [...problems, ...unsupported(job)];
    const planned = await planJob(job, speed);
    return { ...planned, refusals: [...refusals, ...planned.refusals] };
  };
  return {
    name: 'embedded',
    probe: async () => ({ ...report(context.version), digests: await embeddedDigests() }),
    plan,
    run: async (given, watch) => {
      const planned = await plan(given);
      if (planned.refusals.length > 0) throw new JobRefusedError('embedded', planned.refusals);
      return runEmbedded(settle(given).job, planned, { watch, context, engine: 'embedded' });
    },
  };
}

/** Of all that runs the embedded program. */
export async function embeddedDigests(): Promise<EngineReport['digests']> {
  return { program: hashProgram(await readEmbeddedProgram()), environment: nodeDigest() };
}

function report(version: string): Omit<EngineReport, 'digests'> {
  const can = [
    'train:linear',
    'train:boosted',
    'finetune:full',
    'finetune:lora',
    'evaluate:llama',
    'evaluate:tabular',
    'predict:llama',
    'predict:tabular',
  ];
  return {
    engine: 'embedded',
    version,
    can,
    cannot: [
      { what: 'threads', reason: 'it computes with one thread' },
      { what: 'gpu', reason: 'it computes on the processor' },
      { what: 'lora_dropout', reason: 'adapters are trained without dropout' },
      {
        what: 'architectures',
        reason:
          'language models of the Llama shape alone: RMSNorm, rotary positions without scaling, SwiGLU',
      },
      { what: 'size', reason: 'WebAssembly addresses 4 GB' },
    ],
  };
}

/** The job with every default filled in. */
export function settle(given: TrainingJob): { job: TrainingJob; problems: readonly string[] } {
  if (given.kind === 'quantize') return { job: given, problems: [] };
  const { values, problems } = settleHyperparameters(given, given.hyperparameters);
  return { job: { ...given, hyperparameters: values }, problems };
}

function unsupported(job: TrainingJob): string[] {
  return [
    ...(job.threads === 1
      ? []
      : [`it computes with one thread, and the job asks for ${job.threads}`]),
    ...(job.kind === 'quantize' ? ['models are quantized by the engine "gguf"'] : []),
  ];
}

export async function planJob(job: TrainingJob, speed: EngineSpeed): Promise<TrainingPlan> {
  if (job.kind !== 'finetune') return planSmall(job, speed);
  const shape = await readModelShape(job.base);
  if (shape) return planFinetune(job, shape, speed);
  const none = { value: 0, arithmetic: 'the model has no readable config.json' };
  const refusals = [
    'its base model has no config.json with hidden_size, intermediate_size, num_hidden_layers, num_attention_heads and vocab_size',
  ];
  return {
    engine: speed.engine,
    steps: 0,
    parameters: 0,
    trainableParameters: 0,
    wallMs: none,
    memoryBytes: none,
    diskBytes: none,
    refusals,
  };
}

/** Runs a job with the embedded program. */
export async function runEmbedded(
  job: TrainingJob,
  planned: TrainingPlan,
  parts: {
    readonly watch: TrainingWatch;
    readonly context: EngineContext;
    readonly engine: string;
  },
): Promise<TrainingResult> {
  const trainer: Trainer = {
    engine: parts.engine,
    toolchain: 'node',
    program: { kind: 'node', main: 'main.mjs', args: [] },
    sources: await readEmbeddedProgram(),
    mounts: [],
    task: job.kind,
    checkpointBytes: planned.trainableParameters * 12 + megabyte,
    inputs: inputsOf(job),
  };
  const ended = await runTrainer(job, trainer, parts);
  return finishResult(job, ended, {
    engine: parts.engine,
    version: parts.context.version,
    folder: parts.watch.folder,
  });
}

/** What a job reads, by its name in the specification. */
export function inputsOf(job: TrainingJob): Trainer['inputs'] {
  const model = job.kind === 'finetune' ? job.base : job.kind === 'train' ? undefined : job.model;
  const base = model && { folder: model.folder, files: model.files };
  if (job.kind === 'predict') return { base, rows: { file: job.rows } };
  if (job.kind === 'quantize') return { base };
  const { train, validation, test } = job.data;
  return {
    base,
    train: { file: train },
    validation: validation && { file: validation },
    test: test && { file: test },
  };
}
