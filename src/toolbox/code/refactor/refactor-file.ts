import type { CodeContext } from '../code-context.ts';
import { parseJavascriptFile } from '../engines/javascript-tree.ts';
import { CodeSyntaxError } from '../errors.ts';
import type { LintFinding, LintSetup, TextEdit } from '../lint/lint-data.ts';
import { lintFile } from '../lint/lint-file.ts';
import { severityWeights } from '../review/score.ts';
import type { SourceFile } from '../source-files.ts';

/** One fix can make another possible; real files settle in two or three rounds. */
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

/** Whether a text can be read as its language, at less cost than linting it. */
async function stillParses(file: SourceFile, context: CodeContext): Promise<boolean> {
  const { language, text } = file;
  if (language === 'python') {
    const found = await context.ruff.check(text, { lint: { select: ['E9'] } });
    return !found.some(({ code }) => code === null || code === 'invalid-syntax');
  }
  if (language === 'javascript' || language === 'typescript') {
    try {
      return (await parseJavascriptFile(file, context.trees)).errors.length === 0;
    } catch (error) {
      if (error instanceof CodeSyntaxError) return false;
      throw error;
    }
  }
  // The fixes of SQL and HTML change the case of words, quotes and slashes in tags: no structure.
  if (language === 'sql' || language === 'html') return true;
  const tree = await context.trees.parse(language, text);
  const { hasError } = tree.rootNode;
  tree.delete();
  return !hasError;
}

interface AppliedFixes {
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

/** Two insertions at one offset have no order; a deletion may begin where another ends. */
function insertsAt(edits: readonly TextEdit[], offset: number): boolean {
  return edits.some(({ start, end }) => start === offset && end === offset);
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
