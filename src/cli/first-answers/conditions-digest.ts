import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StartConditions, StartPath } from '../../contract/opening/index.ts';

/** The program as it was called. */
export interface Call {
  /** Files of this program that differ in every other build or version of it. */
  readonly program: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A larger file, or a folder of more files, is not looked through at every start. */
const maxFileBytes = 1_048_576;
const maxFiles = 1_000;

/**
 * Differs whenever something differs that the first answers depend on; undefined where that cannot be
 * told. Values of variables and contents of files go into it and nowhere else: some are secrets.
 */
export function conditionsDigest(conditions: StartConditions, call: Call): string | undefined {
  const { program, argv, cwd, env } = call;
  const found: (string | null)[] = [];
  const ofProgram = program.map((path): StartPath => ({ path, look: 'content' }));
  for (const path of [...ofProgram, ...conditions.paths]) {
    const finding = findingOf(path);
    if (finding === undefined) return undefined;
    found.push(finding);
  }
  const values = conditions.variables.map((name) => [name, env[name] ?? null]);
  return digestOf([process.version, program, argv, cwd, conditions, values, found]);
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Null where there is nothing; undefined where it cannot be told. */
function findingOf({ path, look }: StartPath): string | null | undefined {
  try {
    if (look === 'presence') return String(lstatSync(path).isDirectory());
    if (look === 'listing') return listingOf(path);
    const found = statSync(path);
    // A pipe would be waited at.
    if (!found.isFile() || found.size > maxFileBytes) return undefined;
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isMissing ? null : undefined;
  }
}

/** Each file below with its age and size. */
function listingOf(folder: string): string | undefined {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  if (names.length > maxFiles) return undefined;
  const looks = names.sort().map((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return [name, mtimeMs, size];
  });
  return JSON.stringify(looks);
}
