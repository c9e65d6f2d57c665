import { z } from 'zod';
import { lookupTable, nearest } from '../kernel/index.ts';
import { checkValue, unknownKey } from './check-value.ts';
import { asSchema, isRecord, type Setting, unwrap } from './setting.ts';
import {
  type Assignment,
  joinKey,
  joinLayers,
  type Layer,
  type SettingProblem,
  type SettingSource,
} from './settings.ts';

/** Settings given on the command line, by dotted key. */
export function readFlags(
  settings: readonly Setting[],
  flags: Readonly<Record<string, unknown>>,
): Layer {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const layers = Object.entries(flags).map(([key, value]): Layer => {
    if (value === undefined) return empty;
    const setting = byKey.get(key);
    if (setting) return readValue(setting, value, { kind: 'flag' });
    const { suggestion, found } = unknownKey(key, [...byKey.keys()]);
    const source = { kind: 'flag' } as const;
    const expected = 'a setting ("tutti config" lists them)';
    return { assignments: [], problems: [{ source, key, expected, found, suggestion }] };
  });
  return joinLayers(layers);
}

/** Settings in environment variables. An empty variable counts as not set. */
export function readEnvironment(
  settings: readonly Setting[],
  env: Readonly<Record<string, string | undefined>>,
): Layer {
  const layers = settings.map((setting): Layer => {
    const name = setting.variables.find((variable) => (env[variable] ?? '') !== '');
    return name === undefined ? empty : readValue(setting, env[name], { kind: 'env', name });
  });
  return joinLayers(layers);
}

/** A warning for each `TUTTI_…` variable that no setting has; the ones in `reserved` mean something elsewhere. */
export function warnOfUnknownVariables(
  settings: readonly Setting[],
  env: Readonly<Record<string, string | undefined>>,
  reserved: readonly string[],
): string[] {
  const known = new Set([...settings.flatMap((setting) => setting.variables), ...reserved]);
  return Object.keys(env)
    .filter((name) => name.startsWith('TUTTI_') && !known.has(name))
    .map((name) => {
      const meant = nearest(name, known);
      const hint = meant === undefined ? '' : `. Did you mean ${meant}?`;
      return `The environment variable ${name} sets nothing: there is no such setting${hint}`;
    });
}

/** The values of a setting as assignments: one, or one per entry of a map. */
function assign(setting: Setting, value: unknown, source: SettingSource): Assignment[] {
  if (!setting.isMap || !isRecord(value)) return [{ setting, value, source }];
  return Object.entries(value).map(([entry, inner]) => ({ setting, entry, value: inner, source }));
}

const empty: Layer = { assignments: [], problems: [] };

function readValue(setting: Setting, given: unknown, source: SettingSource): Layer {
  const value = typeof given === 'string' ? coerceText(setting.schema, given) : given;
  const problems = checkValue(setting.schema, value).map(
    ({ path, isKey: _isKey, ...problem }): SettingProblem => ({
      source,
      key: joinKey(setting.key, path),
      ...problem,
    }),
  );
  return problems.length > 0
    ? { assignments: [], problems }
    : { assignments: assign(setting, value, source), problems };
}

const numberPattern = /^[+-]?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;
const truths: Readonly<Record<string, boolean>> = lookupTable({
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
});

/**
 * The value a text from a flag or the environment stands for, by the type the schema wants. A text
 * that stands for none is returned as it is, for the schema to refuse.
 */
function coerceText(schema: z.ZodType, text: string): unknown {
  const value = unwrap(schema);
  const trimmed = text.trim();
  if (value instanceof z.ZodNumber) return numberPattern.test(trimmed) ? Number(trimmed) : text;
  if (value instanceof z.ZodBoolean) return truths[trimmed.toLowerCase()] ?? text;
  if (value instanceof z.ZodEnum) return coerceChoice(value, text);
  if (value instanceof z.ZodArray) return coerceList(value, trimmed);
  if (value instanceof z.ZodRecord) return coerceMap(value, trimmed);
  return text;
}

/** A value from a file, with its choices in lower case. */
export function coerceChoices(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodEnum) return coerceChoice(inner, value);
  if (!(inner instanceof z.ZodArray) || !Array.isArray(value)) return value;
  return value.map((item) => coerceChoices(asSchema(inner.element), item));
}

/** Choices are lower case in the schema and may be written in any case: `INFO`. */
function coerceChoice(schema: z.ZodEnum, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const lower = value.trim().toLowerCase();
  return schema.options.some((option) => option === lower) ? lower : value;
}

/** `a,b,c`, or a JSON list where an item holds a comma. */
function coerceList(schema: z.ZodArray, text: string): unknown {
  if (text.startsWith('[')) return parseJson(text);
  const items = text.split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => coerceText(asSchema(schema.element), item));
}

/** `name=value,name=value`, or a JSON object. */
function coerceMap(schema: z.ZodRecord, text: string): unknown {
  if (text.startsWith('{')) return parseJson(text);
  if (text === '') return {};
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] : undefined;
  });
  return pairs.every((pair) => pair !== undefined)
    ? Object.fromEntries(
        pairs.map(([name, value]) => [name, coerceText(asSchema(schema.valueType), value ?? '')]),
      )
    : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
