import type { LintFinding, TextEdit } from '../lint/lint-finding.ts';

export interface AppliedFixes {
  readonly text: string;
  /** The findings whose fixes were applied, in the order of the text. */
  readonly applied: readonly LintFinding[];
}

/**
 * Applies the safe fixes that do not touch each other; of two that do, the one that starts first.
 * A fix of several edits is applied as a whole or not at all.
 */
export function applyFixes(text: string, findings: readonly LintFinding[]): AppliedFixes {
  const fixable = findings
    .filter((finding) => finding.safeFix !== undefined && finding.safeFix.length > 0)
    .map((finding) => ({ finding, edits: inOrder(finding.safeFix ?? []) }))
    .sort((a, b) => startOf(a.edits) - startOf(b.edits));
  const taken: TextEdit[] = [];
  const applied: LintFinding[] = [];
  let reached = -1;
  for (const { finding, edits } of fixable) {
    if (startOf(edits) < reached || overlapsItself(edits) || insertsAt(edits, reached)) continue;
    taken.push(...edits);
    applied.push(finding);
    reached = Math.max(...edits.map(({ end }) => end));
  }
  return { text: replaceAll(text, taken), applied };
}

function inOrder(edits: readonly TextEdit[]): readonly TextEdit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
}

function startOf(edits: readonly TextEdit[]): number {
  return edits[0]?.start ?? 0;
}

/** Two insertions at one place have no order; a deletion may begin where another ends. */
function insertsAt(edits: readonly TextEdit[], place: number): boolean {
  return edits.some(({ start, end }) => start === place && end === place);
}

function overlapsItself(edits: readonly TextEdit[]): boolean {
  return edits.some((edit, at) => edit.start < (edits[at - 1]?.end ?? 0));
}

function replaceAll(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of edits) {
    pieces.push(text.slice(done, start), replacement);
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
