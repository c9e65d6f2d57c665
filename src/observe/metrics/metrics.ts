import definitionData from './definitions.json' with { type: 'json' };

/** Names of the metrics. A new one is an entry in `definitions.json` and a call of `add`, `observe` or `set`. */
export type MetricName = keyof typeof definitionData;

export interface MetricDefinition {
  readonly type: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  /** Sets of labels that are kept apart; names beyond that share the label `other`. */
  readonly maxSets: number;
  readonly dashboard: string;
  readonly buckets?: readonly number[];
}

// The test of the definitions checks their shape.
export const metricDefinitions = definitionData as Readonly<Record<MetricName, MetricDefinition>>;

/** Values of these come from servers, callers and users; those of the other labels are ours and few. */
const openLabels: ReadonlySet<string> = new Set(['server', 'tool', 'caller', 'model', 'agent']);
const maxLabelChars = 128;
const otherLabel = 'other';
/** Sets of `other` with labels of our own, beyond `maxSets`. */
export const maxOtherSets = 4;

interface Series {
  readonly labels: readonly string[];
  value: number;
  count: number;
  readonly buckets: number[];
}

/** Adds the values that are known only when they are asked for. */
export type CollectMetrics = (metrics: Metrics) => Promise<void> | void;

/** Counters, gauges and histograms in memory, rendered as Prometheus text; their number is bounded by the definitions. */
export class Metrics {
  readonly #series = new Map<MetricName, Map<string, Series>>();
  readonly #collectors: CollectMetrics[] = [];

  /** `labels` in the order of the definition. */
  add(name: MetricName, labels: readonly string[], amount = 1): void {
    if (amount >= 0) this.#find(name, labels).value += amount;
  }

  /** What is, rather than what happened; also a count that is kept elsewhere. */
  set(name: MetricName, labels: readonly string[], value: number): void {
    this.#find(name, labels).value = value;
  }

  /** Forgets every series of a gauge, before those that still exist are set. */
  clear(name: MetricName): void {
    this.#series.delete(name);
  }

  observe(name: MetricName, labels: readonly string[], seconds: number): void {
    const series = this.#find(name, labels);
    series.count += 1;
    series.value += seconds;
    const limits = metricDefinitions[name].buckets ?? [];
    const at = limits.findIndex((limit) => seconds <= limit);
    if (at >= 0) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  }

  onCollect(collect: CollectMetrics): void {
    this.#collectors.push(collect);
  }

  /** Everything, with what is collected now. What cannot be collected is left out: the rest is wanted all the more. */
  async collect(): Promise<void> {
    await Promise.allSettled(this.#collectors.map(async (collect) => collect(this)));
  }

  /** Sums of the values of a metric whose labels begin with these. */
  sum(name: MetricName, isWanted: (labels: readonly string[]) => boolean = () => true): number {
    let sum = 0;
    for (const { labels, value } of this.#series.get(name)?.values() ?? []) {
      if (isWanted(labels)) sum += value;
    }
    return sum;
  }

  /** The text format 0.0.4 of Prometheus. */
  render(): string {
    const lines: string[] = [];
    // Keys of the table are its names.
    for (const name of Object.keys(metricDefinitions) as MetricName[]) {
      const { type, help, labels } = metricDefinitions[name];
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const series of this.#series.get(name)?.values() ?? []) {
        const shown = labels.map(
          (label, at) => `${label}="${escapeLabel(series.labels[at] ?? '')}"`,
        );
        if (type === 'histogram') lines.push(...renderHistogram(name, shown, series));
        else lines.push(`${name}${braced(shown)} ${series.value}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #find(name: MetricName, values: readonly string[]): Series {
    const all = this.#series.get(name) ?? new Map<string, Series>();
    this.#series.set(name, all);
    const labels = values.map((value) => value.slice(0, maxLabelChars));
    const known = all.get(labels.join('\0'));
    if (known) return known;
    const definition = metricDefinitions[name];
    const kept = all.size < definition.maxSets ? labels : withoutNames(labels, definition);
    const key = kept.join('\0');
    const series = all.get(key) ?? { labels: kept, value: 0, count: 0, buckets: [] };
    // Labels of ours are few, but a bound that trusts that would be none.
    if (all.size < definition.maxSets + maxOtherSets) all.set(key, series);
    return series;
  }
}

function withoutNames(labels: readonly string[], definition: MetricDefinition): readonly string[] {
  return labels.map((value, at) =>
    openLabels.has(definition.labels[at] ?? '') ? otherLabel : value,
  );
}

function renderHistogram(name: MetricName, labels: readonly string[], series: Series): string[] {
  let total = 0;
  const limits = metricDefinitions[name].buckets ?? [];
  const buckets = limits.map((limit, at) => {
    total += series.buckets[at] ?? 0;
    return `${name}_bucket${braced([...labels, `le="${limit}"`])} ${total}`;
  });
  return [
    ...buckets,
    `${name}_bucket${braced([...labels, 'le="+Inf"'])} ${series.count}`,
    `${name}_sum${braced(labels)} ${series.value}`,
    `${name}_count${braced(labels)} ${series.count}`,
  ];
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
