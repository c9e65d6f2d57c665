import { z } from 'zod';

/** How bad a finding is, worst first. */
export const severities = ['critical', 'major', 'minor', 'info'] as const;

export type Severity = (typeof severities)[number];

/** Subjects of findings; a review can be limited to some of them. */
export const focusAreas = [
  'security',
  'correctness',
  'performance',
  'complexity',
  'maintainability',
  'documentation',
  'style',
  'standards',
] as const;

export type FocusArea = (typeof focusAreas)[number];

/** One finding of a tool in a source text. Lines and columns start at 1. */
export const findingSchema = z.object({
  severity: z.enum(severities),
  rule: z.string().describe('Stable id of the rule, e.g. python/S602 or javascript/no-eval.'),
  message: z.string(),
  file: z.string(),
  line: z.int().min(1),
  column: z.int().min(1),
  fix: z.string().optional().describe('What would cure it; never applied without being asked.'),
});

export type Finding = z.infer<typeof findingSchema>;

/** Worst first, then by file and position: the order in which findings are listed and cut off. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.rule, b.rule)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
