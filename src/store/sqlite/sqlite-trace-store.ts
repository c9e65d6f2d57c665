import { setImmediate } from 'node:timers/promises';
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
import type { SqliteDatabase, Statements, WriteTerms } from './sqlite-database.ts';

/** Rows removed in one transaction, so that other processes and this one's event loop wait milliseconds for it. */
const pruneBatch = 50;

const insertSql = `
  INSERT INTO span_batches (first_start_us, last_start_us, span_count, spans) VALUES (?, ?, ?, ?)`;

const allSql = 'SELECT spans FROM span_batches ORDER BY id';

const newestSql = 'SELECT spans FROM span_batches ORDER BY id DESC';

/** Looking for a text is many times cheaper than taking every batch apart. */
const findSql = 'SELECT spans FROM span_batches WHERE instr(spans, ?) > 0 ORDER BY id';

const oldSql = `
  SELECT id, last_start_us, span_count FROM span_batches
  WHERE first_start_us < ? ORDER BY first_start_us LIMIT ?`;

const countSql = 'SELECT SUM(span_count) AS spans FROM span_batches';

const firstSql = 'SELECT id, span_count FROM span_batches ORDER BY id LIMIT ?';

const textSql = 'SELECT spans FROM span_batches WHERE id = ?';

const deleteSql = 'DELETE FROM span_batches WHERE id = ?';

const updateSql = `
  UPDATE span_batches SET first_start_us = ?, last_start_us = ?, span_count = ?, spans = ?
  WHERE id = ?`;

interface TraceStoreOptions {
  readonly limits: TraceReadLimits;
  /** How long a write waits for another process; the event loop stands still meanwhile. */
  readonly busyTimeoutMs: number;
}

/** Keeps spans in SQLite. Losing the last ones with the power is fine, so writes are not synced. */
export class SqliteTraceStore implements TraceStore {
  readonly #database: SqliteDatabase;
  readonly #limits: TraceReadLimits;
  readonly #writeTerms: WriteTerms;

  constructor(database: SqliteDatabase, options: TraceStoreOptions) {
    this.#database = database;
    this.#limits = options.limits;
    this.#writeTerms = { durability: 'normal', busyTimeoutMs: options.busyTimeoutMs };
  }

  async record(spans: readonly SpanRecord[]): Promise<void> {
    if (spans.length === 0) return;
    this.#database.write(this.#writeTerms, (statements) => {
      statements(insertSql).run(...cellsOf(spans));
    });
  }

  async find(caller: Caller, idOrPrefix: string): Promise<TraceMatch> {
    const byTrace = this.#database.read((statements) => {
      const texts = statements(findSql).iterate(rowBeginning(idOrPrefix));
      return spansByTrace(texts, (span) => {
        return span.callerId === caller.id && span.traceId.startsWith(idOrPrefix);
      });
    });
    const [spans] = byTrace.values();
    if (!spans) return { kind: 'unknown' };
    if (byTrace.size > 1) {
      const traceIds = [...byTrace.keys()].toSorted();
      return { kind: 'ambiguous', traceIds: traceIds.slice(0, this.#limits.maxCandidates) };
    }
    return { kind: 'found', spans: inOrder(spans).slice(0, this.#limits.maxSpansPerTrace) };
  }

  async recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]> {
    const byTrace = this.#database.read((statements) =>
      spansByTrace(statements(allSql).iterate(), ({ callerId }) => callerId === caller.id),
    );
    return [...byTrace]
      .map(summarize)
      .toSorted((a, b) => b.startedAtUs - a.startedAtUs || (a.traceId < b.traceId ? -1 : 1))
      .slice(0, Math.min(limit, this.#limits.maxListedTraces));
  }

  async latest(caller: Caller, maxSpans: number): Promise<readonly SpanRecord[]> {
    return this.#database.read((statements) => {
      const found: SpanRecord[] = [];
      for (const row of statements(newestSql).iterate()) {
        const spans = readSpanBatch(String(row['spans'])).toReversed();
        found.push(...spans.filter(({ callerId }) => callerId === caller.id));
        if (found.length >= maxSpans) break;
      }
      return found.slice(0, maxSpans);
    });
  }

  async prune({ beforeMs, maxSpans }: TraceRetention): Promise<number> {
    const beforeUs = Math.floor(beforeMs * 1000);
    const isYoung = (span: SpanRecord): boolean => span.startedAtUs >= beforeUs;
    const old = await this.#inRounds((statements) => {
      let removed = 0;
      for (const row of statements(oldSql).all(beforeUs, pruneBatch)) {
        const hasYoung = Number(row['last_start_us']) >= beforeUs;
        removed += reduce(statements, row, hasYoung && ((spans) => spans.filter(isYoung)));
      }
      return removed;
    });
    const tooMany = await this.#inRounds((statements) => {
      const excess = Number(statements(countSql).get()?.['spans'] ?? 0) - maxSpans;
      let removed = 0;
      for (const row of statements(firstSql).all(pruneBatch)) {
        const left = excess - removed;
        if (left <= 0) break;
        const isPart = Number(row['span_count']) > left;
        removed += reduce(statements, row, isPart && ((spans) => spans.slice(left)));
      }
      return removed;
    });
    return old + tooMany;
  }

  /** Ends because each round removes spans that fit a fixed bound and new ones do not. */
  async #inRounds(round: (statements: Statements) => number): Promise<number> {
    let removed = 0;
    for (;;) {
      const now = this.#database.write(this.#writeTerms, round);
      removed += now;
      if (now === 0) return removed;
      await setImmediate();
    }
  }
}

/** Leaves of a batch what `keep` says, nothing without it; gives how many spans went. */
function reduce(
  statements: Statements,
  row: Readonly<Record<string, unknown>>,
  keep: ((spans: readonly SpanRecord[]) => readonly SpanRecord[]) | false,
): number {
  const id = Number(row['id']);
  const text = keep ? statements(textSql).get(id)?.['spans'] : undefined;
  const left = keep && typeof text === 'string' ? keep(readSpanBatch(text)) : [];
  if (left.length === 0) statements(deleteSql).run(id);
  else statements(updateSql).run(...cellsOf(left), id);
  return Number(row['span_count']) - left.length;
}
