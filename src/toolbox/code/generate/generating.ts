import { counted } from '../../../kernel/index.ts';
import type { Evidence } from '../../../contract/generation/index.ts';

/** They return text and change nothing; a model elsewhere writes it, each time anew. */
export const generatingAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
} as const;

export const maxDescription = 100_000;
export const maxCode = 200_000;

const maxNotes = 8;

/** What was found out, in a few lines. */
export function summarizeEvidence(result: {
  readonly verified: boolean;
  readonly origin: string;
  readonly model: string | null;
  readonly evidence: Evidence;
  readonly notice?: string | undefined;
}): string[] {
  const { tests, coverage_percent, mutants, attempts, notes } = result.evidence;
  const checks = [
    ...(tests
      ? [
          `${counted(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped (${tests.written_by === 'self' ? 'written by the same model' : 'given'})`,
        ]
      : []),
    ...(coverage_percent === null ? [] : [`coverage ${coverage_percent} %`]),
    ...(mutants ? [`${mutants.killed} of ${mutants.planted} planted mistakes noticed`] : []),
  ];
  const attemptsText = attempts > 1 ? `, ${attempts} attempts` : '';
  const head = `${result.verified ? 'Verified' : 'NOT verified'} (${result.model ?? result.origin}${attemptsText})`;
  return [
    ...(result.notice === undefined ? [] : [result.notice]),
    [head, ...checks].join('; '),
    ...notes.slice(0, maxNotes).map((note) => `- ${note}`),
  ];
}
