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

/** Name, kind, caller and attributes: what spans of the same tool have in common. */
type Start = readonly [name: string, kind: string, callerId: string, attributes: object];

/** What follows the duration is left out where it says nothing. */
type Row = [
  traceId: string,
  spanId: string,
  start: number,
  startedAtUs: number,
  durationUs: number,
  status?: string,
  parentSpanId?: string | null,
  statusMessage?: string | null,
];

/** Spans as one text, what many begin with written once. */
function writeSpanBatch(spans: readonly SpanRecord[]): string {
  const starts: Start[] = [];
  const places = new Map<object, number>();
  const rows = spans.map((span): Row => {
    let place = places.get(span.attributes);
    if (place === undefined || !isStartOf(starts[place], span)) {
      place = starts.push([span.name, span.kind, span.callerId, span.attributes]) - 1;
      places.set(span.attributes, place);
    }
    const row: Row = [span.traceId, span.spanId, place, span.startedAtUs, span.durationUs];
    const { status, parentSpanId, statusMessage } = span;
    const isPlain = status === 'unset' && parentSpanId === undefined && statusMessage === undefined;
    if (!isPlain) row.push(status, parentSpanId ?? null, statusMessage ?? null);
    return row;
  });
  return JSON.stringify({ starts, spans: rows });
}

function isStartOf(start: Start | undefined, { name, kind, callerId }: SpanRecord): boolean {
  return start?.[0] === name && start[1] === kind && start[2] === callerId;
}

/** How the row of a span begins: a text without it holds nothing of the trace. */
function rowBeginning(idOrPrefix: string): string {
  return `["${idOrPrefix}`;
}

/** In the order they were written. What cannot be read must not hide the rest. */
function readSpanBatch(text: string): SpanRecord[] {
  const batch = parse(text);
  const starts = listOf(batch['starts']).map(readStart);
  const spans = listOf(batch['spans']).map((row) => readRow(row, starts));
  return spans.filter((span) => span !== undefined);
}

type ReadStart = Pick<SpanRecord, 'name' | 'kind' | 'callerId' | 'attributes'>;

function readStart(start: unknown): ReadStart {
  const [name, kind, callerId, attributes] = listOf(start);
  return {
    name: String(name),
    kind: oneOf(kinds, kind, 'internal'),
    callerId: String(callerId),
    attributes: readAttributes(attributes),
  };
}

function readRow(row: unknown, starts: readonly ReadStart[]): SpanRecord | undefined {
  const cells = listOf(row);
  const [traceId, spanId, place, startedAt, duration] = cells;
  const start = starts[Number(place)];
  if (typeof traceId !== 'string' || typeof spanId !== 'string' || !start) return undefined;
  const { name, kind, callerId, attributes } = start;
  const startedAtUs = Number(startedAt);
  const durationUs = Number(duration);
  const ids = { traceId, spanId };
  const own = {
    name,
    kind,
    startedAtUs,
    durationUs,
    status: 'unset',
    attributes,
    callerId,
  } as const;
  if (cells.length <= plainLength) return { ...ids, ...own };
  const [status, parentSpanId, statusMessage] = cells.slice(plainLength);
  return {
    ...ids,
    ...(typeof parentSpanId === 'string' ? { parentSpanId } : undefined),
    ...own,
    status: oneOf(statuses, status, 'unset'),
    ...(typeof statusMessage === 'string' ? { statusMessage } : undefined),
  };
}

/** Cells of a span that neither failed nor has a parent. */
const plainLength = 5;

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

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

function oneOf<Known extends string>(
  known: Readonly<Record<Known, true>>,
  value: unknown,
  fallback: Known,
): Known {
  const isKnown = (text: string): text is Known => Object.hasOwn(known, text);
  return typeof value === 'string' && isKnown(value) ? value : fallback;
}

function readAttributes(value: unknown): SpanRecord['attributes'] {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isAttribute(member)));
}

function isAttribute(value: unknown): boolean {
  return Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value);
}
