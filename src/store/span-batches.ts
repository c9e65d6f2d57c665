import type { SpanRecord, TraceSummary } from '../observe/index.ts';

// Spans that are recorded together are kept as one text, which is parsed only when it is read.

/** The cells of a batch: its first and last start, how many spans it has, and their text. */
export function cellsOf(spans: readonly SpanRecord[]): [number, number, number, string] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { startedAtUs } of spans) {
    first = Math.min(first, startedAtUs);
    last = Math.max(last, startedAtUs);
  }
  return [first, last, spans.length, writeSpanBatch(spans)];
}

/** Keyed by trace, each in the order they were recorded. */
export function spansByTrace(
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
export function inOrder(spans: readonly SpanRecord[]): readonly SpanRecord[] {
  if (spans.length === 1) return spans;
  const seen = new Set<string>();
  const first = spans.filter(({ spanId }) => seen.size < seen.add(spanId).size);
  return first.toSorted((a, b) => a.startedAtUs - b.startedAtUs);
}

export function summarize([traceId, recorded]: readonly [
  string,
  readonly SpanRecord[],
]): TraceSummary {
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
export function rowBeginning(idOrPrefix: string): string {
  return `["${idOrPrefix}`;
}

/** In the order they were written. What cannot be read must not hide the rest. */
export function readSpanBatch(text: string): SpanRecord[] {
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
