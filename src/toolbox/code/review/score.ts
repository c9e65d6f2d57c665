import type { Finding, Severity } from '../finding.ts';

/** What one finding of a severity costs. */
export const severityWeights: Readonly<Record<Severity, number>> = {
  critical: 40,
  major: 10,
  minor: 2,
  info: 0.5,
};

/** At this much weight the score has fallen to half. */
const halfWeight = 100;

/** The rule of a file that could not be read as its language. */
export const syntaxErrorRule = 'syntax-error';

/**
 * 100 / (1 + W / 100), to one decimal. W is the summed weight of a file's findings; for several files
 * the root of the sum of their squares, so that a folder scores no better than its worst file but
 * does not sink by its size alone. While a file does not parse nobody knows what else is in it: the
 * score is 0, and making it parse cannot lower it.
 *
 * No finding can be added, in whatever file, that raises it, and none taken away that lowers it: W
 * grows with each weight, and neither lines nor clean files are in the formula.
 */
export function scoreOf(findings: readonly Pick<Finding, 'severity' | 'file' | 'rule'>[]): number {
  const byFile = new Map<string, number>();
  for (const { severity, file, rule } of findings) {
    if (rule.endsWith(`/${syntaxErrorRule}`)) return 0;
    byFile.set(file, (byFile.get(file) ?? 0) + severityWeights[severity]);
  }
  let squares = 0;
  for (const weight of byFile.values()) squares += weight * weight;
  return Math.round((1000 * halfWeight) / (halfWeight + Math.sqrt(squares))) / 10;
}
