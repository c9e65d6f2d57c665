import { CodeSyntaxError } from '../errors.ts';
import { lintFile } from '../lint/lint-file.ts';
import type { LintFinding, LintSetup } from '../lint/lint-finding.ts';
import { severityWeights } from '../review/score.ts';
import type { SourceFile } from '../source-files.ts';
import { applyFixes } from './fix-once.ts';

/** Fixing one thing can make another fixable; real files settle in two or three rounds. */
const maxPasses = 25;

/** How many fixes are tried one by one after a round that had to be taken back. */
const maxSingleFixes = 50;

export interface Refactoring {
  readonly text: string;
  /** The line is that of the text at the time; in the first round, of the text as given. */
  readonly applied: readonly LintFinding[];
  /** How many findings no safe fix cures. */
  readonly remaining: number;
}

/**
 * Applies safe fixes until none is left. After every round the text is linted again: a round after
 * which it does not parse, or has heavier findings than before, is taken back and its fixes are tried
 * one by one. Throws `CodeSyntaxError` when the text as given does not parse.
 */
export async function refactorFile(
  file: SourceFile,
  setup: LintSetup,
  isWanted: (finding: LintFinding) => boolean,
): Promise<Refactoring> {
  let current = await lintText(file, setup);
  const applied: LintFinding[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const wanted = current.findings.filter(isWanted);
    const next = await improve(current, wanted, setup);
    if (!next) break;
    applied.push(...next.applied);
    current = next.linted;
  }
  return { text: current.file.text, applied, remaining: current.findings.length };
}

interface Linted {
  readonly file: SourceFile;
  readonly findings: readonly LintFinding[];
  readonly weight: number;
}

interface Step {
  readonly linted: Linted;
  readonly applied: readonly LintFinding[];
}

async function improve(
  current: Linted,
  wanted: readonly LintFinding[],
  setup: LintSetup,
): Promise<Step | undefined> {
  const all = await tryFixes(current, wanted, setup);
  if (all) return all;
  const fixable = wanted.filter(({ safeFix }) => safeFix);
  if (fixable.length < 2) return undefined;
  for (const finding of fixable.slice(0, maxSingleFixes)) {
    const one = await tryFixes(current, [finding], setup);
    if (one) return one;
  }
  return undefined;
}

async function tryFixes(
  current: Linted,
  findings: readonly LintFinding[],
  setup: LintSetup,
): Promise<Step | undefined> {
  const { text, applied } = applyFixes(current.file.text, findings);
  if (applied.length === 0 || text === current.file.text) return undefined;
  try {
    const linted = await lintText({ ...current.file, text }, setup);
    return linted.weight <= current.weight ? { linted, applied } : undefined;
  } catch (error) {
    if (error instanceof CodeSyntaxError) return undefined;
    throw error;
  }
}

async function lintText(file: SourceFile, setup: LintSetup): Promise<Linted> {
  const findings = await lintFile(file, setup);
  const weight = findings.reduce((sum, { severity }) => sum + severityWeights[severity], 0);
  return { file, findings, weight };
}
