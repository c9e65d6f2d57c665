import { freemem, totalmem } from 'node:os';
import type {
  Metric,
  ModelCard,
  TrainingEngine,
  TrainingEvent,
  TrainingJob,
  TrainingPlan,
} from '../../../contract/ml/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import type { StoredDataset } from '../dataset/dataset-store.ts';
import { UnusableModelError } from '../errors.ts';
import type { JobOutcome } from '../jobs/run-job.ts';
import type { MlParts } from '../ml-ports.ts';
import type { Trained } from './training-fields.ts';

const maxLosses = 200;

export interface ResultParts {
  readonly name: string;
  readonly origin: ModelCard['origin'];
  readonly parents: readonly string[];
  readonly dataset?: StoredDataset | undefined;
  readonly licences: readonly string[];
  readonly engine: TrainingEngine;
  readonly outcome: JobOutcome;
}

/** Puts what a job made into the store, with the card that says from what, by what and with what. */
export async function storeResult(
  parts: MlParts,
  made: ResultParts,
  { caller }: CallContext,
): Promise<Trained> {
  const { outcome, name } = made;
  const { model } = outcome.result;
  if (!model) throw new UnusableModelError(name, 'the engine gave no files');
  const version = await parts.models.add(caller, {
    name,
    card: cardOf(parts, made),
    files: model,
  });
  return {
    model: `${name}@${version.version}`,
    is_reused: outcome.isReused,
    resumed: outcome.resumed,
    attempts: outcome.events.flatMap((event) =>
      event.event === 'note' && event.message.startsWith('failed; trying again')
        ? [`${event.message} (${JSON.stringify(event.fields)})`]
        : [],
    ),
    losses: lossesOf(outcome.events),
    metrics: metricsOf(outcome.result.metrics),
    estimate: estimateOf(outcome.plan),
    version,
  };
}

function cardOf({ version: code }: MlParts, made: ResultParts): ModelCard {
  const { origin, parents, dataset, licences, outcome } = made;
  const { job, result, plan, key, resumed, attempts, digests } = outcome;
  const rows =
    dataset && Object.values(dataset.card.splits).reduce((sum, one) => sum + (one?.rows ?? 0), 0);
  return {
    origin,
    parents: [...parents],
    dataset: dataset
      ? { id: dataset.id, hash: dataset.card.hash, source: dataset.card.source, rows: rows ?? 0 }
      : null,
    run: { key, resumed, attempts },
    engine: { name: result.engine, version: result.version },
    code: `${code} ${digests.program}`,
    config: configOf(job),
    environment: {
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      hash: digests.environment,
    },
    seed: job.seed,
    threads: job.threads,
    metrics: metricsOf(result.metrics),
    usage: { ...result.usage },
    estimate: {
      wallMs: plan.wallMs.value,
      memoryBytes: plan.memoryBytes.value,
      diskBytes: plan.diskBytes.value,
    },
    licences: [...licences],
  };
}

function configOf(job: TrainingJob): Record<string, unknown> {
  const { kind } = job;
  if (kind === 'quantize') return { kind, quantization: job.quantization };
  const method =
    kind === 'finetune'
      ? { method: job.method }
      : kind === 'train'
        ? { task: job.task, algorithm: job.algorithm }
        : {};
  return { kind, ...method, ...job.hyperparameters };
}

export function metricsOf(values: Readonly<Record<string, number>>): Record<string, Metric> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, low: null, high: null }]),
  );
}

/** Of each step the last report, thinned. */
export function lossesOf(events: readonly TrainingEvent[]): { step: number; loss: number }[] {
  const byStep = new Map<number, number>();
  for (const event of events) if (event.event === 'step') byStep.set(event.step, event.loss);
  const all = [...byStep]
    .map(([step, loss]) => ({ step, loss }))
    .toSorted((a, b) => a.step - b.step);
  const every = Math.ceil(all.length / maxLosses) || 1;
  return all.filter((_, at) => at % every === 0 || at === all.length - 1);
}

export function estimateOf(plan: TrainingPlan): Trained['estimate'] {
  const { wallMs, memoryBytes, diskBytes } = plan;
  const memory = `memory of this machine: ${Math.round(totalmem() / 1e6)} MB, ${Math.round(freemem() / 1e6)} MB free`;
  return {
    engine: plan.engine,
    steps: plan.steps,
    parameters: plan.parameters,
    trainable_parameters: plan.trainableParameters,
    wall_ms: wallMs.value,
    memory_bytes: memoryBytes.value,
    disk_bytes: diskBytes.value,
    arithmetic: [
      `time: ${wallMs.arithmetic}`,
      `memory: ${memoryBytes.arithmetic}`,
      `disk: ${diskBytes.arithmetic}`,
      memory,
    ],
    refusals: plan.refusals,
  };
}
