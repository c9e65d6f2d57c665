import { builtInRules } from '../src/observe/index.ts';

type Rule = (typeof builtInRules)[number];

/** `docs/built-in-alerts.md`: when each built-in alert fires. */
export function renderAlertsDoc(): string {
  const rows = builtInRules.map((rule) => {
    const { name, severity, metric, part, summary, forMs } = rule;
    const counted = part === undefined ? `\`${metric}\`` : `\`${metric}\`, \`${part}\``;
    return `| \`${name}\` | ${severity} | ${summary} | ${counted} | ${conditionOf(rule)} | ${durationOf(forMs)} |`;
  });
  return `${intro}\n| alert | severity | meaning | counted | fires | for at least |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function conditionOf({ kind, above, below, minCount, windowMs = 0 }: Rule): string {
  if (kind === 'anomaly') return 'a whole hour differs from the same hour of earlier days';
  if (kind === 'value') return above === undefined ? `below ${below}` : `above ${above}`;
  const window = durationOf(windowMs);
  if (kind === 'increase') return `more than ${above} in ${window}`;
  return `more than ${(above ?? 0) * 100} % of at least ${minCount} in ${window}`;
}

function durationOf(ms: number): string {
  return ms === 0 ? 'at once' : `${ms / 60_000} min`;
}

const intro = `# When do the built-in alerts fire?

Generated from \`src/observe/alerts/alert-rules.json\` by \`npm run docs\`. How they are sent, silenced and tested: [alerts.md](alerts.md).

A condition must hold in every evaluation (\`alerts.interval_seconds\`, 60 unless set) for the time in the last column. Shares and increases are counted over the
latest minutes, however often they are evaluated, so an alert ends once the cause has left that window.
`;
