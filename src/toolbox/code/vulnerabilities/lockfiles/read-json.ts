import { z } from 'zod';
import { LockfileMalformedError } from '../errors.ts';

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
