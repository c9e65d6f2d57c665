import type { Remembered } from '../../contract/session/index.ts';
import type { StepResult } from './results-of-run.ts';

/** A field of a tool's result that a conversation refers to later, and what it is. */
const fields: readonly (readonly [field: string, kind: Remembered['kind'], title: string])[] = [
  ['formatted_code', 'code', 'formatted code'],
  ['refactored_code', 'code', 'refactored code'],
  ['code', 'code', 'code'],
  ['test_code', 'tests', 'tests'],
  ['tests', 'tests', 'tests'],
  ['formalized_description', 'spec', 'specification'],
  ['documentation', 'text', 'documentation'],
  ['report', 'report', 'report'],
];

export interface FoundResult extends Remembered {
  readonly content: string;
}

/** What of the results "it" may mean later, latest last. */
export function rememberResults(results: readonly StepResult[], runId: string): FoundResult[] {
  return results.flatMap(({ step, output }) => {
    const value: Readonly<Record<string, unknown>> = Object(output);
    const language = typeof value['language'] === 'string' ? { language: value['language'] } : {};
    const from = { runId, step, ...language };
    const isReview = Array.isArray(value['issues']);
    const found = fields.flatMap(([field, kind, title]): FoundResult[] => {
      const content = value[field];
      if (typeof content !== 'string' || content.trim() === '') return [];
      // What a review would change is a proposal: "it" still means the code that was reviewed.
      if (isReview && kind === 'code') return [];
      return [{ kind, content, title: `${title} of step ${step}`, ...from }];
    });
    if (isReview) {
      const { refactored_code: _code, ...review } = value;
      const content = JSON.stringify(review);
      found.push({ kind: 'review', content, title: `review of step ${step}`, ...from });
    }
    return withoutRepeats(found);
  });
}

/** One of each kind per step: what was made of the code counts before the code itself. */
function withoutRepeats(found: readonly FoundResult[]): FoundResult[] {
  return found.filter((one, index) => found.findIndex(({ kind }) => kind === one.kind) === index);
}
