import { z } from 'zod';
import { findingSchema, type Severity } from '../finding.ts';

export const confidences = ['high', 'medium', 'low'] as const;

/** What a rule is about. Its message and fix are constant text: they can never repeat the source. */
export interface SecurityRule {
  /** Stable, `<language>/<name>`; Python keeps the numbers of bandit: B602 is `python/S602`. */
  readonly id: string;
  readonly severity: Severity;
  readonly cwe: string;
  readonly message: string;
  readonly fix: string;
  /** How often a match is a real weakness. */
  readonly confidence: (typeof confidences)[number];
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

/** Where a text is said not to parse that could not be read at all. */
export const startOfText: Place = { line: 1, column: 1 };

/** The finding of a rule at a place; `changes` for what the match itself decides. */
export function findingOf(
  rule: SecurityRule,
  place: Place & { readonly file: string },
  changes: Partial<Pick<SecurityFinding, 'severity' | 'engine'>> = {},
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
    confidence: rule.confidence,
    engine: 'tutti',
    ...changes,
  };
}
