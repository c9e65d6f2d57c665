import type {
  Estimate,
  FinetuneJob,
  TrainingJob,
  TrainingPlan,
} from '../../../contract/ml/index.ts';
import type { ModelShape } from './model-shape.ts';

/** What an engine computes with. */
export interface EngineSpeed {
  readonly engine: string;
  /** Floating-point operations a second of one thread, in the middle of a training. */
  readonly flopsPerSecond: number;
  /** Of the program before it has read anything. */
  readonly baseBytes: number;
  /** Copies of the weights that are in memory. */
  readonly weightCopies: number;
  /** Largest memory it can address. */
  readonly addressableBytes: number;
  /** Most bytes of one checkpoint or result; what one sandbox may write. */
  readonly outputBytes: number;
}

/** A token is about four letters of text. */
const bytesPerToken = 4;

/** Time, memory and disk of a fine-tuning, each with its arithmetic, and why it cannot be done here. */
export function planFinetune(
  job: FinetuneJob,
  shape: ModelShape,
  speed: EngineSpeed,
): TrainingPlan {
  const given = numbersOf(job);
  const { batch, accumulation, length } = given;
  const trainable =
    job.method === 'full' ? shape.parameters : adapterParameters(job, shape, given.rank);
  const tokens = Math.max(1, Math.round(job.data.train.bytes / bytesPerToken));
  const perStep = batch * accumulation * length;
  const steps = given.steps || Math.max(1, Math.ceil((tokens * given.epochs) / perStep));
  // Forward 2 operations a weight and token, backward 2 for inputs and 2 for weights that learn.
  const perToken =
    (job.method === 'full' ? 6 : 4) * shape.parameters +
    6 * (trainable - (job.method === 'full' ? trainable : 0));
  const operations = steps * perStep * perToken;
  const seconds = operations / (speed.flopsPerSecond * job.threads);
  const wallMs: Estimate = {
    value: Math.ceil(seconds * 1000),
    arithmetic: `${say(steps)} steps × ${say(perStep)} tokens × ${say(perToken)} operations = ${exponent(operations)}; at ${exponent(speed.flopsPerSecond)} a second and thread × ${job.threads}: ${duration(seconds)}`,
  };
  const memoryBytes = estimateMemory({ shape, trainable, tokens: batch * length, length }, speed);
  const checkpoint = 3 * 4 * trainable;
  const result = 4 * (shape.parameters + (job.method === 'lora' ? trainable : 0));
  const disk = checkpoint * (given.kept + 1) + result;
  const diskBytes: Estimate = {
    value: disk,
    arithmetic: `${given.kept + 1} checkpoints × ${say(trainable)} values × 4 bytes × 3 (weights, two moments) + ${bytes(result)} of weights = ${bytes(disk)}`,
  };
  const planned = { wallMs, memoryBytes, diskBytes };
  const refusals = refusalsOf(planned, job, speed);
  const atOnce = Math.max(checkpoint, result);
  if (atOnce > speed.outputBytes) {
    refusals.push(
      `one checkpoint or result has ${bytes(atOnce)}, and ${bytes(speed.outputBytes)} can leave the sandbox at a time (sandbox.ceilings.output_bytes)`,
    );
  }
  return {
    engine: speed.engine,
    steps,
    parameters: shape.parameters,
    trainableParameters: trainable,
    ...planned,
    refusals,
  };
}

/** What of a plan is beyond the limits of the job, or of the engine. */
function refusalsOf(
  { wallMs, memoryBytes, diskBytes }: Pick<TrainingPlan, 'wallMs' | 'memoryBytes' | 'diskBytes'>,
  { limits }: FinetuneJob,
  { engine, addressableBytes }: EngineSpeed,
): string[] {
  const refusals: string[] = [];
  const refuse = (what: string, { arithmetic }: Estimate): void =>
    void refusals.push(`${what}: ${arithmetic}`);
  const memory = memoryBytes.value;
  if (memory > limits.memoryBytes)
    refuse(
      `it needs ${bytes(memory)} of memory and may use ${bytes(limits.memoryBytes)}`,
      memoryBytes,
    );
  if (memory > addressableBytes)
    refuse(
      `the engine "${engine}" can address ${bytes(addressableBytes)} and needs ${bytes(memory)}`,
      memoryBytes,
    );
  if (diskBytes.value > limits.diskBytes)
    refuse(
      `it needs ${bytes(diskBytes.value)} of disk and may use ${bytes(limits.diskBytes)}`,
      diskBytes,
    );
  if (wallMs.value > limits.wallMs)
    refuse(
      `it would take about ${duration(wallMs.value / 1000)} and may take ${duration(limits.wallMs / 1000)}`,
      wallMs,
    );
  return refusals;
}

function estimateMemory(
  size: {
    readonly shape: ModelShape;
    readonly trainable: number;
    readonly tokens: number;
    readonly length: number;
  },
  speed: EngineSpeed,
): Estimate {
  const { shape, trainable, tokens, length } = size;
  const weights = shape.parameters * 4 * speed.weightCopies;
  const learning = trainable * 4 * 3;
  const perToken =
    shape.layers *
    (5 * shape.hidden +
      2 * shape.queryWidth +
      2 * shape.keyWidth +
      4 * shape.inner +
      shape.heads * length);
  const activations =
    tokens * 4 * (perToken + 4 * shape.hidden + 3 * shape.inner) +
    Math.min(256, tokens) * shape.vocabulary * 8;
  const value = weights + learning + activations + speed.baseBytes;
  return {
    value,
    arithmetic: `${say(shape.parameters)} parameters × 4 bytes × ${speed.weightCopies} + ${say(trainable)} that learn × 4 bytes × 3 (gradients, two moments) + ${bytes(activations)} of activations for ${say(tokens)} tokens + ${bytes(speed.baseBytes)} for the program = ${bytes(value)}`,
  };
}

function adapterParameters(job: FinetuneJob, shape: ModelShape, rank: number): number {
  const targets = job.hyperparameters['lora_target_modules'];
  const names: readonly string[] = Array.isArray(targets) ? targets : [];
  const perBlock = Object.entries(shape.linear)
    .filter(([name]) => names.includes(name))
    .reduce((sum, [, [from, to]]) => sum + rank * (from + to), 0);
  return shape.layers * perBlock;
}

function numbersOf(job: FinetuneJob) {
  const number = (key: string): number => {
    const value = job.hyperparameters[key];
    return typeof value === 'number' ? value : 0;
  };
  return {
    batch: number('per_device_train_batch_size'),
    accumulation: number('gradient_accumulation_steps'),
    length: number('max_seq_length'),
    steps: number('max_steps'),
    epochs: number('num_train_epochs'),
    rank: number('lora_r'),
    kept: number('save_total_limit'),
  };
}

const say = (value: number): string => Math.round(value).toLocaleString('en-US');

const exponent = (value: number): string => value.toExponential(1).replace('e+', 'e');

const megabyte = 1e6;

export function bytes(value: number): string {
  return value >= 1e9 ? `${(value / 1e9).toFixed(1)} GB` : `${(value / megabyte).toFixed(1)} MB`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.ceil(seconds / 3_600)} h`
    : `${Math.ceil(seconds / 86_400)} days`;
}

/** Rows of a table in memory: parsed JSON takes about that many times its text. */
const memoryPerByte = 12;
/** Of data that is passed over once; a round or an iteration each. */
const bytesPerSecond = 40e6;

/** A rough plan of jobs that are bounded by their data: tables, evaluation, prediction, conversion. */
export function planSmall(
  job: TrainingJob,
  speed: Pick<EngineSpeed, 'engine' | 'baseBytes' | 'addressableBytes'>,
): TrainingPlan {
  const read =
    job.kind === 'predict'
      ? job.rows.bytes
      : job.kind === 'quantize'
        ? 0
        : job.data.train.bytes + (job.data.test?.bytes ?? 0);
  const model =
    job.kind === 'train' || job.kind === 'finetune'
      ? 0
      : job.model.files.reduce((sum, file) => sum + file.bytes, 0);
  const rounds = roundsOf(job);
  const seconds = 1 + (read * rounds + model * 4) / bytesPerSecond;
  const memory = speed.baseBytes + read * memoryPerByte + model * 3;
  const disk = read + model * 2;
  const memoryText = `${bytes(read)} of data × ${memoryPerByte} + ${bytes(model)} of weights × 3 + ${bytes(speed.baseBytes)} for the program = ${bytes(memory)}`;
  const refusals =
    memory > Math.min(job.limits.memoryBytes, speed.addressableBytes * 2)
      ? [
          `it needs ${bytes(memory)} of memory and may use ${bytes(job.limits.memoryBytes)}: ${memoryText}`,
        ]
      : [];
  return {
    engine: speed.engine,
    steps: rounds,
    parameters: 0,
    trainableParameters: 0,
    wallMs: {
      value: Math.ceil(seconds * 1000),
      arithmetic: `${rounds} passes over ${bytes(read)} at ${bytes(bytesPerSecond)} a second: ${duration(seconds)}`,
    },
    memoryBytes: { value: memory, arithmetic: memoryText },
    diskBytes: { value: disk, arithmetic: `at most as much as is read twice: ${bytes(disk)}` },
    refusals,
  };
}

function roundsOf(job: TrainingJob): number {
  if (job.kind !== 'train') return 1;
  const given = job.hyperparameters[job.algorithm === 'linear' ? 'max_iter' : 'n_estimators'];
  return typeof given === 'number' ? given : 1;
}
