import type { SettingProblem, SettingSource } from './problem.ts';
import type { Setting } from './setting.ts';

/** One source gives one setting (or one entry of a map setting) a value that fits its schema. */
export interface Assignment {
  readonly setting: Setting;
  /** The entry of a map setting. */
  readonly entry?: string;
  readonly value: unknown;
  readonly source: SettingSource;
}

/** What one source says: its good values and what is wrong with the others. */
export interface Layer {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly SettingProblem[];
}

export function joinLayers(layers: readonly Layer[]): Layer {
  return {
    assignments: layers.flatMap((layer) => layer.assignments),
    problems: layers.flatMap((layer) => layer.problems),
  };
}
