import { nearest } from '../kernel/index.ts';
import { joinLayers, type Assignment, type Layer } from './assignment.ts';
import { checkValue, unknownKey } from './check-value.ts';
import { coerceText } from './coerce-text.ts';
import { joinKey, type SettingProblem, type SettingSource } from './problem.ts';
import type { Setting } from './setting.ts';
import { isRecord } from './transform-value.ts';

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
