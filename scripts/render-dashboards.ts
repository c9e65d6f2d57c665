import { metricDefinitions, type MetricDefinition } from '../src/observe/metrics/metrics.ts';

const titles: Readonly<Record<string, string>> = {
  fleet: 'Tutti: fleet',
  runs: 'Tutti: runs',
  agents: 'Tutti: agents and models',
  security: 'Tutti: security',
};

const panelWidth = 12;
const panelHeight = 8;
const columns = 2;

/** A Grafana dashboard for each name in the definitions of the metrics, a panel for each of its metrics. */
export function renderDashboards(): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(titles).map(([name, title]) => {
    const metrics = Object.entries(metricDefinitions).filter(
      ([, { dashboard }]) => dashboard === name,
    );
    const dashboard = {
      uid: `tutti-${name}`,
      title,
      tags: ['tutti'],
      schemaVersion: 39,
      version: 1,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        ],
      },
      panels: metrics.map(([metric, definition], at) => panelOf(metric, definition, at)),
    };
    return {
      path: `deploy/grafana/${name}.json`,
      text: `${JSON.stringify(dashboard, null, 2)}\n`,
    };
  });
}

function panelOf(metric: string, definition: MetricDefinition, at: number) {
  const { help, labels, type } = definition;
  const by = labels.join(', ');
  return {
    id: at + 1,
    type: 'timeseries',
    title: help.replace(/\.$/, ''),
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: {
      x: (at % columns) * panelWidth,
      y: Math.floor(at / columns) * panelHeight,
      w: panelWidth,
      h: panelHeight,
    },
    fieldConfig: { defaults: { unit: unitOf(metric, type), min: 0 }, overrides: [] },
    targets: queriesOf(metric, type, by).map(({ expr, legend }, index) => ({
      refId: 'AB'.charAt(index),
      expr,
      legendFormat: legend,
    })),
  };
}

interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** The busiest: a panel with thousands of lines shows nothing. */
const maxLines = 15;

function queriesOf(metric: string, type: MetricDefinition['type'], by: string): readonly Query[] {
  const legend = by
    .split(', ')
    .filter((label) => label !== '')
    .map((label) => `{{${label}}}`)
    .join(' ');
  if (type === 'gauge') return [{ expr: `topk(${maxLines}, ${metric})`, legend: legend || metric }];
  if (type === 'counter') {
    const rate = `sum by (${by}) (rate(${metric}[5m]))`;
    return [{ expr: `topk(${maxLines}, ${rate})`, legend: legend || metric }];
  }
  const groups = [by, 'le'].filter((part) => part !== '').join(', ');
  return [0.5, 0.95].map((quantile) => ({
    expr: `topk(${maxLines}, histogram_quantile(${quantile}, sum by (${groups}) (rate(${metric}_bucket[5m]))))`,
    legend: `${quantile * 100} % ${legend}`.trimEnd(),
  }));
}

function unitOf(metric: string, type: MetricDefinition['type']): string {
  if (metric.includes('_bytes')) return 'bytes';
  if (metric.includes('_usd')) return 'currencyUSD';
  if (type === 'histogram' || metric.endsWith('_seconds')) return 's';
  return type === 'counter' ? 'ops' : 'short';
}
