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
import type { SqliteDatabase, WriteTerms } from './sqlite-database.ts';

/** Rows removed in one transaction, so that other processes and this one's event loop wait milliseconds for it. */
const pruneBatch = 2_000;
/** Sorts behind every hex digit. */
const afterHex = 'g';

const insertSql = `
  INSERT INTO spans (trace_id, span_id, parent_span_id, name, kind, started_at_us, duration_us,
                     status, status_message, attributes, caller_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (trace_id, span_id) DO NOTHING`;

const idsSql = `
  SELECT DISTINCT trace_id FROM spans
  WHERE caller_id = ? AND trace_id >= ? AND trace_id < ? ORDER BY trace_id LIMIT ?`;

const spansSql = `
  SELECT * FROM spans WHERE caller_id = ? AND trace_id = ? ORDER BY started_at_us, id LIMIT ?`;

const recentSql = `
  SELECT trace_id, MIN(started_at_us) AS started_at_us,
         MAX(started_at_us + duration_us) - MIN(started_at_us) AS duration_us,
         COUNT(*) AS spans, SUM(status = 'error') AS errors
  FROM spans WHERE caller_id = ? GROUP BY trace_id ORDER BY 2 DESC, 1 LIMIT ?`;

const nameSql = `
  SELECT name FROM spans WHERE caller_id = ? AND trace_id = ? ORDER BY started_at_us, id LIMIT 1`;

const pruneOldSql = `
  DELETE FROM spans WHERE id IN (SELECT id FROM spans WHERE started_at_us < ? LIMIT ?)`;

const pruneManySql = `
  DELETE FROM spans WHERE id IN (SELECT id FROM spans WHERE id <= ? ORDER BY id LIMIT ?)`;

/** Looks only when there may be too many: ids are given in order, so there are at most as many as they reach over. */
const newestDroppedSql = `
  SELECT id FROM spans
  WHERE (SELECT MAX(id) FROM spans) - (SELECT MIN(id) FROM spans) >= ?1
  ORDER BY id DESC LIMIT 1 OFFSET ?1`;

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
  /** Spans of the same kind share their attributes. */
  readonly #attributeTexts = new WeakMap<SpanRecord['attributes'], string>();

  constructor(database: SqliteDatabase, options: TraceStoreOptions) {
    this.#database = database;
    this.#limits = options.limits;
    this.#writeTerms = { durability: 'normal', busyTimeoutMs: options.busyTimeoutMs };
  }

  async record(spans: readonly SpanRecord[]): Promise<void> {
    if (spans.length === 0) return;
    this.#database.write(this.#writeTerms, (statements) => {
      const insert = statements(insertSql);
      for (const span of spans) insert.run(...this.#toRow(span));
    });
  }

  async find(caller: Caller, idOrPrefix: string): Promise<TraceMatch> {
    return this.#database.read((statements) => {
      const ids = statements(idsSql)
        .all(caller.id, idOrPrefix, `${idOrPrefix}${afterHex}`, this.#limits.maxCandidates)
        .map((row) => String(row['trace_id']));
      const [traceId] = ids;
      if (traceId === undefined) return { kind: 'unknown' };
      if (ids.length > 1) return { kind: 'ambiguous', traceIds: ids };
      const rows = statements(spansSql).all(caller.id, traceId, this.#limits.maxSpansPerTrace);
      return { kind: 'found', spans: rows.map(fromRow) };
    });
  }

  async recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]> {
    return this.#database.read((statements) =>
      statements(recentSql)
        .all(caller.id, Math.min(limit, this.#limits.maxListedTraces))
        .map((row) => {
          const traceId = String(row['trace_id']);
          return {
            traceId,
            name: String(statements(nameSql).get(caller.id, traceId)?.['name']),
            startedAtUs: Number(row['started_at_us']),
            durationUs: Number(row['duration_us']),
            spans: Number(row['spans']),
            errors: Number(row['errors']),
          };
        }),
    );
  }

  async prune(retention: TraceRetention): Promise<number> {
    const old = await this.#removeAll(pruneOldSql, Math.floor(retention.beforeMs * 1000));
    const newestDropped = this.#database.read((statements) =>
      statements(newestDroppedSql).get(retention.maxSpans),
    );
    if (!newestDropped) return old;
    return old + (await this.#removeAll(pruneManySql, Number(newestDropped['id'])));
  }

  /** Ends because each round removes rows that fit a fixed bound and new rows do not. */
  async #removeAll(sql: string, bound: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const changes = this.#database.write(this.#writeTerms, (statements) =>
        Number(statements(sql).run(bound, pruneBatch).changes),
      );
      removed += changes;
      if (changes < pruneBatch) return removed;
      await setImmediate();
    }
  }

  #toRow(span: SpanRecord): Cell[] {
    return [
      span.traceId,
      span.spanId,
      span.parentSpanId ?? null,
      span.name,
      span.kind,
      span.startedAtUs,
      span.durationUs,
      span.status,
      span.statusMessage ?? null,
      this.#attributeText(span.attributes),
      span.callerId,
    ];
  }

  #attributeText(attributes: SpanRecord['attributes']): string {
    let text = this.#attributeTexts.get(attributes);
    if (text === undefined) {
      text = JSON.stringify(attributes);
      this.#attributeTexts.set(attributes, text);
    }
    return text;
  }
}

type Cell = string | number | null;

const kinds: Readonly<Record<SpanRecord['kind'], true>> = {
  internal: true,
  server: true,
  client: true,
  producer: true,
  consumer: true,
};

const statuses: Readonly<Record<SpanRecord['status'], true>> = {
  unset: true,
  ok: true,
  error: true,
};

function fromRow(row: Readonly<Record<string, unknown>>): SpanRecord {
  const { parent_span_id: parentSpanId, status_message: statusMessage } = row;
  return {
    traceId: String(row['trace_id']),
    spanId: String(row['span_id']),
    ...(typeof parentSpanId === 'string' ? { parentSpanId } : {}),
    name: String(row['name']),
    kind: oneOf(kinds, row['kind'], 'internal'),
    startedAtUs: Number(row['started_at_us']),
    durationUs: Number(row['duration_us']),
    status: oneOf(statuses, row['status'], 'unset'),
    ...(typeof statusMessage === 'string' ? { statusMessage } : {}),
    attributes: parseAttributes(row['attributes']),
    callerId: String(row['caller_id']),
  };
}

function oneOf<Known extends string>(
  known: Readonly<Record<Known, true>>,
  value: unknown,
  fallback: Known,
): Known {
  const isKnown = (text: string): text is Known => Object.hasOwn(known, text);
  return typeof value === 'string' && isKnown(value) ? value : fallback;
}

/** A row that cannot be read must not hide the rest of its trace. */
function parseAttributes(text: unknown): SpanRecord['attributes'] {
  try {
    const parsed: unknown = JSON.parse(String(text));
    const entries = Object.entries(parsed ?? {}).filter(([, value]) => isAttribute(value));
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

function isAttribute(value: unknown): boolean {
  return Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value);
}
