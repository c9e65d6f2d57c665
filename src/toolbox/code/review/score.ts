import { compareFindings, type Finding, type Severity } from '../finding.ts';

/** What one finding of a severity costs. */
export const severityWeights: Readonly<Record<Severity, number>> = {
  critical: 40,
  major: 10,
  minor: 2,
  info: 0.5,
};

/** At this much weight the score has fallen to half. */
const halfWeight = 100;

/** Of a folder, the weight that halves the score is that of this many lines. */
const linesPerHalfWeight = 250;

/** No folder with a critical finding scores better. */
const bestWithCritical = 75;

/** The rule of a file that could not be read as its language. */
export const syntaxErrorRule = 'syntax-error';

/**
 * 100 / (1 + W / 100), to one decimal, where W is the summed weight of the findings. Of a folder, W is
 * taken per 250 lines as soon as it has more, so that a large project does not sink by its size alone; and
 * a critical finding keeps it at 75 or less, however large it is. While a file does not parse nothing else
 * is known about it: the score is 0, and making it parse cannot lower it.
 *
 * No finding can be added that raises it, and none taken away that lowers it. `lines` is given for folders
 * only: in a single text a fix that removes lines must not lower the score.
 */
export function scoreOf(
  findings: readonly Pick<Finding, 'severity' | 'rule'>[],
  lines: number = linesPerHalfWeight,
): number {
  if (findings.some(({ rule }) => rule.endsWith(`/${syntaxErrorRule}`))) return 0;
  const weight = findings.reduce((sum, { severity }) => sum + severityWeights[severity], 0);
  const size = Math.max(1, lines / linesPerHalfWeight);
  const score = (100 * halfWeight) / (halfWeight + weight / size);
  const hasCritical = findings.some(({ severity }) => severity === 'critical');
  return Math.round(10 * (hasCritical ? Math.min(score, bestWithCritical) : score)) / 10;
}

/** Rules of different engines that report one cause; the part after the language. */
const causes: readonly { readonly cause: string; readonly rules: RegExp }[] = [
  {
    cause: 'secret',
    rules: /^secrets\/|\/S10[567]$|\/(?:hard-?coded|literal)-(?:secret|password|credential|key)/,
  },
  { cause: 'broad-except', rules: /^python\/(?:E722|BLE001|S110|S112|SIM105)$/ },
  { cause: 'assert', rules: /^python\/(?:S101|B011|PT015)$/ },
  { cause: 'useless-return', rules: /^python\/(?:PLR1711|RET501)$/ },
  { cause: 'shell', rules: /^python\/(?:S60[2-7]|PLW1510)$/ },
  { cause: 'unsafe', rules: /^rust\/(?:unsafe|unsafe-block|unsafe-without-comment)$/ },
  { cause: 'transmute', rules: /^rust\/(?:mem-)?transmute$/ },
  { cause: 'mutable-static', rules: /^rust\/(?:mutable-static|static-mut)$/ },
  { cause: 'delete-all', rules: /^sql\/delete-(?:without-where|all)$/ },
  { cause: 'update-all', rules: /^sql\/update-(?:without-where|all)$/ },
];

function causeOf(rule: string): string {
  return causes.find(({ rules }) => rules.test(rule))?.cause ?? rule;
}

/** Whether a finding says that a secret stands in the text. */
export function isAboutSecret({ rule }: Pick<Finding, 'rule'>): boolean {
  return causeOf(rule) === 'secret';
}

/**
 * Findings in order, worst first, each cause once per line: the worst report of it stays. So taking
 * any finding away never makes another one worse.
 */
export function mergeFindings<Found extends Finding>(findings: readonly Found[]): Found[] {
  const kept = new Map<string, Found>();
  for (const finding of [...findings].sort(compareFindings)) {
    const cause = causeOf(finding.rule);
    // Findings of one rule on one line are one only when they are at one column.
    const column = cause === finding.rule ? finding.column : '';
    const key = [finding.file, finding.line, column, cause].join('\0');
    if (!kept.has(key)) kept.set(key, finding);
  }
  return [...kept.values()];
}
