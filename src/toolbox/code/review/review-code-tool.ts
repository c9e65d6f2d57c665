import { pluralize } from '../../../kernel/index.ts';
import { z } from 'zod';
import { defineTool, type DefinedTool } from '../../define-tool.ts';
import type { CodeContext } from '../code-context.ts';
import { findingSchema, focusAreas } from '../finding.ts';
import { styleGuideNames } from '../language.ts';
import { baselineField } from '../select/baseline.ts';
import {
  describeCounts,
  describeSelection,
  inTests,
  selectionFields,
  severityCounts,
} from '../select/report-selection.ts';
import { sourceFields } from '../source-files.ts';
import { defaultCodeStandards, type CodeStandards } from './code-standard.ts';
import texts from '../tools.json' with { type: 'json' };

const input = z.object({
  ...sourceFields,
  style_guide: z
    .enum(styleGuideNames())
    .optional()
    .describe(
      "Whose rules to follow; pep8 for Python and each other language's own default when not given, or where the language has no guide of that name.",
    ),
  focus_areas: z
    .array(z.enum(focusAreas))
    .default([])
    .describe('Look only at these; empty for all. The score counts only what was looked at.'),
  baseline: baselineField,
});

const count = z.int().min(0);

const output = z.object({
  overall_score: z
    .number()
    .min(0)
    .max(100)
    .describe(
      '100 without issues; 0 while a file does not parse. Of a folder by its size, tests not counted. See docs/review-code.md.',
    ),
  issues: z
    .array(findingSchema.extend({ area: z.enum(focusAreas), in_tests: inTests }))
    .describe('Worst first, those in tests last; at most `max_issues` of them.'),
  issues_total: count.describe('All there are outside of tests, listed or not.'),
  issues_omitted: count,
  counts: severityCounts,
  ...selectionFields,
  suggestions: z.array(z.string()),
  compliments: z.array(z.string()).describe('What the measurements speak well of.'),
  refactored_code: z
    .string()
    .optional()
    .describe(
      'The text after one round of safe fixes; only when one text was reviewed and no secret found in it.',
    ),
  engines: z.array(z.object({ name: z.string(), version: z.string(), findings: count })),
  style_guides: z.record(z.string(), z.string()).describe('The guide used for each language.'),
  files_reviewed: count,
  made_without_model: z.literal(true),
});

export type ReviewOutput = z.output<typeof output>;

/** `review_code`: what linters, security rules and measurements find, as one list and one score. */
export function reviewCodeTool(
  context: CodeContext,
  readStandards: () => Promise<CodeStandards> = async () => defaultCodeStandards,
): DefinedTool {
  return defineTool({
    ...texts.review_code,
    input,
    output,
    run: async (request, call) => {
      const { reviewSources } = await import('./review-sources.ts');
      return reviewSources(request, call, { context, standards: await readStandards() });
    },
    summarize,
  });
}

const shownIssues = 10;

function summarize(review: ReviewOutput): string {
  const lines = review.issues
    .filter((issue) => issue.in_tests !== true || review.issues_total === 0)
    .slice(0, shownIssues)
    .map(
      ({ severity, file, line, column, rule, message }) =>
        `${severity} ${file}:${line}:${column} ${rule}: ${message}`,
    );
  const rest = review.issues_total - lines.length;
  return [
    `Score ${review.overall_score} of 100; ${describeCounts(review.counts) ?? (review.known > 0 ? 'no new issues' : 'no issues')} in ${pluralize(review.files_reviewed, 'file')}`,
    ...lines,
    ...(rest > 0 ? [`… and ${rest} more`] : []),
    ...describeSelection(review),
  ].join('\n');
}
