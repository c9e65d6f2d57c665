import { z } from 'zod';
import { LockfileMalformedError } from '../errors.ts';

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

/** Parses JSON against a schema; what does not fit is reported with its file and line. */
export function readJson<Schema extends z.ZodType>(
  text: string,
  path: string,
  schema: Schema,
): z.output<Schema> {
  return checkShape(parseJson(text, path), path, schema);
}

/** Parses what any reader made of a lock file; the first thing that does not fit is named. */
export function checkShape<Schema extends z.ZodType>(
  value: unknown,
  path: string,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new LockfileMalformedError(path, 1, `${issue?.path.join('.')}: ${issue?.message}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = /\(line (\d+) column \d+\)/.exec(message)?.[1];
    const atEnd = /end of JSON input/.test(message) ? text.split('\n').length : 1;
    throw new LockfileMalformedError(path, line ? Number(line) : atEnd, message);
  }
}

/** Line of the first `"key": {` in a JSON text laid out one key per line. */
export function linesOfKeys(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  text.split('\n').forEach((line, index) => {
    const key = /^\s*"([^"\\]+)"\s*:\s*\{/.exec(line)?.[1];
    if (key !== undefined && !lines.has(key)) lines.set(key, index + 1);
  });
  return lines;
}
