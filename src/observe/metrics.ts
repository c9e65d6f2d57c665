import { spanAttribute, type SpanRecord } from './trace/span.ts';

/** Every metric, its labels and its buckets. A new one is an entry here and a call of `count` or `observe`. */
const definitions = {
  tutti_tool_calls_total: {
    type: 'counter',
    help: 'Tool calls by server, tool and outcome (ok, error, cancelled).',
    labels: ['server', 'tool', 'outcome'],
  },
  tutti_tool_call_duration_seconds: {
    type: 'histogram',
    help: 'Duration of tool calls, queueing included.',
    labels: ['server', 'tool'],
  },
  tutti_tool_cache_total: {
    type: 'counter',
    help: 'Calls of tools whose results are kept, by outcome (hit, shared, miss).',
    labels: ['server', 'tool', 'outcome'],
  },
  tutti_refused_requests_total: {
    type: 'counter',
    help: 'HTTP requests refused, by reason (guard, identity, permission, header mismatch).',
    labels: ['reason'],
  },
} as const satisfies Record<string, Definition>;

interface Definition {
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

type CounterName =
  | 'tutti_tool_calls_total'
  | 'tutti_tool_cache_total'
  | 'tutti_refused_requests_total';
type HistogramName = 'tutti_tool_call_duration_seconds';

const bucketsSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120];
/** Label values of later series are replaced by `other`: names come from foreign servers. */
const defaultMaxSeries = 2_000;
const maxLabelChars = 128;

interface Series {
  readonly labels: readonly string[];
  count: number;
  sum: number;
  readonly buckets: number[];
}

/** Counters and histograms in memory, rendered as Prometheus text. Bounded: at most `maxSeries` per metric, plus one. */
export class Metrics {
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #maxSeries: number;

  constructor(maxSeries = defaultMaxSeries) {
    this.#maxSeries = maxSeries;
  }

  /** `labels` in the order of the definition. */
  count(name: CounterName, labels: readonly string[]): void {
    this.#find(name, labels).count += 1;
  }

  observe(name: HistogramName, labels: readonly string[], seconds: number): void {
    const series = this.#find(name, labels);
    series.count += 1;
    series.sum += seconds;
    const at = bucketsSeconds.findIndex((limit) => seconds <= limit);
    if (at >= 0) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  }

  /** Counts a finished tool call; other spans are ignored. */
  onSpan({ attributes, status, durationUs }: SpanRecord): void {
    const tool = attributes['gen_ai.tool.name'];
    if (typeof tool !== 'string') return;
    const labels = [String(attributes['tutti.server'] ?? ''), tool];
    const isCancelled = attributes[spanAttribute.cancelled] === true;
    const outcome = isCancelled ? 'cancelled' : status === 'error' ? 'error' : 'ok';
    this.count('tutti_tool_calls_total', [...labels, outcome]);
    const kept = attributes['tutti.cache'];
    if (typeof kept === 'string') this.count('tutti_tool_cache_total', [...labels, kept]);
    this.observe('tutti_tool_call_duration_seconds', labels, durationUs / 1_000_000);
  }

  /** The text format 0.0.4 of Prometheus. */
  render(): string {
    const lines: string[] = [];
    for (const [name, { type, help, labels }] of Object.entries(definitions)) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const series of this.#series.get(name)?.values() ?? []) {
        const shown = labels.map(
          (label, at) => `${label}="${escapeLabel(series.labels[at] ?? '')}"`,
        );
        if (type === 'counter') lines.push(`${name}{${shown.join(',')}} ${series.count}`);
        else lines.push(...renderHistogram(name, shown, series));
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #find(name: string, values: readonly string[]): Series {
    const all = this.#series.get(name) ?? new Map<string, Series>();
    this.#series.set(name, all);
    const labels = values.map((value) => value.slice(0, maxLabelChars));
    const known = all.get(labels.join('\0'));
    if (known) return known;
    const kept = all.size < this.#maxSeries ? labels : values.map(() => 'other');
    const key = kept.join('\0');
    const series = all.get(key) ?? { labels: kept, count: 0, sum: 0, buckets: [] };
    all.set(key, series);
    return series;
  }
}

function renderHistogram(name: string, labels: readonly string[], series: Series): string[] {
  let total = 0;
  const buckets = bucketsSeconds.map((limit, at) => {
    total += series.buckets[at] ?? 0;
    return `${name}_bucket{${[...labels, `le="${limit}"`].join(',')}} ${total}`;
  });
  const own = labels.join(',');
  return [
    ...buckets,
    `${name}_bucket{${[...labels, 'le="+Inf"'].join(',')}} ${series.count}`,
    `${name}_sum{${own}} ${series.sum}`,
    `${name}_count{${own}} ${series.count}`,
  ];
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
