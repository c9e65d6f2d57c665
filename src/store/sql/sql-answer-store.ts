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
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const dayMs = 86_400_000;
/** Of each caller. */
const defaultMaxAnswers = 1_000;
/** Outdated ones that one request removes. */
const pruneBatch = 100;

const findSql = `
  SELECT digest, owner, status, location, text FROM api_answers WHERE caller_id = $1 AND key = $2`;

const insertSql = `
  INSERT INTO api_answers (caller_id, key, digest, owner, begun_at_ms) VALUES ($1, $2, $3, $4, $5)`;

const takeOverSql = `
  UPDATE api_answers SET owner = $3 WHERE caller_id = $1 AND key = $2 AND owner = $4 AND status IS NULL
  RETURNING key`;

const finishSql = `
  UPDATE api_answers SET status = $3, location = $4, text = $5 WHERE caller_id = $1 AND key = $2`;

const forgetSql = 'DELETE FROM api_answers WHERE caller_id = $1 AND key = $2';

const pruneSql = `
  DELETE FROM api_answers WHERE id IN
    (SELECT id FROM api_answers WHERE begun_at_ms < $1 ORDER BY begun_at_ms LIMIT $2)`;

const trimSql = `
  DELETE FROM api_answers WHERE caller_id = $1 AND status IS NOT NULL AND id <=
    (SELECT id FROM api_answers WHERE caller_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`;

const ownerSchema = z.object({ pid: z.number(), processStart: z.string() });

interface AnswerStoreOptions {
  readonly clock: Clock;
  readonly maxAnswers?: number;
}

/** Keeps answers of the API. */
export class SqlAnswerStore implements AnswerStore {
  readonly #database: SqlDatabase;
  readonly #options: AnswerStoreOptions;

  constructor(database: SqlDatabase, options: AnswerStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  begin({ id }: Caller, { key, digest, owner }: KeyedRequest): Promise<KeyedState> {
    const { clock, maxAnswers = defaultMaxAnswers } = this.#options;
    const nowMs = Math.floor(clock.now());
    return this.#write(id, function* (): SqlWork<KeyedState> {
      yield* all(pruneSql, nowMs - dayMs, pruneBatch);
      const row = yield* one(findSql, id, key);
      if (row) return readState(row);
      yield* all(insertSql, id, key, digest, JSON.stringify(owner), nowMs);
      yield* all(trimSql, id, maxAnswers);
      return { kind: 'new' };
    });
  }

  async takeOver(
    { id }: Caller,
    { key, owner }: KeyedRequest,
    from: AnswerOwner,
  ): Promise<boolean> {
    const [ours, theirs] = [JSON.stringify(owner), JSON.stringify(from)];
    const taken = await this.#write(id, () => all(takeOverSql, id, key, ours, theirs));
    return taken.length > 0;
  }

  async finish({ id }: Caller, key: string, { status, location, text }: KeptAnswer): Promise<void> {
    await this.#write(id, () => all(finishSql, id, key, status, location, text));
  }

  async forget({ id }: Caller, key: string): Promise<void> {
    await this.#write(id, () => all(forgetSql, id, key));
  }

  #write<Result>(callerId: string, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [`answers ${callerId}`], durability: 'full' }, work);
  }
}

function readState(row: SqlRow): KeyedState {
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
