import type { TrainingJob, TrainingPlan } from '../../../contract/ml/index.ts';
import { bytes, duration, type EngineSpeed } from './plan-finetune.ts';

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
