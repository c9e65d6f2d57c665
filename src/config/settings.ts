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

/** What a project's file asks for that counts only once the user trusts it. */
export interface ProjectClaims {
  readonly file: string;
  /** Of all that is listed here and of its servers: any change voids the trust. */
  readonly digest: string;
  readonly settings: readonly { readonly key: string; readonly value: unknown }[];
  /** Files of the project that its servers run or are given, by absolute path. */
  readonly files: readonly string[];
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
  /** The nearest `tutti.yaml`, and what of it needs trust. */
  readonly project: ProjectClaims | undefined;
  /** The user's own file, whether it exists or not. */
  readonly userFile: string;
  /** What is suspicious and no error. */
  readonly warnings: readonly string[];
  /** Every setting as `tutti config` shows it, secrets hidden. */
  describe(): readonly SettingRow[];
}
