import table from './hyperparameters.json' with { type: 'json' };
import type { Hyperparameters, TrainingJob } from './training.ts';

/** One key: its default, its bounds and what it means. */
export interface Hyperparameter {
  readonly default: number | string | boolean | readonly string[];
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly oneOf?: readonly string[] | undefined;
  readonly description: string;
}

const groups: Readonly<Record<string, Readonly<Record<string, Hyperparameter>>>> = table;

type JobOutline = Pick<TrainingJob, 'kind'> & { readonly algorithm?: string | undefined };

/** All keys that a job of this kind takes. */
export function hyperparametersFor(job: JobOutline): Readonly<Record<string, Hyperparameter>> {
  return groups[job.kind] ?? groups[`${job.kind}:${job.algorithm}`] ?? {};
}

export interface SettledHyperparameters {
  /** What was given, and defaults for the rest. */
  readonly values: Hyperparameters;
  /** One sentence for each unknown key or bad value. */
  readonly problems: readonly string[];
}

/** Fills in defaults and checks names, types and bounds. Never throws. */
export function settleHyperparameters(
  job: JobOutline,
  given: Readonly<Record<string, unknown>>,
): SettledHyperparameters {
  const known = hyperparametersFor(job);
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(known, key));
  const problems = unknown.map(
    (key) =>
      `"${key}" is not a hyperparameter of ${job.kind}; there are ${Object.keys(known).join(', ')}`,
  );
  const values: Record<string, Hyperparameters[string]> = {};
  for (const [key, entry] of Object.entries(known)) {
    const value = given[key] ?? entry.default;
    if (fits(value, entry)) values[key] = value;
    else problems.push(`${key} is ${JSON.stringify(value)}, and it must be ${describe(entry)}`);
  }
  return { values, problems };
}

function fits(value: unknown, entry: Hyperparameter): value is Hyperparameters[string] {
  if (Array.isArray(entry.default)) {
    return (
      Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
    );
  }
  if (typeof value !== typeof entry.default) return false;
  if (entry.oneOf) return entry.oneOf.some((one) => one === value);
  if (typeof value !== 'number') return true;
  if (entry.least === undefined) return Number.isFinite(value) && value >= 0;
  return Number.isSafeInteger(value) && value >= entry.least && value <= (entry.most ?? Infinity);
}

function describe(entry: Hyperparameter): string {
  if (entry.oneOf) return `one of ${entry.oneOf.join(', ')}`;
  if (Array.isArray(entry.default)) return 'a list of names';
  if (typeof entry.default !== 'number') return `a ${typeof entry.default}`;
  if (entry.least === undefined) return 'a number, 0 or more';
  return `a whole number from ${entry.least} to ${entry.most}`;
}
