import { z } from 'zod';
import { pluralize } from '../../../kernel/index.ts';
import type { CodeContext } from '../code-context.ts';
import { severities, type Finding, type Severity } from '../finding.ts';
import { baselineSchema, createBaseline, readBaseline } from './baseline.ts';
import {
  describeLeftOut,
  leftOutSchema,
  reportLeftOut,
  type SelectedSources,
} from './select-sources.ts';

const count = z.int().min(0);

export const severityCounts = z.object({
  critical: count,
  major: count,
  minor: count,
  info: count,
});

/** What every tool that looks through a project says about what it looked at. */
export const selectionFields = {
  tests: z
    .object({ files: count, total: count, counts: severityCounts })
    .optional()
    .describe(
      'Findings in tests and fixtures of a folder: listed after all others with `in_tests`, counted here only.',
    ),
  left_out: leftOutSchema.describe('What of a folder was not looked at, and why.'),
  silenced: count.describe('Findings that comments in the source silence; not listed.'),
  known: count.describe('Findings that the baseline of the project knows; not listed.'),
  baseline: baselineSchema
    .optional()
    .describe('With `baseline: create`: the content for .tutti/baseline.json.'),
};

/** Marks findings in tests where they are listed with others. */
export const inTests = z.literal(true).optional().describe('It is in a test or fixture.');

export interface Judged<Found> {
  readonly own: readonly Found[];
  readonly tests: readonly Found[];
  readonly silenced: number;
}

export interface SelectionRequest {
  readonly baseline: 'use' | 'ignore' | 'create';
}

interface JudgedSelection<Found> extends Judged<Found> {
  readonly selected: SelectedSources;
}

/** Takes away what the baseline knows, and says what was left out. */
export async function reportSelection<Found extends Finding>(
  request: SelectionRequest,
  { selected, own, tests, silenced }: JudgedSelection<Found>,
  { sources }: Pick<CodeContext, 'sources'>,
) {
  const files = [...selected.own, ...selected.tests];
  const isInline = files.every(({ absolutePath }) => absolutePath === undefined);
  const baseline =
    request.baseline === 'use' && !isInline ? await readBaseline(sources) : undefined;
  const everything = { fresh: [...own, ...tests], known: [] };
  const { fresh, known } = baseline?.split([...own, ...tests], files) ?? everything;
  const isFresh = new Set(fresh);
  const freshTests = tests.filter((finding) => isFresh.has(finding));
  return {
    own: own.filter((finding) => isFresh.has(finding)),
    tests: freshTests.map((finding) => ({ ...finding, in_tests: true as const })),
    fields: {
      ...(selected.tests.length > 0
        ? {
            tests: {
              files: selected.tests.length,
              total: freshTests.length,
              counts: countSeverities(freshTests),
            },
          }
        : {}),
      left_out: reportLeftOut(selected.leftOut),
      silenced,
      known: known.length,
      ...(request.baseline === 'create'
        ? { baseline: createBaseline([...own, ...tests], files, sources) }
        : {}),
    },
  };
}

export function countSeverities(
  findings: readonly Pick<Finding, 'severity'>[],
): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, major: 0, minor: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** `1 critical, 2 minor`; undefined when there is nothing. */
export function describeCounts(counts: Readonly<Record<Severity, number>>): string | undefined {
  const parts = severities.filter((severity) => counts[severity] > 0);
  return parts.length === 0
    ? undefined
    : parts.map((severity) => `${counts[severity]} ${severity}`).join(', ');
}

const selectionSchema = z.object(selectionFields);

/** Lines for people: tests, what was left out, silenced and known. */
export function describeSelection(report: z.output<typeof selectionSchema>): string[] {
  const { tests, left_out: leftOut, silenced, known } = report;
  return [
    ...(tests
      ? [
          `Tests and fixtures (${pluralize(tests.files, 'file')}): ${describeCounts(tests.counts) ?? 'nothing found'}`,
        ]
      : []),
    ...describeLeftOut(leftOut),
    ...(silenced > 0 ? [`Silenced by comments: ${pluralize(silenced, 'finding')}`] : []),
    ...(known > 0
      ? [`Known to .tutti/baseline.json, not listed: ${pluralize(known, 'finding')}`]
      : []),
  ];
}
