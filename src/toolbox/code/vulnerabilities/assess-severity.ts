import type { Severity } from '../finding.ts';
import { approximateCvss4, scoreCvss3 } from './cvss.ts';
import type { OsvRecord } from './osv-record.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** Where a severity comes from, most trustworthy first. */
export const severitySources = ['cvss', 'label', 'approximated', 'assumed'] as const;

export interface Assessment {
  readonly severity: Severity;
  readonly source: (typeof severitySources)[number];
  /** CVSS 3 base score, only where it was computed exactly. */
  readonly score?: number;
}

const labels: Readonly<Record<string, Severity>> = lookupTable({
  CRITICAL: 'critical',
  HIGH: 'major',
  MODERATE: 'minor',
  MEDIUM: 'minor',
  LOW: 'info',
  NONE: 'info',
});

/**
 * How bad a vulnerability is: the highest CVSS 3 score, else the database's own label, else an
 * approximation of a CVSS 4 vector, else `major`, because what nobody rated must not look harmless.
 */
export function assessSeverity(record: OsvRecord): Assessment {
  const vectors = [
    ...(record.severity ?? []),
    ...(record.affected ?? []).flatMap((entry) => entry.severity ?? []),
  ];
  const score = highest(vectors.flatMap((vector) => scoreCvss3(vector.score) ?? []));
  if (score !== undefined) return { severity: severityOfScore(score), source: 'cvss', score };
  const label = labels[String(record.database_specific?.severity).toUpperCase()];
  if (label) return { severity: label, source: 'label' };
  const rough = highest(vectors.flatMap((vector) => approximateCvss4(vector.score) ?? []));
  if (rough !== undefined) return { severity: severityOfScore(rough), source: 'approximated' };
  return { severity: 'major', source: 'assumed' };
}

function highest(scores: readonly number[]): number | undefined {
  return scores.length === 0 ? undefined : Math.max(...scores);
}

/** The qualitative bands of CVSS: critical, high, medium, and low or none. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'major';
  return score >= 4 ? 'minor' : 'info';
}
