import type { Hyperparameters, TrainingJob } from '../../../contract/ml/index.ts';
import cures from './cures.json' with { type: 'json' };

export interface Cure {
  readonly cure: string;
  readonly job: TrainingJob;
}

interface FailureFacts {
  readonly code: string;
  /** Ids of known failures that it is like, best first. */
  readonly known: readonly string[];
}

/** The harmless change that is known to cure a failure; undefined where there is none or it would change nothing. */
export function chooseCure(job: TrainingJob, { code, known }: FailureFacts): Cure | undefined {
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

export function changedKeys(before: Hyperparameters, after: Hyperparameters): readonly string[] {
  return Object.keys(after).filter((key) => before[key] !== after[key]);
}
