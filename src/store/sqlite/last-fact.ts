import { closeSync, ftruncateSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { LostWritesError } from '../errors.ts';

/** A run that was stored, or an effect of it that is about to happen. */
export interface StoredFact {
  readonly runId: string;
  readonly effect?: { readonly step: string; readonly dispatch: number };
}

export function lastFactFile(path: string): string {
  return `${path}-last`;
}

/**
 * The last acknowledged write, in a file beside the database. A database that lacks it was emptied, or
 * its log was cut or removed: SQLite itself takes that for a database in which it never happened.
 *
 * 1. It is noted after it is on the disk, so that a database never lacks it because of a crash.
 * 2. It is forgotten before it is removed from the database.
 */
export class LastFact {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = lastFactFile(path);
  }

  /** Where it cannot be written, less is noticed, and nothing else is wrong. */
  note(fact: StoredFact): void {
    try {
      this.#file ??= openSync(this.#path, 'a+', 0o600);
      const text = Buffer.from(`${JSON.stringify(fact)}\n`);
      ftruncateSync(this.#file, 0);
      writeSync(this.#file, text);
    } catch {
      this.close();
    }
  }

  /** The runs are going to be removed. */
  forget(runIds: readonly string[]): void {
    const fact = readFact(this.#path);
    if (fact && runIds.includes(fact.runId)) truncateSync(this.#path);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const runSql = 'SELECT 1 FROM runs WHERE run_id = ?';
const effectSql = 'SELECT 1 FROM effects WHERE run_id = ? AND step = ? AND dispatch >= ?';

/** Throws `store.lost_writes` when the database lacks what was noted last. */
export function assertNothingLost(database: DatabaseSync, path: string): void {
  const file = lastFactFile(path);
  const fact = readFact(file);
  if (!fact) return;
  const { runId, effect } = fact;
  const row = effect
    ? database.prepare(effectSql).get(runId, effect.step, effect.dispatch)
    : database.prepare(runSql).get(runId);
  // Another process may have removed the run since the file was read.
  if (!row && readFact(file)?.runId === runId) throw new LostWritesError(path, file, runId);
}

/** Undefined for what was not written whole: it is replaced by the next. */
function readFact(file: string): StoredFact | undefined {
  try {
    const [line = ''] = readFileSync(file, 'utf8').split('\n', 1);
    const { runId, effect }: { runId?: unknown; effect?: unknown } = Object(JSON.parse(line));
    if (typeof runId !== 'string') return undefined;
    const { step, dispatch }: { step?: unknown; dispatch?: unknown } = Object(effect);
    if (typeof step !== 'string' || typeof dispatch !== 'number') return { runId };
    return { runId, effect: { step, dispatch } };
  } catch {
    return undefined;
  }
}
