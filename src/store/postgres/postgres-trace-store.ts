import type { Caller } from '../../contract/caller/index.ts';
import type {
  SpanRecord,
  TraceMatch,
  TraceReadLimits,
  TraceRetention,
  TraceStore,
  TraceSummary,
} from '../../observe/index.ts';
import {
  cellsOf,
  inOrder,
  readSpanBatch,
  rowBeginning,
  spansByTrace,
  summarize,
} from '../span-batches.ts';
import type { PostgresDatabase, Statements } from './postgres-database.ts';

/** Rows removed in one transaction, so that other processes wait milliseconds for it. */
const pruneBatch = 50;
/** Rows that are read at once, to hold few of them in memory. */
const readBatch = 200;

const insertSql = `
  INSERT INTO span_batches (first_start_us, last_start_us, span_count, spans) VALUES ($1, $2, $3, $4)`;

/** Looking for a text is many times cheaper than taking every batch apart. */
const findSql = `
  SELECT id, spans FROM span_batches WHERE id > $1 AND strpos(spans, $3) > 0 ORDER BY id LIMIT $2`;

const allSql = 'SELECT id, spans FROM span_batches WHERE id > $1 ORDER BY id LIMIT $2';

const newestSql = 'SELECT id, spans FROM span_batches WHERE id < $1 ORDER BY id DESC LIMIT $2';

const oldSql = `
  SELECT id, last_start_us, span_count, spans FROM span_batches
  WHERE first_start_us < $1 ORDER BY first_start_us LIMIT $2 FOR UPDATE`;

const countSql = 'SELECT COALESCE(SUM(span_count), 0) AS spans FROM span_batches';

const firstSql = 'SELECT id, span_count, spans FROM span_batches ORDER BY id LIMIT $1 FOR UPDATE';

const deleteSql = 'DELETE FROM span_batches WHERE id = $1';

const updateSql = `
  UPDATE span_batches SET first_start_us = $1, last_start_us = $2, span_count = $3, spans = $4
  WHERE id = $5`;

/** Losing the last ones with the power is fine. */
const soon = { durability: 'soon' } as const;

interface BatchRow {
  readonly id: number;
  readonly last_start_us: number;
  readonly span_count: number;
  readonly spans: string;
}

/** Keeps spans in PostgreSQL, those that are recorded together in one row. */
export class PostgresTraceStore implements TraceStore {
  readonly #database: PostgresDatabase;
  readonly #limits: TraceReadLimits;

  constructor(database: PostgresDatabase, limits: TraceReadLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  async record(spans: readonly SpanRecord[]): Promise<void> {
    if (spans.length === 0) return;
    const cells = cellsOf(spans);
    // Of two spans with the same id the first counts, so that writing them again does no harm.
    await this.#database.transaction(({ query }) => query(insertSql, cells), {
      ...soon,
      isKept: async () => false,
    });
  }

  async find(caller: Caller, idOrPrefix: string): Promise<TraceMatch> {
    const rows = await this.#readAll(findSql, [rowBeginning(idOrPrefix)]);
    const byTrace = spansByTrace(
      rows,
      (span) => span.callerId === caller.id && span.traceId.startsWith(idOrPrefix),
    );
    const [spans] = byTrace.values();
    if (!spans) return { kind: 'unknown' };
    if (byTrace.size > 1) {
      const traceIds = [...byTrace.keys()].toSorted();
      return { kind: 'ambiguous', traceIds: traceIds.slice(0, this.#limits.maxCandidates) };
    }
    return { kind: 'found', spans: inOrder(spans).slice(0, this.#limits.maxSpansPerTrace) };
  }

  async recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]> {
    const rows = await this.#readAll(allSql, []);
    const byTrace = spansByTrace(rows, ({ callerId }) => callerId === caller.id);
    return [...byTrace]
      .map(summarize)
      .toSorted((a, b) => b.startedAtUs - a.startedAtUs || (a.traceId < b.traceId ? -1 : 1))
      .slice(0, Math.min(limit, this.#limits.maxListedTraces));
  }

  async latest(caller: Caller, maxSpans: number): Promise<readonly SpanRecord[]> {
    const found: SpanRecord[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; found.length < maxSpans;) {
      const rows = await this.#database.query<BatchRow>(newestSql, [before, readBatch]);
      const last = rows.at(-1);
      if (!last) break;
      before = last.id;
      for (const row of rows) {
        const spans = readSpanBatch(row.spans).toReversed();
        found.push(...spans.filter(({ callerId }) => callerId === caller.id));
      }
    }
    return found.slice(0, maxSpans);
  }

  async prune({ beforeMs, maxSpans }: TraceRetention): Promise<number> {
    const beforeUs = Math.floor(beforeMs * 1000);
    const isYoung = (span: SpanRecord): boolean => span.startedAtUs >= beforeUs;
    const old = await this.#inRounds(async (statements) => {
      let removed = 0;
      for (const row of await statements.query<BatchRow>(oldSql, [beforeUs, pruneBatch])) {
        const hasYoung = row.last_start_us >= beforeUs;
        removed += await reduce(statements, row, hasYoung && ((all) => all.filter(isYoung)));
      }
      return removed;
    });
    const tooMany = await this.#inRounds(async (statements) => {
      const [count] = await statements.query<{ spans: number }>(countSql);
      const excess = (count?.spans ?? 0) - maxSpans;
      let removed = 0;
      if (excess <= 0) return removed;
      for (const row of await statements.query<BatchRow>(firstSql, [pruneBatch])) {
        const left = excess - removed;
        if (left <= 0) break;
        const isPart = row.span_count > left;
        removed += await reduce(statements, row, isPart && ((all) => all.slice(left)));
      }
      return removed;
    });
    return old + tooMany;
  }

  /** Ends because each round removes spans that fit a fixed bound and new ones do not. */
  async #inRounds(round: (statements: Statements) => Promise<number>): Promise<number> {
    let removed = 0;
    for (;;) {
      const now = await this.#database.transaction(round, soon);
      removed += now;
      if (now === 0) return removed;
    }
  }

  async #readAll(sql: string, params: readonly unknown[]): Promise<readonly { spans: string }[]> {
    const all: BatchRow[] = [];
    for (let after = 0; ;) {
      const rows = await this.#database.query<BatchRow>(sql, [after, readBatch, ...params]);
      all.push(...rows);
      const last = rows.at(-1);
      if (!last || rows.length < readBatch) return all;
      after = last.id;
    }
  }
}

/** Leaves of a batch what `keep` says, nothing without it; gives how many spans went. */
async function reduce(
  { query }: Statements,
  row: BatchRow,
  keep: ((spans: readonly SpanRecord[]) => readonly SpanRecord[]) | false,
): Promise<number> {
  const left = keep ? keep(readSpanBatch(row.spans)) : [];
  if (left.length === 0) await query(deleteSql, [row.id]);
  else await query(updateSql, [...cellsOf(left), row.id]);
  return row.span_count - left.length;
}
