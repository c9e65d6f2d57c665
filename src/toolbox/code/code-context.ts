import type { Severity } from './finding.ts';
import type { SourceFiles } from './source-files.ts';
import type { Ruff } from './engines/ruff.ts';
import type { SyntaxTrees } from './syntax-tree.ts';

/** Settings of the code tools; the defaults stand in the settings schema. */
export interface CodeSettings {
  /** Patterns of `.gitignore`, relative to a root: what is left out of a folder. */
  readonly exclude: readonly string[];
  /** `format_code` breaks lines after this many columns when the call names no `line_length`. */
  readonly lineLength: number;
  /** `review_code` lists at most this many issues; the rest is counted. */
  readonly maxIssues: number;
  /** `review_code` lists issues of these severities; the others are counted. */
  readonly severityLevels: readonly Severity[];
  /** Base address of the OSV API, and a folder of OSV records to use instead of it. */
  readonly osvUrl: string;
  readonly osvDirectory: string | undefined;
}

/** What the code tools share: built once per server, passed to every tool. */
export interface CodeContext {
  readonly sources: SourceFiles;
  readonly trees: SyntaxTrees;
  readonly ruff: Ruff;
  readonly settings: CodeSettings;
}
