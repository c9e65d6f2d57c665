import type { z } from 'zod';
import type {
  McpServerEntry,
  Sealed,
  SettingRow,
  settingsSchema,
} from '../contract/settings/index.ts';
import type { SettingSource } from './problem.ts';

/** The effective settings; secrets are `Secret`s, paths absolute. */
export type Settings = Sealed<z.output<typeof settingsSchema>>;

/** An entry of `mcpServers` as one source has it, whether a stronger source has the name too or not. */
export interface DefinedServer {
  readonly name: string;
  readonly source: SettingSource;
  readonly settings: McpServerEntry;
  /** Digest of all the entry says, where it starts included. */
  readonly fingerprint: string;
  /** Digest of what it says about how the server is started or reached. */
  readonly launchFingerprint: string;
}

/** The effective settings with where each came from. */
export interface LoadedSettings {
  readonly values: Settings;
  /** By key; entries of a map by `mcpServers.NAME`. */
  readonly sources: ReadonlyMap<string, SettingSource>;
  /** Settings files that were read, strongest first. */
  readonly files: readonly string[];
  /** The entries of `mcpServers` of every source, strongest first. */
  readonly servers: readonly DefinedServer[];
  /** The nearest `tutti.yaml`. */
  readonly projectFile: string | undefined;
  /** The user's own file, whether it exists or not. */
  readonly userFile: string;
  /** What is suspicious and no error. */
  readonly warnings: readonly string[];
  /** Every setting as `tutti config` shows it, secrets hidden. */
  describe(): readonly SettingRow[];
}
