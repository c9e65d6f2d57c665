import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  EngineReport,
  Hyperparameters,
  TrainingEngine,
  TrainingEvent,
  TrainingJob,
  TrainingPlan,
  TrainingResult,
} from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { reportError } from '../../../kernel/index.ts';
import { TrainingRefusedError } from '../errors.ts';
import type { MlParts } from '../ml-ports.ts';
import cures from './cures.json' with { type: 'json' };
import {
  appendEvent,
  type FinishedJob,
  jobFolderOf,
  jobKey,
  readEvents,
  readFinished,
  withJobFolder,
  writeFinished,
} from './job-folder.ts';

/** The first attempt and those with a cure. */
const maxAttempts = 3;

export interface JobOutcome extends FinishedJob {
  readonly key: string;
  readonly plan: TrainingPlan;
  readonly digests: EngineReport['digests'];
  /** The result was there already. */
  readonly isReused: boolean;
  readonly events: readonly TrainingEvent[];
}

type Parts = Pick<MlParts, 'home' | 'experience' | 'log'>;

/**
 * Runs a job to its result, in a folder that its content names: the same job reuses the finished result, and continues
 * from its last verified checkpoint where an earlier call was killed.
 */
export async function runJob(
  parts: Parts,
  { job, engine, what }: { job: TrainingJob; engine: TrainingEngine; what: string },
  context: CallContext,
): Promise<JobOutcome> {
  const report = await engine.probe();
  const { digests } = report;
  const key = jobKey(job, report);
  const folder = jobFolderOf(parts.home, key);
  const plan = await engine.plan(job);
  if (plan.refusals.length > 0) throw new TrainingRefusedError(what, plan.refusals);
  return withJobFolder(folder, { key, signal: context.signal }, async () => {
    const known = await readFinished(folder);
    if (known)
      return { ...known, key, plan, digests, isReused: true, events: await readEvents(folder) };
    const earlier = await readEvents(folder);
    const resumed = earlier.filter(({ event }) => event === 'start').length;
    const reporter = reportProgress(context, what);
    try {
      const attempt = { job, engine, folder, onEvent: reporter.onEvent };
      const finished = { ...(await attemptUntilCured(parts, attempt, context)), resumed };
      await writeFinished(folder, finished);
      await rm(join(folder, 'attempt-1', 'checkpoints'), { recursive: true, force: true });
      return { ...finished, key, plan, digests, isReused: false, events: await readEvents(folder) };
    } finally {
      reporter.stop();
    }
  });
}

interface Attempt {
  readonly job: TrainingJob;
  readonly engine: TrainingEngine;
  readonly folder: string;
  readonly onEvent: (event: TrainingEvent) => void;
}

/** Tries harmless cures of known failures, each recorded with what it changed and whether it helped. */
async function attemptUntilCured(
  parts: Parts,
  { job: first, engine, folder, onEvent }: Attempt,
  context: CallContext,
): Promise<Omit<FinishedJob, 'resumed'>> {
  let job = first;
  for (let attempts = 1; ; attempts += 1) {
    const own = join(folder, `attempt-${attempts}`);
    const tell = (event: TrainingEvent): void => {
      onEvent(event);
      void appendEvent(folder, event).catch((error: unknown) =>
        parts.log.warn('failed to record training event', { error }),
      );
    };
    const recorded = attemptOf(job, engine.name);
    try {
      const result = await engine.run(job, { signal: context.signal, onEvent: tell, folder: own });
      assertDone(result, context.signal);
      if (attempts > 1) parts.experience.succeeded(context.caller, recorded);
      return { result, job, attempts };
    } catch (error) {
      context.signal.throwIfAborted();
      const report = reportError(error);
      if (report.code === 'internal.bug') throw error;
      parts.experience.failed(context.caller, { ...recorded, error: report });
      const cured = await cureFor(parts, { job, report }, context);
      if (!cured || attempts === maxAttempts) throw error;
      const fields = { attempt: attempts, failure: report.code, changed: cured.changed };
      tell({ event: 'note', message: `failed; trying again with ${cured.cure}`, fields });
      job = cured.job;
    }
  }
}

/** A cancelled run is a cancelled call: its checkpoint is there for the next one. */
function assertDone({ status }: TrainingResult, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (status !== 'done') throw new Error('the engine ended a run that was not cancelled');
}

function attemptOf(job: TrainingJob, engine: string) {
  const values = 'hyperparameters' in job ? job.hyperparameters : {};
  return {
    kind: 'program' as const,
    subject: `ml.${job.kind}`,
    target: `ml.${job.kind} ${'data' in job ? job.data.train.sha256.slice(0, 16) : ''}`,
    arguments: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'object' ? [...value] : value,
      ]),
    ),
    surroundings: { engine, threads: String(job.threads) },
  };
}

async function cureFor(
  { experience }: Parts,
  { job, report }: { job: TrainingJob; report: { code: string; message: string } },
  { caller }: CallContext,
) {
  const query = { kind: 'text', text: report.message } as const;
  const { suggestions } = await experience.explain(caller, query);
  const known = suggestions.flatMap(({ fixId }) => /^shipped:([^:]+):/.exec(fixId)?.[1] ?? []);
  const cure = chooseCure(job, { code: report.code, known });
  if (!cure || !('hyperparameters' in job) || !('hyperparameters' in cure.job)) return undefined;
  return { ...cure, changed: changedKeys(job.hyperparameters, cure.job.hyperparameters) };
}

interface Cure {
  readonly cure: string;
  readonly job: TrainingJob;
}

interface FailureFacts {
  readonly code: string;
  /** Ids of known failures that it is like, best first. */
  readonly known: readonly string[];
}

/** The harmless change that is known to cure a failure; undefined where there is none or it would change nothing. */
function chooseCure(job: TrainingJob, { code, known }: FailureFacts): Cure | undefined {
  if (!('hyperparameters' in job)) return undefined;
  const rule =
    cures.find(({ codes }) => codes.includes(code)) ??
    cures.find(({ failures }) => failures.includes(known[0] ?? ''));
  if (!rule) return undefined;
  const scale: Readonly<Record<string, number>> = rule.scale;
  const hyperparameters = { ...job.hyperparameters };
  for (const [key, factor] of Object.entries(scale)) {
    const value = hyperparameters[key];
    if (typeof value !== 'number') return undefined;
    const isWhole = Number.isInteger(value) && factor >= 0.5;
    const next = isWhole ? Math.floor(value * factor) : value * factor;
    // A batch of one cannot be halved.
    if (next < 1 && isWhole) return undefined;
    hyperparameters[key] = next;
  }
  return { cure: rule.cure, job: { ...job, hyperparameters } };
}

function changedKeys(before: Hyperparameters, after: Hyperparameters): readonly string[] {
  return Object.keys(after).filter((key) => before[key] !== after[key]);
}

/** `finetune:lora`, `quantize:q8_0`, `train:boosted`, `evaluate`, as engines name what they can do. */
function abilityOf(job: TrainingJob): readonly string[] {
  const detail =
    job.kind === 'finetune'
      ? job.method
      : job.kind === 'quantize'
        ? job.quantization
        : job.kind === 'train'
          ? job.algorithm
          : job.model.format;
  return [`${job.kind}:${detail}`, job.kind];
}

/** The first engine that can do the job, or the one that is asked for. Throws `ml.refused` with what each lacks. */
export async function chooseEngine(
  engines: readonly TrainingEngine[],
  job: TrainingJob,
  wanted?: string,
): Promise<TrainingEngine> {
  const abilities = abilityOf(job);
  const reasons: string[] = [];
  for (const engine of engines.filter(({ name }) => wanted === undefined || name === wanted)) {
    const { can, cannot } = await engine.probe();
    if (abilities.some((ability) => can.includes(ability))) return engine;
    const found = cannot.find(({ what }) => abilities.includes(what));
    const fix = found?.fix === undefined ? '' : ` (${found.fix})`;
    reasons.push(`${engine.name}: ${found?.reason ?? `it cannot ${abilities[0]}`}${fix}`);
  }
  if (reasons.length === 0) {
    const names = engines.map(({ name }) => name).join(', ');
    reasons.push(
      wanted === undefined ? 'there is no engine' : `there is no engine "${wanted}", only ${names}`,
    );
  }
  throw new TrainingRefusedError(`${job.kind} (${abilities[0]})`, reasons);
}

/** Between two reports while nothing new is heard; the protocol asks for growing numbers. */
const heartbeatMs = 1_500;
const heartbeatStep = 1e-4;
const maxPlotted = 24;
const bars = '▁▂▃▄▅▆▇█';
const megabyte = 1_048_576;

interface ProgressReporter {
  readonly onEvent: (event: TrainingEvent) => void;
  readonly stop: () => void;
}

/** Events as progress of the call: one line with a small plot of the loss, at least every two seconds. */
function reportProgress(context: Pick<CallContext, 'progress'>, what: string): ProgressReporter {
  let last = { progress: 0, total: 1, message: `${what}: starting` };
  const losses: number[] = [];
  const send = (): void => context.progress(last);
  const beat = setInterval(() => {
    last = { ...last, progress: last.progress + heartbeatStep };
    send();
  }, heartbeatMs);
  send();
  return {
    stop: () => clearInterval(beat),
    onEvent(event) {
      if (event.event === 'step') losses.push(event.loss);
      const message = describeEvent(event, losses);
      if (message === undefined) return;
      const counted = event.event === 'step' ? { progress: event.step, total: event.steps } : last;
      // Attempts begin anew, and what is shown must not go back.
      const progress = Math.max(counted.progress, last.progress + heartbeatStep);
      last = { progress, total: Math.max(counted.total, progress), message: `${what}: ${message}` };
      send();
    },
  };
}

function describeEvent(event: TrainingEvent, losses: readonly number[]): string | undefined {
  switch (event.event) {
    case 'start':
      return `${event.engine} ${event.version}, ${event.trainableParameters.toLocaleString('en')} of ${event.parameters.toLocaleString('en')} parameters, from step ${event.fromStep} of ${event.steps}`;
    case 'step': {
      const parts = [
        `step ${event.step}/${event.steps}`,
        `loss ${event.loss.toFixed(4)} ${plotLine(losses)}`,
        ...(event.tokensPerSecond > 0 ? [`${Math.round(event.tokensPerSecond)} tokens/s`] : []),
        `${Math.round(event.memoryBytes / megabyte)} MB`,
        `${formatDuration(event.etaMs)} left`,
      ];
      return parts.join(' · ');
    }
    case 'eval': {
      const metrics = Object.entries(event.metrics).map(
        ([name, value]) => `${name} ${value.toFixed(4)}`,
      );
      return `step ${event.step}, ${event.split}: ${metrics.join(', ')}`;
    }
    case 'checkpoint':
      return `checkpoint of step ${event.step}`;
    case 'note':
      return event.message;
    case 'done':
    case 'error':
      return undefined;
  }
}

/** The course of the loss in one line. */
export function plotLine(values: readonly number[]): string {
  const finite = values.filter(Number.isFinite);
  const width = Math.min(maxPlotted, finite.length);
  const picked = Array.from(
    { length: width },
    (_, at) => finite[Math.floor((at * finite.length) / width)] ?? 0,
  );
  const least = Math.min(...picked);
  const range = Math.max(...picked) - least || 1;
  return picked
    .map((value) => bars[Math.round(((value - least) / range) * (bars.length - 1))])
    .join('');
}

const secondMs = 1_000;
const minute = 60;

export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / secondMs));
  if (seconds < minute) return `${seconds} s`;
  const minutes = Math.round(seconds / minute);
  if (minutes < 2 * minute) return `${minutes} min`;
  const hours = minutes / minute;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} days`;
}
