import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  EngineReport,
  FinetuneJob,
  TrainingEngine,
  TrainingJob,
  TrainingPlan,
  TrainingResult,
  TrainingWatch,
} from '../../../../contract/ml/index.ts';
import type { Sandbox, SandboxLimits, SandboxMount } from '../../../../contract/sandbox/index.ts';
import { digestJson, recordOf } from '../../../../kernel/index.ts';
import { inputsOf, planJob, settle } from '../embedded/embedded-engine.ts';
import { JobRefusedError } from '../../errors.ts';
import { finishResult } from '../finish-result.ts';
import type { EngineSpeed } from '../plan-finetune.ts';
import { hashProgram, nodeDigest, readEmbeddedProgram, readProgram } from '../program-files.ts';
import { type EngineContext, runTrainer, type Trainer, type TrainerInput } from '../run-trainer.ts';

/** A Python to use, by its path inside the sandbox: never `python3`, which may be another one. */
export interface PythonEnvironment {
  readonly interpreter: string;
  /** What of it lies outside of `/usr`, shown read-only where it is. */
  readonly mounts: readonly SandboxMount[];
  /** Changes when something in it is installed. */
  readonly hash: string;
}

interface PythonContext extends EngineContext {
  readonly sandbox: () => Promise<Pick<Sandbox, 'run'>>;
  /** Those of this moment, tried in this order; the first with torch is used. */
  readonly environments: () => Promise<readonly PythonEnvironment[]>;
}

export const systemPython: PythonEnvironment = {
  interpreter: '/usr/bin/python3',
  mounts: [],
  hash: '',
};

const mebibyte = 1024 * 1024;
const probeLimits: SandboxLimits = {
  wallMs: 120_000,
  cpuMs: 60_000,
  cpus: 1,
  memoryBytes: 2048 * mebibyte,
  pids: 64,
  diskBytes: 16 * mebibyte,
  openFiles: 256,
  outputBytes: mebibyte,
};
/** Reference BLAS does about three; OpenBLAS over forty. */
const slowGigaflops = 10;
/** Of what OpenBLAS does in a product of matrices, what a whole step of training does. */
const stepShare = 0.4;

interface FoundPython extends PythonEnvironment {
  readonly python: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly gigaflops: number;
  /** Of Python and all packages in it. */
  readonly digest: string;
}

/** Fine-tunes on torch, with our own trainer: the same job and checkpoints as the embedded engine. */
export function createPythonEngine(context: PythonContext): TrainingEngine {
  const search = createSearch(context);
  const plan = async (given: TrainingJob): Promise<TrainingPlan> => {
    const { job, problems } = settle(given);
    const { python, tried } = await search();
    const planned = await planJob(job, speedOf(python, context));
    const missing = python
      ? []
      : [`no Python with torch was found (tried ${tried.join(', ')}). ${fix}`];
    const unsupported =
      job.kind === 'finetune'
        ? []
        : [`it does not do jobs of the kind "${job.kind}"; use the engine "embedded"`];
    return { ...planned, refusals: [...problems, ...unsupported, ...missing, ...planned.refusals] };
  };
  return {
    name: 'python',
    probe: async () => {
      const { python } = await search();
      return { ...report(python, context), digests: await digestsOf(python) };
    },
    plan,
    run: async (given, watch) => {
      const planned = await plan(given);
      const { job } = settle(given);
      const { python } = await search();
      if (planned.refusals.length > 0 || !python || job.kind !== 'finetune')
        throw new JobRefusedError('python', planned.refusals);
      return finetune(job, { planned, python, watch, context });
    },
  };
}

const fix =
  'Debian: apt-get install --no-install-recommends python3-torch libopenblas0-pthread (230 MB)';

/** Texts are prepared by the embedded program, in Node. */
async function digestsOf(python: FoundPython | undefined): Promise<EngineReport['digests']> {
  const { 'trainer.py': trainer = '' } = await readProgram('python/program');
  const program = hashProgram({ ...(await readEmbeddedProgram()), 'trainer.py': trainer });
  return { program, environment: digestJson([nodeDigest(), python?.digest ?? null]) };
}

function report(
  torch: FoundPython | undefined,
  context: PythonContext,
): Omit<EngineReport, 'digests'> {
  const cannot: { what: string; reason: string; fix?: string }[] = [
    {
      what: 'train',
      reason: 'tables and text classification are trained by the engine "embedded"',
    },
    { what: 'gpu', reason: 'it computes on the processor; not tried on a GPU' },
    { what: 'lora_dropout', reason: 'adapters are trained without dropout' },
  ];
  if (!torch) cannot.push({ what: 'finetune', reason: 'no Python with torch was found', fix });
  else if (torch.gigaflops < slowGigaflops)
    cannot.push({
      what: 'speed',
      reason: `torch does ${torch.gigaflops.toFixed(1)} GFLOP a second: it uses the reference BLAS`,
      fix: 'apt-get install --no-install-recommends libopenblas0-pthread',
    });
  for (const name of ['transformers', 'peft']) {
    if (torch && torch.modules[name] === undefined)
      cannot.push({
        what: name,
        reason: `the module "${name}" is not there; models of the Llama shape do without`,
      });
  }
  const version = torch
    ? `python ${torch.python}, torch ${torch.modules['torch']}`
    : context.version;
  return {
    engine: 'python',
    version,
    can: torch ? ['finetune:full', 'finetune:lora'] : [],
    cannot,
  };
}

function speedOf(python: FoundPython | undefined, context: PythonContext): EngineSpeed {
  return {
    engine: 'python',
    flopsPerSecond: (python?.gigaflops ?? 1) * 1e9 * stepShare,
    baseBytes: 230e6,
    weightCopies: 2,
    addressableBytes: Number.MAX_SAFE_INTEGER,
    outputBytes: context.ceilings.outputBytes,
  };
}

interface Searched {
  readonly python: FoundPython | undefined;
  readonly tried: readonly string[];
}

/**
 * The first environment of this moment that has torch: one that was built a second ago counts. What was measured is kept as
 * long as nothing is installed in it; what had no torch is tried again.
 */
function createSearch(context: PythonContext): () => Promise<Searched> {
  const measured = new Map<string, FoundPython>();
  return async () => {
    const environments = await context.environments();
    const tried: string[] = [];
    for (const environment of environments) {
      const { interpreter, hash } = environment;
      const key = `${interpreter} ${hash}`;
      const python = measured.get(key) ?? (await measure(environment, context));
      if (python?.modules['torch'] !== undefined) {
        measured.set(key, python);
        return { python, tried };
      }
      tried.push(interpreter);
    }
    return { python: undefined, tried };
  };
}

/** Undefined for one that does not work in the sandbox. */
async function measure(
  environment: PythonEnvironment,
  { sandbox, log }: PythonContext,
): Promise<FoundPython | undefined> {
  const { 'probe.py': probe = '' } = await readProgram('python/program');
  const { interpreter } = environment;
  try {
    const result = await (
      await sandbox()
    ).run({
      toolchain: 'shell',
      program: { kind: 'command', argv: [interpreter, 'probe.py'] },
      files: { 'probe.py': probe },
      env: singleThread(1),
      stdin: '',
      limits: probeLimits,
      mounts: environment.mounts,
      collect: null,
    });
    if (result.exitCode !== 0) return undefined;
    const said = Buffer.from(result.stdout).toString().trim().split('\n').at(-1) ?? '';
    const { python, modules, gigaflops, installed } = recordOf(JSON.parse(said));
    const versions = Object.entries(recordOf(modules)).map(([name, version]) => [
      name,
      String(version),
    ]);
    return {
      ...environment,
      python: String(python),
      modules: Object.fromEntries(versions),
      gigaflops: Number(gigaflops),
      digest: digestJson([String(python), Array.isArray(installed) ? installed : []]),
    };
  } catch (error) {
    // One that the sandbox may not show, or that says something else, is passed over.
    log.info('python passed over', { interpreter, error });
    return undefined;
  }
}

function singleThread(threads: number): Record<string, string> {
  return { OMP_NUM_THREADS: String(threads), OPENBLAS_NUM_THREADS: String(threads) };
}

interface PythonRun {
  readonly planned: TrainingPlan;
  readonly python: FoundPython;
  readonly watch: TrainingWatch;
  readonly context: PythonContext;
}

/** First the texts become tokens in Node, because the tokenizer is ours; then torch trains on them. */
async function finetune(
  job: FinetuneJob,
  { planned, python, watch, context }: PythonRun,
): Promise<TrainingResult> {
  const version = `${context.version} torch ${python.modules['torch']}`;
  const frame = {
    engine: 'python',
    mounts: [],
    checkpointBytes: planned.trainableParameters * 12 + 1e6,
  };
  const preparing: Trainer = {
    ...frame,
    toolchain: 'node',
    program: { kind: 'node', main: 'main.mjs', args: [] },
    sources: await readEmbeddedProgram(),
    task: 'prepare',
    inputs: inputsOf(job),
  };
  const folder = join(watch.folder, 'tokens');
  await mkdir(folder, { recursive: true });
  const quiet = { ...watch, folder, onEvent: () => {} };
  const prepared = await runTrainer(job, preparing, { watch: quiet, context });
  const inputs: Record<string, TrainerInput | undefined> = { base: inputsOf(job)['base'] };
  for (const { name, sha256, bytes } of prepared.result?.files ?? []) {
    if (name.endsWith('.tokens'))
      inputs[`tokens_${name.slice(0, -'.tokens'.length)}`] = {
        file: { path: join(folder, 'result', name), sha256, bytes },
      };
  }
  const { 'trainer.py': program = '' } = await readProgram('python/program');
  const trainer: Trainer = {
    ...frame,
    toolchain: 'shell',
    program: { kind: 'command', argv: [python.interpreter, 'trainer.py'] },
    sources: { 'trainer.py': program },
    mounts: python.mounts,
    env: singleThread(job.threads),
    task: 'finetune',
    inputs,
  };
  const ended = await runTrainer(job, trainer, { watch, context: { ...context, version } });
  return finishResult(job, ended, { engine: 'python', version, folder: watch.folder });
}
