import type { CodeContext } from '../code-context.ts';
import type { LintFinding } from '../lint/lint-finding.ts';
import type { SourceFile } from '../source-files.ts';
import { applyFixes } from './apply-fixes.ts';
import { stillParses } from './still-parses.ts';

/** The text after one round of the safe fixes already found; unchanged when that would not parse. */
export async function fixOnce(
  file: SourceFile,
  findings: readonly LintFinding[],
  context: CodeContext,
): Promise<string> {
  const { text, applied } = applyFixes(file.text, findings);
  if (applied.length === 0) return file.text;
  return (await stillParses({ ...file, text }, context)) ? text : file.text;
}
