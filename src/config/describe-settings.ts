import type { SettingRow } from '../contract/settings/index.ts';
import { hideSecrets } from './hide.ts';
import { sourceText, type SettingSource } from './problem.ts';
import { valueSchema, type Setting } from './setting.ts';
import { isRecord } from './transform-value.ts';

export interface DescribedParts {
  readonly settings: readonly Setting[];
  /** The effective values as a tree, secrets still readable. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly sources: ReadonlyMap<string, SettingSource>;
}

/** Every setting as `tutti config` shows it; a map gets a row per entry. */
export function describeSettings({ settings, given, sources }: DescribedParts): SettingRow[] {
  const rowOf = (setting: Setting, value: unknown, entry?: string): SettingRow => {
    const key = entry === undefined ? setting.key : `${setting.key}.${entry}`;
    const source = sources.get(key) ?? ({ kind: 'default' } as const);
    const schema = valueSchema(entry === undefined ? { setting } : { setting, entry });
    return {
      key,
      value: hideSecrets(schema, value),
      source: sourceText(source),
      description: setting.description,
    };
  };
  return settings.flatMap((setting) => {
    const value = valueAt(given, setting.path);
    if (!setting.isMap || !isRecord(value) || Object.keys(value).length === 0) {
      return [rowOf(setting, value)];
    }
    return Object.entries(value).map(([entry, inner]) => rowOf(setting, inner, entry));
  });
}

function valueAt(tree: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let current: unknown = tree;
  for (const name of path) current = isRecord(current) ? current[name] : undefined;
  return current;
}
