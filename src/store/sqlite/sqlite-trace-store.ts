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
import { readSpanBatch, rowBeginning, writeSpanBatch } from './span-batch.ts';
import type { SqliteDatabase, Statements, WriteTerms } from './sqlite-database.ts';

/** Rows removed in one transaction, so that other processes and this one's event loop wait milliseconds for it. */
const pruneBatch = 50;

const insertSql = `
  INSERT INTO span_batches (first_start_us, last_start_us, span_count, spans) VALUES (?, ?, ?, ?)`;

const allSql = 'SELECT spans FROM span_batches ORDER BY id';

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

export interface TraceStoreOptions {
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

function cellsOf(spans: readonly SpanRecord[]): [number, number, number, string] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { startedAtUs } of spans) {
    first = Math.min(first, startedAtUs);
    last = Math.max(last, startedAtUs);
  }
  return [first, last, spans.length, writeSpanBatch(spans)];
}

/** Keyed by trace, each in the order they were recorded. */
function spansByTrace(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  isWanted: (span: SpanRecord) => boolean,
): Map<string, SpanRecord[]> {
  const byTrace = new Map<string, SpanRecord[]>();
  for (const row of rows) {
    for (const span of readSpanBatch(String(row['spans']))) {
      if (!isWanted(span)) continue;
      const trace = byTrace.get(span.traceId);
      if (trace) trace.push(span);
      else byTrace.set(span.traceId, [span]);
    }
  }
  return byTrace;
}

/** In the order they began; of those with the same id the one that was recorded first. */
function inOrder(spans: readonly SpanRecord[]): readonly SpanRecord[] {
  if (spans.length === 1) return spans;
  const seen = new Set<string>();
  const first = spans.filter(({ spanId }) => seen.size < seen.add(spanId).size);
  return first.toSorted((a, b) => a.startedAtUs - b.startedAtUs);
}

function summarize([traceId, recorded]: readonly [string, readonly SpanRecord[]]): TraceSummary {
  const spans = inOrder(recorded);
  const { name = '', startedAtUs = 0, status, attributes = {} } = spans[0] ?? {};
  let endedAtUs = startedAtUs;
  let errors = 0;
  for (const span of spans) {
    endedAtUs = Math.max(endedAtUs, span.startedAtUs + span.durationUs);
    if (span.status === 'error') errors += 1;
  }
  const durationUs = endedAtUs - startedAtUs;
  const runId = attributes['tutti.run.id'];
  return {
    traceId,
    name,
    startedAtUs,
    durationUs,
    spans: spans.length,
    errors,
    isFailed: status === 'error',
    runId: typeof runId === 'string' ? runId : null,
  };
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
