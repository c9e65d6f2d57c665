import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  HashedFile,
  Metrics,
  ModelFile,
  TrainingEvent,
  TrainingJob,
  TrainingWatch,
} from '../../../contract/ml/index.ts';
import type {
  Sandbox,
  SandboxLimits,
  SandboxMount,
  SandboxProgram,
  SandboxResult,
} from '../../../contract/sandbox/index.ts';
import {
  digestJson,
  type FaultPoint,
  type Log,
  noFaults,
  recordOf,
} from '../../../kernel/index.ts';
import {
  checkFolder,
  FrameReader,
  hashFile,
  listSteps,
  removePartial,
  type StoredFolder,
} from '../checkpoints/index.ts';
import { CheckpointOfOtherJobError, InputChangedError, TrainingFailedError } from '../errors.ts';
import { TrainerOutput } from './trainer-output.ts';

/** What every engine needs of its surroundings. */
export interface EngineContext {
  readonly sandbox: () => Promise<Pick<Sandbox, 'run'>>;
  /** Of one sandbox; a job that needs longer goes on in the next. */
  readonly ceilings: Pick<
    SandboxLimits,
    'wallMs' | 'cpuMs' | 'memoryBytes' | 'diskBytes' | 'outputBytes'
  >;
  readonly version: string;
  readonly log: Log;
  /** For tests of the death of this process. */
  readonly faults?: FaultPoint;
}

/** A program for the sandbox, and what it reads. */
export interface Trainer {
  readonly engine: string;
  readonly toolchain: string;
  readonly program: SandboxProgram;
  readonly sources: Readonly<Record<string, string | Uint8Array>>;
  readonly mounts: readonly SandboxMount[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the program is to do; usually the kind of the job. */
  readonly task: string;
  /** Upper bound of one checkpoint. */
  readonly checkpointBytes: number;
  /** By name in the specification: files by digest, or whole folders. */
  readonly inputs: Readonly<Record<string, TrainerInput | undefined>>;
}

export type TrainerInput =
  | { readonly file: HashedFile }
  | { readonly folder: string; readonly files: readonly ModelFile[] };

export interface TrainerResult {
  readonly status: 'done' | 'cancelled';
  readonly metrics: Metrics;
  readonly result: StoredFolder | undefined;
  readonly usage: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly peakMemoryBytes: number;
  };
}

/** No job needs more sandboxes; each makes progress or fails. */
const maxSlices = 10_000;
/** Inputs up to this size are copied into the sandbox, so that nothing can change them after they were checked. */
const maxCopiedBytes = 48 * 1024 * 1024;
/** Of the time of a sandbox, for its start and its last checkpoint. */
const sliceShare = 0.8;
const minFreeDiskBytes = 64 * 1024 * 1024;
/** A trainer that does not end after a cancel, with its checkpoint, is killed then. */
const cancelGraceMs = 60_000;
/** Of what a sandbox may write, for reports. */
const outputReserveBytes = 1024 * 1024;
const openFiles = 256;
const pids = 128;

/** Runs a trainer to its end, in as many sandboxes as its limits ask for, from the newest verified checkpoint. */
export async function runTrainer(
  job: TrainingJob,
  trainer: Trainer,
  run: { readonly watch: TrainingWatch; readonly context: EngineContext },
): Promise<TrainerResult> {
  const { watch, context } = run;
  watch.signal.throwIfAborted();
  const jobHash = hashJob(job, trainer, context.version);
  const checkpoints = join(watch.folder, 'checkpoints');
  await mkdir(checkpoints, { recursive: true });
  await removePartial(checkpoints);
  await removePartial(watch.folder);
  const finished = await findResult(watch.folder, jobHash);
  if (finished)
    return { status: 'done', ...finished, usage: { wallMs: 0, cpuMs: 0, peakMemoryBytes: 0 } };
  const inputs = await provideInputs(trainer.inputs);
  const usage = { wallMs: 0, cpuMs: 0, peakMemoryBytes: 0 };
  const sandbox = await context.sandbox();
  for (let slice = 0; slice < maxSlices; slice++) {
    const from = await newestCheckpoint(checkpoints, jobHash, (event) => watch.onEvent(event));
    const output = new TrainerOutput({ jobHash, job, watch, faults: context.faults ?? noFaults });
    const ended = await runSlice(sandbox, { job, trainer, inputs, from, run, output, usage });
    usage.wallMs += ended.usage.wallMs;
    usage.cpuMs += ended.usage.cpuMs;
    usage.peakMemoryBytes = Math.max(usage.peakMemoryBytes, ended.usage.peakMemoryBytes);
    if (output.end === 'done')
      return { status: 'done', metrics: output.metrics, result: output.result, usage };
    if (output.end === 'cancelled')
      return { status: 'cancelled', metrics: {}, result: undefined, usage };
    if (output.end !== 'slice' || usage.wallMs >= job.limits.wallMs)
      throw failureOf(ended, { output, trainer, job });
  }
  throw new TrainingFailedError(trainer.engine, {
    code: 'ml.no_progress',
    message: `it used ${maxSlices} sandboxes`,
  });
}

/** Runs once more with the same folder get what is there. Null where there is none of this job. */
async function findResult(
  folder: string,
  jobHash: string,
): Promise<{ result: StoredFolder; metrics: Metrics } | null> {
  const checked = await checkFolder(join(folder, 'result'));
  if (checked.kind === 'damaged') return null;
  if (checked.job !== jobHash) throw new CheckpointOfOtherJobError(folder);
  const text = await readFile(join(folder, 'result', 'metrics.json'), 'utf8').catch(() => '{}');
  const metrics = Object.entries(recordOf(JSON.parse(text))).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return { result: checked.stored, metrics: Object.fromEntries(metrics) };
}

/** Everything that decides the result. Limits do not. */
function hashJob(job: TrainingJob, trainer: Trainer, version: string): string {
  const program = createHash('sha256');
  for (const [name, text] of Object.entries(trainer.sources)) program.update(name).update(text);
  const files = Object.entries(trainer.inputs).map(([name, input]) => [
    name,
    input === undefined
      ? null
      : 'file' in input
        ? input.file.sha256
        : input.files.map(({ name: of, sha256 }) => [of, sha256]),
  ]);
  const { kind, seed, threads } = job;
  const settings = { ...job, data: null, rows: null, base: null, model: null, limits: null };
  return digestJson({
    engine: trainer.engine,
    version,
    program: program.digest('hex'),
    kind,
    seed,
    threads,
    settings,
    files,
  });
}

interface Provided {
  readonly files: Record<string, Uint8Array>;
  readonly mounts: SandboxMount[];
  /** By name: the path inside. */
  readonly paths: Record<string, string>;
}

/** Checks digests; small inputs are copied, others are mounted read-only. */
async function provideInputs(inputs: Trainer['inputs']): Promise<Provided> {
  const provided: Provided = { files: {}, mounts: [], paths: {} };
  let copied = 0;
  for (const [name, input] of Object.entries(inputs)) {
    if (!input) continue;
    const parts =
      'file' in input
        ? [{ ...input.file, name: '' }]
        : input.files.map((file) => ({ ...file, path: join(input.folder, file.name) }));
    const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
    const isCopied = copied + total <= maxCopiedBytes;
    if (isCopied) copied += total;
    for (const part of parts)
      await checkInput(
        part,
        isCopied,
        (bytes) => (provided.files[join('inputs', name, part.name)] = bytes),
      );
    if (!isCopied)
      provided.mounts.push({
        source: 'file' in input ? input.file.path : input.folder,
        target: `/mnt/${name}`,
      });
    provided.paths[name] = isCopied ? `/work/inputs/${name}` : `/mnt/${name}`;
  }
  return provided;
}

async function checkInput(
  { path, sha256 }: { readonly path: string; readonly sha256: string },
  isCopied: boolean,
  keep: (bytes: Uint8Array) => void,
): Promise<void> {
  const missing = (): never => {
    throw new InputChangedError(path, 'cannot be read');
  };
  const bytes = isCopied ? await readFile(path).catch(missing) : undefined;
  const found = bytes
    ? createHash('sha256').update(bytes).digest('hex')
    : (await hashFile(path).catch(missing)).sha256;
  if (found !== sha256) throw new InputChangedError(path, 'has changed since it was loaded');
  if (bytes) keep(bytes);
}

/** The newest that verifies and belongs to this job. */
async function newestCheckpoint(
  parent: string,
  jobHash: string,
  onEvent: (event: TrainingEvent) => void,
): Promise<StoredFolder | undefined> {
  for (const name of await listSteps(parent)) {
    const checked = await checkFolder(join(parent, name));
    if (checked.kind === 'damaged') {
      onEvent({
        event: 'note',
        message: 'checkpoint passed over',
        fields: { checkpoint: name, reason: checked.reason },
      });
      continue;
    }
    if (checked.job !== jobHash) throw new CheckpointOfOtherJobError(parent);
    return checked.stored;
  }
  return undefined;
}

interface Slice {
  readonly job: TrainingJob;
  readonly trainer: Trainer;
  readonly inputs: Provided;
  readonly from: StoredFolder | undefined;
  readonly run: { readonly watch: TrainingWatch; readonly context: EngineContext };
  readonly output: TrainerOutput;
  readonly usage: { readonly wallMs: number };
}

async function runSlice(sandbox: Pick<Sandbox, 'run'>, slice: Slice): Promise<SandboxResult> {
  const { job, trainer, inputs, from, run, output, usage } = slice;
  const { watch, context } = run;
  const checkpoint = await provideInputs({ checkpoint: from });
  const control = await controlFolder(watch.folder);
  const wallMs = Math.max(
    1_000,
    Math.min(context.ceilings.wallMs, job.limits.wallMs - usage.wallMs),
  );
  const onAbort = (): void => {
    void writeFile(join(control, 'cancel'), '').catch(() => {});
    AbortSignal.timeout(cancelGraceMs).addEventListener('abort', () => output.stop());
  };
  watch.signal.addEventListener('abort', onAbort, { once: true });
  if (watch.signal.aborted) onAbort();
  const reader = new FrameReader(output);
  const files = { ...trainer.sources, ...inputs.files, ...checkpoint.files };
  const spec = specification(slice, { ...inputs.paths, ...checkpoint.paths }, wallMs);
  const mounts = [...inputs.mounts, ...checkpoint.mounts, ...trainer.mounts];
  try {
    return await sandbox.run(
      {
        toolchain: trainer.toolchain,
        program: trainer.program,
        files: { ...files, 'spec.json': JSON.stringify(spec) },
        env: trainer.env ?? {},
        stdin: '',
        limits: limitsOf(slice, { wallMs, inputBytes: sizeOf(files) }),
        mounts: [...mounts, { source: control, target: '/mnt/control' }],
        collect: null,
      },
      {
        signal: output.stopping,
        onOutput: ({ stream, bytes }) => (stream === 'stdout' ? reader.push(bytes) : undefined),
      },
    );
  } finally {
    watch.signal.removeEventListener('abort', onAbort);
    try {
      await reader.finished();
    } finally {
      await output.close();
    }
  }
}

/** Shown read-only to the trainer: a file in it ends the run. */
async function controlFolder(folder: string): Promise<string> {
  const control = join(folder, 'control');
  // The folder stays: a sandbox started by root keeps seeing the one it was shown first.
  await rm(join(control, 'cancel'), { force: true });
  await mkdir(control, { recursive: true });
  await chmod(control, 0o755);
  return control;
}

function specification(
  { job, trainer, run }: Slice,
  inputs: Readonly<Record<string, string>>,
  wallMs: number,
): object {
  const { ceilings, version } = run.context;
  const slice = {
    cancelFile: '/mnt/control/cancel',
    outputBytes: ceilings.outputBytes - outputReserveBytes,
    wallMs: wallMs * sliceShare,
    checkpointBytes: trainer.checkpointBytes,
  };
  return { program: trainer.task, version, job, inputs, slice };
}

function limitsOf(
  { job, run }: Slice,
  { wallMs, inputBytes }: { readonly wallMs: number; readonly inputBytes: number },
): SandboxLimits {
  const { cpuMs, memoryBytes, diskBytes, outputBytes } = run.context.ceilings;
  return {
    wallMs,
    cpuMs,
    cpus: job.threads,
    memoryBytes: Math.min(memoryBytes, job.limits.memoryBytes),
    pids,
    diskBytes: Math.min(diskBytes, inputBytes + minFreeDiskBytes),
    openFiles,
    outputBytes,
  };
}

function sizeOf(files: Readonly<Record<string, string | Uint8Array>>): number {
  return Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
}

/** Text of a program, without control characters. */
const maxLogLetters = 4_000;

function failureOf(
  ended: SandboxResult,
  {
    output,
    trainer,
    job,
  }: { readonly output: TrainerOutput; readonly trainer: Trainer; readonly job: TrainingJob },
): TrainingFailedError {
  const log = Buffer.from(ended.stderr)
    .toString()
    .slice(-maxLogLetters)
    .replaceAll(/[^\P{Cc}\n]/gu, ' ');
  if (output.failure) return new TrainingFailedError(trainer.engine, { ...output.failure, log });
  const { memoryBytes, wallMs } = job.limits;
  if (ended.reason === 'memory')
    return new TrainingFailedError(trainer.engine, {
      code: 'ml.out_of_memory',
      message: `it used more than its ${memoryBytes} bytes of memory`,
      log,
    });
  if (ended.reason !== null || output.end === 'slice') {
    const message =
      output.end === 'slice'
        ? `it did not end within ${wallMs} ms`
        : `the sandbox ended it: ${ended.reason}`;
    return new TrainingFailedError(trainer.engine, { code: 'ml.limit_reached', message, log });
  }
  const how = ended.signal ?? `exit code ${ended.exitCode}`;
  return new TrainingFailedError(trainer.engine, {
    code: 'ml.trainer_died',
    message: `the trainer ended with ${how} before it was done`,
    log,
  });
}
