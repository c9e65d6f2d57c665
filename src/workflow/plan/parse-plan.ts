import { dirname, isAbsolute, resolve } from 'node:path';
import type { Plan, PlanProblem, Step } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { type FileLimits, liesInside } from '../../kernel/index.ts';
import { type CompiledPlan, compileNoting } from './compile-plan.ts';
import { type Draft, readPlanDocument } from './read-plan-document.ts';
import { formatPath, parsePath } from './reference.ts';
import {
  maxProblems,
  type Note,
  type PlanLimits,
  wholePlan,
  withinStep,
  type PlanPlace,
  maxPlanDepth,
  tooDeep,
} from './step-rules.ts';

const usualPlanLimits: PlanLimits = {
  maxBytes: 16_777_216,
  maxDepth: 64,
  maxNodes: 2_000_000,
  maxSteps: 10_000,
};

/** The text of a file, as UTF-8, that keeps to the limits. */
type ReadSubPlan = (path: string, limits: FileLimits) => Promise<string | Buffer>;

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
  /** As it was written, where that is another one. */
  readonly path?: string;
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
  const files: SubPlanFile[] = [{ at: [], document }];
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
  const { document } = best;
  const inner = at.slice(best.at.length);
  const written = document.writtenAt(inner);
  return {
    ...(written !== inner && { path: formatPath([...best.at, ...written]) }),
    line: document.lineOf(written),
    ...(best.file !== undefined && { file: best.file }),
  };
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

/** A file a part of the plan came from. */
interface SubPlanFile {
  /** Where in the plan its content stands. */
  readonly at: readonly (string | number)[];
  /** Absent for the plan's own. */
  readonly file?: string;
  readonly document: Pick<Awaited<ReturnType<typeof readPlanDocument>>, 'lineOf' | 'writtenAt'>;
}

interface InlineContext {
  /** The plan's own; without it files cannot be named. */
  readonly file?: string;
  readonly readFile: ReadSubPlan | undefined;
  readonly limits: PlanLimits;
  /** Gets the files that are read. */
  readonly files: SubPlanFile[];
}

/** Puts the content of sub-plan files in their place. */
async function inlineSubPlans(
  plan: Plan,
  context: InlineContext,
): Promise<{ readonly plan: Plan; readonly notes: readonly Note[] }> {
  const walk: Walk = { ...context, notes: [], steps: 0 };
  const chain = context.file === undefined ? [] : [resolve(context.file)];
  const inlined = await inlineAt(plan, { place: wholePlan, depth: 1, chain }, walk);
  return { plan: inlined, notes: walk.notes };
}

interface Walk extends InlineContext {
  readonly notes: Note[];
  /** Counted over all plans. */
  steps: number;
}

interface Level {
  readonly place: PlanPlace;
  readonly depth: number;
  /** The files around, from the plan's own. */
  readonly chain: readonly string[];
}

async function inlineAt(plan: Plan, level: Level, walk: Walk): Promise<Plan> {
  walk.steps += plan.steps.length;
  if (walk.steps > walk.limits.maxSteps) return noteTooMany(plan, level, walk);
  if (plan.steps.every((step) => step.plan === undefined)) return plan;
  const steps: Step[] = [];
  for (const [index, step] of plan.steps.entries()) {
    steps.push(await inlineStep(step, { index, level, walk }));
    if (walk.steps > walk.limits.maxSteps) return plan;
  }
  return { ...plan, steps };
}

interface StepPlace {
  readonly index: number;
  readonly level: Level;
  readonly walk: Walk;
}

async function inlineStep(step: Step, { index, level, walk }: StepPlace): Promise<Step> {
  if (step.plan === undefined) return step;
  const place = withinStep(level.place, { id: step.id, index });
  const inner: Level = { place, depth: level.depth + 1, chain: level.chain };
  const path = `${level.place.steps}${step.id}`;
  if (inner.depth > maxPlanDepth) {
    walk.notes.push(tooDeep(path, place.at));
    return step;
  }
  if (typeof step.plan === 'object')
    return { ...step, plan: await inlineAt(step.plan, inner, walk) };
  const found = findFile(step.plan, level, walk);
  if ('problem' in found) {
    noteFile(walk, { step: path, at: place.at, message: found.problem });
    return step;
  }
  const plan = await readSubPlan(found, { name: step.plan, step: path, place, walk });
  if (!plan) return step;
  const chain = [...level.chain, found.file];
  return { ...step, plan: await inlineAt(plan, { ...inner, chain }, walk) };
}

/** A sub-plan lies below the folder of the plan, wherever the file that names it lies. */
function findFile(
  name: string,
  { chain }: Level,
  walk: Walk,
): { file: string; folder: string } | { problem: string } {
  const [own] = chain;
  const around = chain.at(-1);
  if (own === undefined || around === undefined || !walk.readFile) {
    return {
      problem: `The file "${name}" was not read: this plan did not come from a file. Write the sub-plan in its place`,
    };
  }
  const file = resolve(dirname(around), name);
  const folder = dirname(own);
  if (!liesInside(folder, file) || isAbsolute(name)) {
    return {
      problem: `The file "${name}" was not read: sub-plans lie in the folder of the plan, or below it`,
    };
  }
  if (!chain.includes(file)) return { file, folder };
  return { problem: `The file "${name}" contains itself as a sub-plan, which would never end` };
}

interface Reading {
  readonly name: string;
  readonly step: string;
  readonly place: PlanPlace;
  readonly walk: Walk;
}

async function readSubPlan(
  { file, folder }: { readonly file: string; readonly folder: string },
  reading: Reading,
): Promise<Plan | undefined> {
  const { name, step, place, walk } = reading;
  const limits = { inside: [folder], maxBytes: walk.limits.maxBytes };
  let text: string;
  try {
    text = String((await walk.readFile?.(file, limits)) ?? '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The file "${name}" of the sub-plan was not read: ${reason}`;
    noteFile(walk, { step, at: place.at, message });
    return undefined;
  }
  const read = await readPlanDocument({ kind: 'text', text, file }, walk.limits);
  walk.files.push({ at: place.at, file: name, document: read });
  for (const note of read.notes) {
    const inner = note.step === null ? step : `${place.steps}${note.step}`;
    walk.notes.push({ ...note, step: inner, at: [...place.at, ...note.at] });
  }
  return read.plan;
}

function noteFile(walk: Walk, note: Omit<Note, 'code'>): void {
  walk.notes.push({ ...note, code: 'plan.sub_plan_file' });
}

function noteTooMany(plan: Plan, { place }: Level, walk: Walk): Plan {
  const message = `With its sub-plans the plan has more than ${walk.limits.maxSteps} steps (setting workflow.max_steps). Use "forEach", or split it`;
  walk.notes.push({ step: null, at: [...place.at, 'steps'], code: 'plan.too_many_steps', message });
  return plan;
}
