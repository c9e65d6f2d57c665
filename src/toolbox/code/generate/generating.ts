import { counted } from '../../../kernel/index.ts';
import type { Evidence, Level } from '../../../contract/generation/index.ts';

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
  readonly level: Level | null;
  readonly missing: string | null;
  readonly origin: string;
  readonly model: string | null;
  readonly evidence: Evidence;
  readonly notice?: string | undefined;
}): string[] {
  const { tests, coverage_percent, mutants, attempts, notes } = result.evidence;
  const checks = [
    ...(tests
      ? [
          `${counted(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped (${tests.written_by === 'self' ? 'written by the model' : 'given'})`,
        ]
      : []),
    ...(coverage_percent === null ? [] : [`coverage ${coverage_percent} %`]),
    ...(mutants ? [`${mutants.killed} of ${mutants.planted} changes of the code noticed`] : []),
  ];
  const attemptsText = attempts > 1 ? `, ${attempts} attempts` : '';
  const missing = result.missing === null ? [] : [`missing for more: ${result.missing}`];
  const head = `${describeLevel(result.level)} (${result.model ?? result.origin}${attemptsText})`;
  return [
    ...(result.notice === undefined ? [] : [result.notice]),
    [head, ...checks, ...missing].join('; '),
    ...notes
      .filter((note) => note !== result.missing)
      .slice(0, maxNotes)
      .map((note) => `- ${note}`),
  ];
}

/** `Verified`, or how far it got instead. */
function describeLevel(level: Level | null): string {
  if (level === 'verified') return 'Verified';
  return `${(level ?? 'not checked').replace('_', '-')}, NOT verified`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}
