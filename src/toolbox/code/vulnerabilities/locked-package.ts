/** Package ecosystems as OSV names them. */
export const ecosystems = ['npm', 'PyPI', 'Go', 'crates.io', 'Maven'] as const;

export type Ecosystem = (typeof ecosystems)[number];

/** One package at the exact version a lock file fixes. */
export interface LockedPackage {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
  /** Line of the entry in the lock file, from 1, where the format has lines. */
  readonly line?: number | undefined;
  /** Identity of the entry inside its lock file; `requires` of other entries refer to it. */
  readonly key?: string | undefined;
  readonly requires?: readonly string[] | undefined;
  /** Known only where the lock file says so itself. */
  readonly direct?: boolean | undefined;
}

/** A dependency that was seen but has no exact version here, so nothing can be said about it. */
export interface SkippedPackage {
  readonly name: string;
  readonly line?: number | undefined;
  readonly reason: string;
}

export interface ParsedLockfile {
  readonly packages: readonly LockedPackage[];
  readonly skipped: readonly SkippedPackage[];
  /** Keys the project itself asks for; absent where the format does not tell. */
  readonly rootKeys?: readonly string[] | undefined;
}

/** Reads the text of one lock file. Throws `code.lockfile_malformed` with the file and the line. */
export type LockfileParser = (text: string, path: string) => ParsedLockfile;
