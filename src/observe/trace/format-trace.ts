import { blankUnseen, pluralize } from '../../kernel/index.ts';
import { spanAttribute, type SpanRecord } from './span.ts';

const barWidth = 24;
/** Deeper spans are not indented further. */
const maxIndent = 32;

interface Row {
  readonly span: SpanRecord;
  readonly depth: number;
}

interface TimeFrame {
  readonly fromUs: number;
  readonly untilUs: number;
}

/**
 * A trace as a tree with times, one line a span: when it began after the first one, how long it took,
 * where that lies in the whole. A span whose parent is not here stands at the top, and so does the
 * earliest of a circle of parents: every span is printed exactly once.
 */
export function formatTrace(spans: readonly SpanRecord[]): string {
  const [first] = spans;
  if (!first) return 'no spans';
  const frame = frameOf(spans);
  const rows = inTreeOrder(spans);
  const width = rows.reduce((most, row) => Math.max(most, labelOf(row).length), 0);
  const count = pluralize(spans.length, 'span');
  const began = new Date(frame.fromUs / 1000).toISOString();
  return [
    `trace ${first.traceId}  ${began}  ${formatUs(frame.untilUs - frame.fromUs)}  ${count}`,
    `${''.padEnd(width)}  ${'start'.padStart(9)}  ${'time'.padStart(9)}`,
    ...rows.map((row) => formatRow(row, width, frame)),
  ].join('\n');
}

function frameOf(spans: readonly SpanRecord[]): TimeFrame {
  let fromUs = Number.POSITIVE_INFINITY;
  let untilUs = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    fromUs = Math.min(fromUs, span.startedAtUs);
    untilUs = Math.max(untilUs, span.startedAtUs + span.durationUs);
  }
  return { fromUs, untilUs };
}

function inTreeOrder(spans: readonly SpanRecord[]): Row[] {
  const byAge = spans.toSorted((a, b) => a.startedAtUs - b.startedAtUs);
  const ids = new Set(byAge.map((span) => span.spanId));
  const children = Map.groupBy(byAge, (span) => span.parentSpanId ?? '');
  const hasParentHere = (span: SpanRecord): boolean =>
    span.parentSpanId !== undefined && ids.has(span.parentSpanId);
  const printed = new Set<SpanRecord>();
  const rows: Row[] = [];
  // Spans of a circle are reached from no top, so each span gets a second chance to be one.
  for (const top of [...byAge.filter((span) => !hasParentHere(span)), ...byAge]) {
    const waiting: Row[] = [{ span: top, depth: 0 }];
    for (let row = waiting.pop(); row; row = waiting.pop()) {
      if (printed.has(row.span)) continue;
      printed.add(row.span);
      rows.push(row);
      const below = children.get(row.span.spanId) ?? [];
      const depth = row.depth + 1;
      waiting.push(...below.toReversed().map((span) => ({ span, depth })));
    }
  }
  return rows;
}

function formatRow(row: Row, width: number, frame: TimeFrame): string {
  const { span } = row;
  return [
    labelOf(row).padEnd(width),
    `+${formatUs(span.startedAtUs - frame.fromUs)}`.padStart(9),
    formatUs(span.durationUs).padStart(9),
    `|${barOf(span, frame)}|`,
    outcomeOf(span),
  ]
    .join('  ')
    .trimEnd();
}

function labelOf({ span, depth }: Row): string {
  return `${'  '.repeat(Math.min(depth, maxIndent))}${blankUnseen(span.name)}`;
}

function barOf(span: SpanRecord, frame: TimeFrame): string {
  const perCell = Math.max(1, frame.untilUs - frame.fromUs) / barWidth;
  const begin = Math.min(barWidth - 1, Math.floor((span.startedAtUs - frame.fromUs) / perCell));
  const length = Math.max(1, Math.min(barWidth - begin, Math.round(span.durationUs / perCell)));
  return (' '.repeat(begin) + '='.repeat(length)).padEnd(barWidth);
}

function outcomeOf(span: SpanRecord): string {
  if (span.attributes[spanAttribute.cancelled] === true) return 'cancelled';
  if (span.status !== 'error') return 'ok';
  const type = span.attributes[spanAttribute.errorType];
  const parts = [typeof type === 'string' ? type : 'error', span.statusMessage ?? ''];
  return blankUnseen(parts.filter((part) => part !== '').join(': '));
}

export function formatUs(us: number): string {
  if (us < 1_000) return `${us} us`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(1)} ms`;
  return `${(us / 1_000_000).toFixed(2)} s`;
}
