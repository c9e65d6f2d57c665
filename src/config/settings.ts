import type { z } from 'zod';
import type {
  McpServerEntry,
  Sealed,
  SettingRow,
  settingsSchema,
} from '../contract/settings/index.ts';
import type { Setting } from './setting.ts';

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

/** Where a value came from. */
export type SettingSource =
  | { readonly kind: 'default' | 'flag' }
  | { readonly kind: 'env'; readonly name: string }
  | {
      readonly kind: 'project' | 'user';
      readonly file: string;
      readonly line: number;
      readonly column: number;
    };

/** One thing that is wrong with the settings. `found` never shows a secret. */
export interface SettingProblem {
  readonly source: SettingSource;
  /** Dotted; empty when the file as a whole is wrong. */
  readonly key: string;
  readonly expected: string;
  readonly found: string;
  /** What was probably meant. */
  readonly suggestion?: string | undefined;
}

/** A source as people read it: `tutti.yaml:3`, `env TUTTI_HOME`, `flag`, `default`. */
export function sourceText(source: SettingSource): string {
  if ('file' in source) return `${source.file}:${source.line}`;
  return 'name' in source ? `${source.kind} ${source.name}` : source.kind;
}

/** A problem as one line: `tutti.yaml:3:9: server.port: expected …, found …`. */
export function problemText(problem: SettingProblem): string {
  const { source, key, expected, found, suggestion } = problem;
  const column = 'column' in source ? `:${source.column}` : '';
  const where = `${sourceText(source)}${column}`;
  const what = key === '' ? '' : `${key}: `;
  const hint = suggestion === undefined ? '' : `. Did you mean "${suggestion}"?`;
  return `${where}: ${what}expected ${expected}, found ${found}${hint}`;
}

/** The dotted key of a part inside a setting's value. */
export function joinKey(key: string, path: readonly PropertyKey[]): string {
  return [key, ...path.map(String)].join('.');
}
