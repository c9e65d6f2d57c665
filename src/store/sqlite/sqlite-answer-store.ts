import { z } from 'zod';
import type {
  AnswerOwner,
  AnswerStore,
  KeptAnswer,
  KeyedRequest,
  KeyedState,
} from '../../contract/answer/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const dayMs = 86_400_000;
/** Of each caller. */
const defaultMaxAnswers = 1_000;
/** Outdated ones that one request removes. */
const pruneBatch = 100;

const findSql = `
  SELECT digest, owner, status, location, text FROM api_answers WHERE caller_id = ? AND key = ?`;

const insertSql = `
  INSERT INTO api_answers (caller_id, key, digest, owner, begun_at_ms) VALUES (?, ?, ?, ?, ?)`;

const takeOverSql = `
  UPDATE api_answers SET owner = ?3 WHERE caller_id = ?1 AND key = ?2 AND owner = ?4 AND status IS NULL`;

const finishSql = `
  UPDATE api_answers SET status = ?3, location = ?4, text = ?5 WHERE caller_id = ?1 AND key = ?2`;

const forgetSql = 'DELETE FROM api_answers WHERE caller_id = ? AND key = ?';

const pruneSql = `
  DELETE FROM api_answers WHERE id IN
    (SELECT id FROM api_answers WHERE begun_at_ms < ? ORDER BY begun_at_ms LIMIT ?)`;

const trimSql = `
  DELETE FROM api_answers WHERE caller_id = ?1 AND status IS NOT NULL AND id <=
    (SELECT id FROM api_answers WHERE caller_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

const ownerSchema = z.object({ pid: z.number(), processStart: z.string() });

interface AnswerStoreOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
  readonly maxAnswers?: number;
}

/** Keeps answers of the API in SQLite. */
export class SqliteAnswerStore implements AnswerStore {
  readonly #database: SqliteDatabase;
  readonly #options: AnswerStoreOptions;

  constructor(database: SqliteDatabase, options: AnswerStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  begin({ id }: Caller, { key, digest, owner }: KeyedRequest): Promise<KeyedState> {
    const { clock, maxAnswers = defaultMaxAnswers } = this.#options;
    const nowMs = Math.floor(clock.now());
    return this.#write((statements) => {
      statements(pruneSql).run(nowMs - dayMs, pruneBatch);
      const row = statements(findSql).get(id, key);
      if (row) return readState(row);
      statements(insertSql).run(id, key, digest, JSON.stringify(owner), nowMs);
      statements(trimSql).run(id, maxAnswers);
      return { kind: 'new' };
    });
  }

  takeOver({ id }: Caller, { key, owner }: KeyedRequest, from: AnswerOwner): Promise<boolean> {
    const [ours, theirs] = [JSON.stringify(owner), JSON.stringify(from)];
    return this.#write(
      (statements) => statements(takeOverSql).run(id, key, ours, theirs).changes > 0,
    );
  }

  finish({ id }: Caller, key: string, { status, location, text }: KeptAnswer): Promise<void> {
    return this.#write((statements) => {
      statements(finishSql).run(id, key, status, location, text);
    });
  }

  forget({ id }: Caller, key: string): Promise<void> {
    return this.#write((statements) => {
      statements(forgetSql).run(id, key);
    });
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    const { patienceMs } = this.#options;
    return whileStoreBusy(patienceMs, () => this.#database.write(terms, work));
  }
}

function readState(row: Readonly<Record<string, unknown>>): KeyedState {
  const digest = String(row['digest']);
  const { status, location, text } = row;
  if (typeof status === 'number') {
    const answer = { status, location: textOrNull(location), text: textOrNull(text) };
    return { kind: 'answered', digest, answer };
  }
  const { pid, processStart } = ownerSchema.parse(JSON.parse(String(row['owner'])));
  return { kind: 'pending', digest, owner: { pid, processStart } };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
