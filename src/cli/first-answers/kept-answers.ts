import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { StartConditions } from '../../contract/opening/index.ts';
import { conditionsDigest, digestOf, type Call } from './conditions-digest.ts';

/** Answers of an earlier process that hold as long as its conditions do. */
export interface KeptAnswers {
  readonly conditions: StartConditions;
  readonly digest: string;
  /** Results as JSON text, by `answerKey`. */
  readonly results: Readonly<Record<string, string>>;
}

/** Files of another format are not read. */
const format = 1;
/** Calls in this many folders, with these many options, are remembered. */
const maxFiles = 50;
const maxResults = 32;
/** Of all results of a call together. */
const maxLength = 8_388_608;

/**
 * What an answer depends on within a connection: how it was opened, and the request. Undefined for params
 * that are nested too deeply to be written down.
 */
export function answerKey(opening: unknown, method: string, params: unknown): string | undefined {
  try {
    return digestOf([opening, method, params]);
  } catch {
    return undefined;
  }
}

/** What is kept for this call; undefined when that is nothing, or does not hold any more. */
export function readKeptAnswers(folder: string, call: Call): KeptAnswers | undefined {
  try {
    const text = readFileSync(fileOf(folder, call), 'utf8');
    // Our own file. Its digest proves that these are its conditions, and results are checked when used.
    const kept = JSON.parse(text) as KeptAnswers & { readonly format: unknown };
    if (kept.format !== format) return undefined;
    return conditionsDigest(kept.conditions, call) === kept.digest ? kept : undefined;
  } catch {
    // There is none, or somebody damaged it: the system answers, as it would without.
    return undefined;
  }
}

/** Throws what the file system says. A file appears whole or not at all. */
export function writeKeptAnswers(folder: string, call: Call, kept: KeptAnswers): void {
  const text = JSON.stringify({ format, ...kept, results: latest(kept.results) });
  const path = fileOf(folder, call);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
  removeOldest(folder);
}

/** As many as fit, the latest first. */
function latest(results: KeptAnswers['results']): KeptAnswers['results'] {
  let length = 0;
  const fitting: [string, string][] = [];
  for (const [key, result] of Object.entries(results).slice(-maxResults).reverse()) {
    if (length + result.length > maxLength) continue;
    length += result.length;
    fitting.push([key, result]);
  }
  return Object.fromEntries(fitting.reverse());
}

function fileOf(folder: string, { argv, cwd }: Call): string {
  return join(folder, `${digestOf([argv, cwd]).slice(0, 32)}.json`);
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= maxFiles) return;
  const byAge = names
    .map((name) => ({ path: join(folder, name), age: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.age - a.age);
  for (const { path } of byAge.slice(maxFiles)) rmSync(path, { force: true });
}
