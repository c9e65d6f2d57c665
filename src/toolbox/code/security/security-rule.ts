import { z } from 'zod';
import { findingSchema, type Severity } from '../finding.ts';

const confidences = ['high', 'medium', 'low'] as const;

export type Confidence = (typeof confidences)[number];

/** What a rule is about. Its message and fix are constant text: they can never repeat the source. */
export interface SecurityRule {
  /** Stable, `<language>/<name>`; Python keeps the numbers of bandit: B602 is `python/S602`. */
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly cwe: string;
  readonly message: string;
  readonly fix: string;
  /** How often a match is a real weakness; medium when not given. */
  readonly confidence?: Confidence;
}

export const securityFindingSchema = findingSchema.extend({
  cwe: z.string().optional().describe('The weakness class, e.g. CWE-78.'),
  confidence: z.enum(confidences),
  engine: z.enum(['ruff', 'tutti']).describe('Who found it.'),
});

export type SecurityFinding = z.infer<typeof securityFindingSchema>;

/** Where in a text something was found; lines and columns start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The finding of a rule at a place; `changes` for what the match itself decides. */
export function findingOf(
  rule: SecurityRule,
  place: Place & { readonly file: string },
  changes: Partial<Pick<SecurityFinding, 'severity' | 'confidence' | 'engine'>> = {},
): SecurityFinding {
  return {
    severity: rule.severity,
    rule: rule.id,
    message: rule.message,
    file: place.file,
    line: place.line,
    column: place.column,
    fix: rule.fix,
    cwe: rule.cwe,
    confidence: rule.confidence ?? 'medium',
    engine: 'tutti',
    ...changes,
  };
}

/** A row of a rule table: name, title, severity, CWE number, message, fix and perhaps confidence. */
export type RuleRow = readonly [
  name: string,
  title: string,
  severity: Severity,
  cwe: number,
  message: string,
  fix: string,
  confidence?: Confidence,
];

export function rulesOf(
  group: string,
  rows: readonly RuleRow[],
): ReadonlyMap<string, SecurityRule> {
  return new Map(
    rows.map(([name, title, severity, cwe, message, fix, confidence = 'medium']) => [
      name,
      {
        id: `${group}/${name}`,
        title,
        severity,
        cwe: `CWE-${cwe}`,
        message,
        fix,
        confidence,
      },
    ]),
  );
}
