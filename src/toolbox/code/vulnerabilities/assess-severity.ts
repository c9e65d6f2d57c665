import cvss from 'ae-cvss-calculator';
import { lookupTable } from '../../../kernel/index.ts';
import type { Severity } from '../finding.ts';
import type { OsvRecord } from './osv-record.ts';
import type { SeveritySource } from './scan-dependencies-tool.ts';

export interface Assessment {
  readonly severity: Severity;
  readonly source: SeveritySource;
  /** CVSS base score, where a vector gives one. */
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
 * How bad a vulnerability is: the highest CVSS 3 score, else the highest CVSS 4 score, else the
 * database's own label, else `major`, because an unrated vulnerability must not look harmless.
 */
export function assessSeverity(record: OsvRecord): Assessment {
  const vectors = [record, ...(record.affected ?? [])]
    .flatMap(({ severity }) => severity ?? [])
    .map(({ score }) => score);
  const score =
    highest(vectors.filter((vector) => vector.startsWith('CVSS:3.'))) ??
    highest(vectors.filter((vector) => vector.startsWith('CVSS:4.')));
  if (score !== undefined) return { severity: severityOfScore(score), source: 'cvss', score };
  const label = labels[String(record.database_specific?.severity).toUpperCase()];
  return label ? { severity: label, source: 'label' } : { severity: 'major', source: 'assumed' };
}

function highest(vectors: readonly string[]): number | undefined {
  const scores = vectors.flatMap((vector) => baseScore(vector) ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

const maxVectorLength = 400;

/** Base score of a CVSS 3.0, 3.1 or 4.0 vector; `undefined` when a base metric is missing or unknown. */
export function baseScore(vector: string): number | undefined {
  if (vector.length > maxVectorLength) return undefined;
  try {
    if (vector.startsWith('CVSS:4.0/')) {
      const parsed = new cvss.Cvss4P0(vector);
      return parsed.isBaseFullyDefined() ? parsed.calculateScores().baseMetricsOnly : undefined;
    }
    if (vector.startsWith('CVSS:3.1/')) return new cvss.Cvss3P1(vector).calculateScores().base;
    if (vector.startsWith('CVSS:3.0/')) return new cvss.Cvss3P0(vector).calculateScores().base;
    return undefined;
  } catch {
    return undefined;
  }
}

/** The qualitative bands of CVSS: critical, high, medium, and low or none. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'major';
  return score >= 4 ? 'minor' : 'info';
}
