import { metricDefinitions } from '../src/observe/metrics/metrics.ts';

/** `docs/metrics.md`: what `/metrics` gives. */
export function renderMetricsDoc(): string {
  const rows = Object.entries(metricDefinitions).map(([name, definition]) => {
    const { type, help, labels, maxSets, dashboard } = definition;
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${maxSets} | ${dashboard} | ${help} |`;
  });
  return `${intro}\n| metric | type | labels | sets of labels | dashboard | meaning |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

const intro = `# What does Tutti measure?

Generated from \`src/observe/metrics/definitions.json\` by \`npm run docs\`.

\`tutti serve\` answers at \`/metrics\` in the text format of Prometheus. A caller needs the permission \`metrics.read\`:

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: tutti
    authorization: { credentials_file: /run/secrets/tutti-token }
    static_configs: [{ targets: ['127.0.0.1:8004'] }]
\`\`\`

The number of series is bounded by the table: each metric keeps at most its number of sets of labels apart, and later names of servers, tools, callers,
models and agents share the label \`other\`. All together that is under 20,000 series, whatever the names are. Alert rules and dashboards for
them: [alerts.md](alerts.md).

\`tutti usage\` shows what was called how often, how fast and at what cost by \`tool\`, \`server\`, \`model\`, \`agent\`, \`caller\` or \`day\`, from the traces of the
data directory. Nothing of it leaves the machine.

Limits: metrics are kept in memory and begin at zero with the process; \`tutti usage\` reads the latest 50,000 spans. Metrics are not pushed by OTLP (spans are): let a
collector scrape \`/metrics\`. Outcomes of whole runs are not counted, those of their steps are.
`;
