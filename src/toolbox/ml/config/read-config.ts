import { parse as parseYaml } from 'yaml';
import { hyperparametersFor, settleHyperparameters } from '../../../contract/ml/index.ts';
import type { Hyperparameters } from '../../../contract/ml/index.ts';
import { nearest } from '../../../kernel/index.ts';
import { isObject } from '../dataset/read-json.ts';
import { TrainingConfigError } from '../errors.ts';
import keys from './config-keys.json' with { type: 'json' };

export interface ConfigKind {
  readonly kind: 'finetune' | 'train' | 'evaluate' | 'predict';
  readonly algorithm?: string | undefined;
}

export interface ReadConfig {
  /** Base, dataset, method, seed …: what is no hyperparameter. */
  readonly frame: Readonly<Record<string, string | number>>;
  /** All of them, defaults included. */
  readonly hyperparameters: Hyperparameters;
  /** Names in the configuration by the name they have here. */
  readonly understood: Readonly<Record<string, string>>;
  readonly defaults: readonly string[];
  readonly ignored: readonly { readonly key: string; readonly reason: string }[];
}

const impossible: Readonly<Record<string, string>> = keys.impossible;
const ignorable: Readonly<Record<string, string>> = keys.ignored;
const maxDepth = 3;

/** A configuration with the key names of the field. Throws `ml.bad_config` with every problem at once. */
export function readConfig(kind: ConfigKind, given: Readonly<Record<string, unknown>>): ReadConfig {
  const known = hyperparametersFor(kind);
  const frame: Record<string, string | number> = {};
  const values: Record<string, unknown> = {};
  const understood: Record<string, string> = {};
  const ignored: { key: string; reason: string }[] = [];
  const problems: string[] = [];
  for (const [key, value] of flatten(given)) {
    const name = canonical(key, known);
    if (name !== undefined && name in values)
      problems.push(`"${key}" and "${understoodAs(understood, name)}" are the same key`);
    else if (name !== undefined) {
      values[name] = value;
      understood[key] = name;
    } else if (!readFrame({ key, value }, frame, understood)) {
      const reason = Object.hasOwn(impossible, key) ? impossible[key] : undefined;
      if (reason !== undefined && isOff(value)) ignored.push({ key, reason: 'it is off' });
      else if (reason !== undefined) problems.push(`"${key}" is not possible: ${reason}`);
      else if (Object.hasOwn(ignorable, key)) ignored.push({ key, reason: ignorable[key] ?? '' });
      else problems.push(unknownKey(key, known));
    }
  }
  const settled = settleHyperparameters(kind, values);
  problems.push(...settled.problems);
  if (problems.length > 0) throw new TrainingConfigError(problems);
  const defaults = Object.keys(settled.values).filter((name) => !(name in values));
  return { frame, hyperparameters: settled.values, understood, defaults, ignored };
}

/** YAML or JSON. */
export function parseConfig(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseYaml(text, { maxAliasCount: 0 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TrainingConfigError([`it is neither YAML nor JSON: ${reason.split('\n')[0]}`]);
  }
  if (isObject(value)) return value;
  throw new TrainingConfigError(['it must be a table of keys and values']);
}

/** Groups (`training: {…}`) count as if their keys were outside; a list of datasets is its first path. */
function flatten(given: Readonly<Record<string, unknown>>, depth = 0): [string, unknown][] {
  return Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'datasets' && Array.isArray(value)) {
      const [first]: unknown[] = value;
      return [['dataset', isObject(first) ? first['path'] : first]];
    }
    if (isObject(value) && depth < maxDepth) return flatten(value, depth + 1);
    return value === null || value === undefined ? [] : [[key, value]];
  });
}

const plain = (key: string): string => key.toLowerCase().replaceAll('-', '_');

function canonical(key: string, known: object): string | undefined {
  const name = plain(key);
  if (Object.hasOwn(known, name)) return name;
  return Object.entries(keys.aliases).find(
    ([own, others]) => Object.hasOwn(known, own) && others.includes(name),
  )?.[0];
}

const understoodAs = (understood: Readonly<Record<string, string>>, name: string): string =>
  Object.keys(understood).find((key) => understood[key] === name) ?? name;

function readFrame(
  { key, value }: { readonly key: string; readonly value: unknown },
  frame: Record<string, string | number>,
  understood: Record<string, string>,
): boolean {
  const name = plain(key);
  const found = Object.entries(keys.frame).find(
    ([own, others]) => own === name || others.includes(name),
  )?.[0];
  if (found === undefined || (typeof value !== 'string' && typeof value !== 'number')) return false;
  frame[found] = value;
  understood[key] = found;
  return true;
}

const isOff = (value: unknown): boolean =>
  value === false || value === 0 || value === 'no' || value === 'auto';

function unknownKey(key: string, known: object): string {
  const names = [
    ...Object.keys(known),
    ...Object.keys(keys.frame),
    ...Object.entries(keys.aliases).flatMap(([own, others]) =>
      Object.hasOwn(known, own) ? others : [],
    ),
  ];
  const close = nearest(plain(key), names);
  return `"${key}" is not a key of a configuration${close === undefined ? '' : `; did you mean "${close}"?`}`;
}
