import { dirname, isAbsolute, resolve } from 'node:path';
import type { Plan, Step } from '../../contract/plan/index.ts';
import { liesInside } from '../../kernel/index.ts';
import type { PlanLimits, ReadSubPlan } from './parse-plan.ts';
import { wholePlan, withinStep, type Note, type PlanPlace } from './plan-notes.ts';
import { readPlanDocument } from './read-plan-document.ts';
import { maxPlanDepth, tooDeep } from './step-rules.ts';

/** A file a part of the plan came from. */
export interface SubPlanFile {
  /** Where in the plan its content stands. */
  readonly at: readonly (string | number)[];
  /** Absent for the plan's own. */
  readonly file?: string;
  readonly lineOf: (path: readonly (string | number)[]) => number | null;
}

export interface InlineContext {
  /** The plan's own; without it files cannot be named. */
  readonly file?: string;
  readonly readFile: ReadSubPlan | undefined;
  readonly limits: PlanLimits;
  /** Gets the files that are read. */
  readonly files: SubPlanFile[];
}

/** Puts the content of sub-plan files in their place. */
export async function inlineSubPlans(
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
  walk.files.push({ at: place.at, file: name, lineOf: (path) => read.lineOf(path) });
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
