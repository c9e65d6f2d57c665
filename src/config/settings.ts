import type { z } from 'zod';
import type { SettingRow, settingsSchema } from '../contract/settings/index.ts';
import type { Secret } from '../kernel/index.ts';
import type { SettingSource } from './problem.ts';

/** A value with every branded text sealed. */
type Sealed<Value> =
  Value extends z.core.$brand<'secret'>
    ? Secret
    : Value extends readonly (infer Item)[]
      ? readonly Sealed<Item>[]
      : Value extends object
        ? { readonly [Key in keyof Value]: Sealed<Value[Key]> }
        : Value;

/** The effective settings; secrets are `Secret`s, paths absolute. */
export type Settings = Sealed<z.output<typeof settingsSchema>>;

/** The effective settings with where each came from. */
export interface LoadedSettings {
  readonly values: Settings;
  /** By key; entries of a map by `mcpServers.NAME`. */
  readonly sources: ReadonlyMap<string, SettingSource>;
  /** Settings files that were read, strongest first. */
  readonly files: readonly string[];
  /** What is suspicious and no error. */
  readonly warnings: readonly string[];
  /** Every setting as `tutti config` shows it, secrets hidden. */
  describe(): readonly SettingRow[];
}
