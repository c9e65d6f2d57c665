import type { FileLimits } from '../../kernel/index.ts';
import type { Plan, PlanProblem } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import type { CompiledPlan } from './compiled-plan.ts';
import { compileNoting } from './compile-plan.ts';
import type { Draft } from './draft-of.ts';
import { inlineSubPlans, type SubPlanFile } from './inline-sub-plans.ts';
import { formatPath, parsePath } from './reference.ts';
import { readPlanDocument } from './read-plan-document.ts';
import { maxProblems, type Note } from './plan-notes.ts';

export interface PlanLimits {
  /** Of the text of one file. */
  readonly maxBytes: number;
  /** Lists and objects within each other. */
  readonly maxDepth: number;
  /** Texts, numbers, lists … of one file. */
  readonly maxNodes: number;
  /** Those of sub-plans included. */
  readonly maxSteps: number;
}

const usualPlanLimits: PlanLimits = {
  maxBytes: 16_777_216,
  maxDepth: 64,
  maxNodes: 2_000_000,
  maxSteps: 10_000,
};

/** The text of a file, as UTF-8, that keeps to the limits. */
export type ReadSubPlan = (path: string, limits: FileLimits) => Promise<string | Buffer>;

export interface ParseOptions {
  /**
   * Reads the file of a sub-plan, by its path as the plan's own file was named; without it, as for
   * plans from afar, sub-plans stand within their plan.
   */
  readonly readFile?: ReadSubPlan;
  readonly limits?: Partial<PlanLimits>;
}

interface ParsedPlan {
  /** With sub-plans in place and defaults filled in; absent when there is an error. */
  readonly plan?: Plan;
  readonly compiled?: CompiledPlan;
  /** What can be checked further, and not run, when there is an error. */
  readonly draft?: CompiledPlan;
  /** At most `maxProblems`, in the order of the plan. */
  readonly problems: readonly PlanProblem[];
  /** A step of the draft as it is called in the plan. */
  nameOf(step: string | null): string | null;
  /** Where something lies that is named by its path, as in `PlanProblem`. */
  placeOf(path: string): PlanFilePlace;
  lineOf(path: string): number | null;
}

interface PlanFilePlace {
  readonly line: number | null;
  /** Only for what lies in the file of a sub-plan. */
  readonly file?: string;
}

/**
 * Reads a plan and finds all that is wrong with its form: syntax, limits, fields, ids, references,
 * conditions, circles. Whether tools exist and values fit them is not looked at. Never throws for a bad plan.
 */
export async function parsePlan(
  source: PlanSource,
  options: ParseOptions = {},
): Promise<ParsedPlan> {
  const limits = { ...usualPlanLimits, ...options.limits };
  const document = await readPlanDocument(source, limits);
  const files: SubPlanFile[] = [{ at: [], lineOf: (path) => document.lineOf(path) }];
  const readable = document.plan ?? document.draft?.plan;
  const inlined =
    readable &&
    (await inlineSubPlans(readable, {
      ...(source.kind === 'text' && source.file !== undefined && { file: source.file }),
      readFile: options.readFile,
      limits,
      files,
    }));
  const placeOf = (at: readonly (string | number)[]): PlanFilePlace => placeAt(files, at);
  const nameOf = (step: string | null): string | null => writtenName(step, document.draft);
  const toProblem = (note: Note): PlanProblem => problemOf(note, placeOf(note.at));
  const toWritten = (note: Note): Note => ({ ...note, step: nameOf(note.step) });
  const before = [...document.notes, ...(inlined?.notes ?? [])];
  const plan = inlined?.notes.length === 0 ? inlined.plan : undefined;
  const { compiled, draft, notes = [] } = plan ? compileNoting(plan) : {};
  return {
    ...(before.length === 0 && plan && compiled && { plan, compiled }),
    ...(draft && { draft }),
    problems: [...before, ...notes.map(toWritten)]
      .slice(0, maxProblems)
      .map(toProblem)
      .sort(byLine),
    nameOf,
    placeOf: (path) => placeOf(parsePath(path) ?? []),
    lineOf: (path) => placeOf(parsePath(path) ?? []).line,
  };
}

function writtenName(step: string | null, draft: Draft | undefined): string | null {
  if (step === null || !draft) return step;
  const [first = '', ...inner] = step.split('/');
  return [draft.names.get(first) ?? first, ...inner].join('/');
}

/** The file is the one whose place in the plan is the longest beginning of the path. */
function placeAt(files: readonly SubPlanFile[], at: readonly (string | number)[]): PlanFilePlace {
  let best: SubPlanFile | undefined;
  for (const file of files) {
    const isAround = file.at.every((segment, index) => segment === at[index]);
    if (isAround && file.at.length >= (best?.at.length ?? 0)) best = file;
  }
  if (!best) return { line: null };
  const line = best.lineOf(at.slice(best.at.length));
  return { line, ...(best.file !== undefined && { file: best.file }) };
}

/** Those of sub-plan files come last, each file's together. */
function byLine(a: PlanProblem, b: PlanProblem): number {
  const [fileA, fileB] = [a.file ?? '', b.file ?? ''];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

function problemOf({ at, step, line, code, message }: Note, place: PlanFilePlace): PlanProblem {
  const path = formatPath(at);
  return { step, path, ...place, line: line ?? place.line, code, message, severity: 'error' };
}
