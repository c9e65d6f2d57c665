import type { Json, Plan, RetryPolicy, Step } from '../../contract/plan/index.ts';
import { InvalidPlanError } from '../errors.ts';
import type { Condition } from './condition.ts';
import { readStep, type ReadStep, createRootCheck } from './read-step.ts';
import { formatPath } from './reference.ts';
import { wholePlan, withinStep, type Note, type PlanPlace } from './step-rules.ts';
import { parseTemplate, readTemplate, type Template } from './template.ts';

/** Throws `plan.invalid` with all that is wrong with its references, conditions and edges. */
export function compilePlan(plan: Plan): CompiledPlan {
  const { compiled, notes } = compileNoting(plan);
  if (compiled) return compiled;
  throw new InvalidPlanError(
    notes.map(({ step, at, code, message }) => ({
      step,
      path: formatPath(at),
      line: null,
      code,
      message,
      severity: 'error',
    })),
  );
}

/** `compiled` is absent when there is something wrong; `draft` is what could be made of it all the same. */
export function compileNoting(plan: Plan): {
  readonly compiled?: CompiledPlan;
  readonly draft: CompiledPlan;
  readonly notes: readonly Note[];
} {
  const notes: Note[] = [];
  const draft = compileAt(plan, wholePlan, notes);
  return notes.length === 0 ? { compiled: draft, draft, notes } : { draft, notes };
}

function compileAt(plan: Plan, place: PlanPlace, notes: Note[]): CompiledPlan {
  const indexes = new Map(plan.steps.map(({ id }, index) => [id, index]));
  const checkRoot = createRootCheck(plan, place.around);
  const note = (note: Note): void => void notes.push(note);
  const read = plan.steps.map((step, index) =>
    readStep(step, { index, place, indexes, checkRoot, note }),
  );
  const neededBy: number[][] = read.map(() => []);
  for (const { index, needs } of read) for (const need of needs) neededBy[need]?.push(index);
  for (const cycle of findCycles(read)) notes.push(cycleNote(cycle, plan, place));
  const steps = read.map((parts) => compileStep(parts, { plan, place, notes, neededBy }));
  return {
    plan,
    steps,
    inputDefaults: inputDefaults(plan),
    output: compileOutput(plan, { place, checkRoot, notes }),
    ends: steps.filter((step) => step.neededBy.length === 0).map((step) => step.index),
  };
}

interface Surroundings {
  readonly plan: Plan;
  readonly place: PlanPlace;
  readonly notes: Note[];
  readonly neededBy: readonly (readonly number[])[];
}

function compileStep(read: ReadStep, surroundings: Surroundings): CompiledStep {
  const { step, index } = read;
  const parts = {
    id: step.id,
    index,
    step,
    needs: read.needs,
    neededBy: surroundings.neededBy[index] ?? [],
    when: read.when,
    forEach: read.forEach,
    message: read.message,
    retry: retryPolicy(step),
  };
  const { args, reconcileArgs } = read;
  if (step.tool !== undefined) {
    return { ...parts, kind: 'call', tool: step.tool, args, reconcileArgs };
  }
  if (step.sleep !== undefined) return { ...parts, kind: 'sleep', duration: read.duration };
  if (step.wait !== undefined) {
    const wait = typeof step.wait === 'string' ? { signal: step.wait } : step.wait;
    return { ...parts, kind: 'wait', signal: wait.signal, timeoutMs: wait.timeoutMs };
  }
  if (typeof step.plan !== 'object') return { ...parts, kind: 'gate' };
  const { place, notes, plan: around } = surroundings;
  const within = { ...withinStep(place, { id: step.id, index }), around };
  const inner = compileAt(step.plan, within, notes);
  return { ...parts, kind: 'plan', plan: inner, input: read.input };
}

const pauseDefaults = { backoffMs: 1_000, factor: 2, maxBackoffMs: 60_000, jitter: 0.2 };

/** Without `retry` there is one attempt; a number is that many with the usual pauses. */
function retryPolicy({ retry = 1 }: Step): RetryPolicy {
  return typeof retry === 'number' ? { attempts: retry, ...pauseDefaults } : retry;
}

function inputDefaults({ input = {} }: Plan): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, schema]) =>
      schema['default'] === undefined ? [] : [[name, schema['default']]],
    ),
  );
}

interface OutputContext {
  readonly place: PlanPlace;
  readonly checkRoot: ReturnType<typeof createRootCheck>;
  readonly notes: Note[];
}

function compileOutput(plan: Plan, { place, checkRoot, notes }: OutputContext) {
  if (plan.output === undefined) return undefined;
  const { template, problems } = readTemplate(plan.output);
  const at = [...place.at, 'output'];
  // The output of a sub-plan belongs to the step that runs it.
  const step = place.steps === '' ? null : place.steps.slice(0, -1);
  for (const problem of problems) {
    const { message } = problem;
    notes.push({ step, at: [...at, ...problem.at], code: 'plan.bad_reference', message });
  }
  for (const { at: inner, reference } of template.places) {
    const wrong = checkRoot(reference, {});
    if (wrong) notes.push({ step, at: [...at, ...inner], ...wrong });
  }
  return problems.length === 0 ? template : parseTemplate(null);
}

/** Ids of a circle that are shown. */
const maxShown = 10;

function cycleNote(cycle: readonly number[], plan: Plan, place: PlanPlace): Note {
  const [first = 0] = cycle;
  const ids = cycle.map((index) => plan.steps[index]?.id ?? '');
  const shown = ids.length > maxShown ? [...ids.slice(0, maxShown), '…'] : ids;
  return {
    step: `${place.steps}${ids[0]}`,
    at: [...place.at, 'steps', first],
    code: 'plan.cycle',
    message:
      cycle.length === 1
        ? `Step "${ids[0]}" refers to itself, so it can never start`
        : `Steps wait for each other in a circle, so none can ever start: ${[...shown, ids[0]].join(' needs ')}`,
  };
}

/** A plan whose references, conditions and edges were worked out; made anew from the plan at every start. */
export interface CompiledPlan {
  readonly plan: Plan;
  /** In the order of the plan. */
  readonly steps: readonly CompiledStep[];
  readonly inputDefaults: Readonly<Record<string, Json>>;
  readonly output: Template | undefined;
  /** Indexes of the steps without references to them. */
  readonly ends: readonly number[];
}

interface StepParts {
  readonly id: string;
  readonly index: number;
  readonly step: Step;
  /** Indexes of the steps it refers to, each once. */
  readonly needs: readonly number[];
  /** Indexes of the steps that refer to it. */
  readonly neededBy: readonly number[];
  readonly when: Condition | undefined;
  readonly forEach: Template | undefined;
  /** The question to the person who approves. */
  readonly message: Template | undefined;
  readonly retry: RetryPolicy;
}

export type CompiledStep =
  | (StepParts & {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: Template;
      /** Arguments of the lookup that finds out whether a lost call has happened. */
      readonly reconcileArgs: Template | undefined;
    })
  | (StepParts & { readonly kind: 'sleep'; readonly duration: Template })
  | (StepParts & {
      readonly kind: 'wait';
      readonly signal: string;
      readonly timeoutMs: number | undefined;
    })
  | (StepParts & { readonly kind: 'gate' })
  | (StepParts & { readonly kind: 'plan'; readonly plan: CompiledPlan; readonly input: Template });

/** Circles in "needs", each as the indexes on it, one per tangle. Takes time linear in the edges. */
function findCycles(
  steps: readonly { readonly needs: readonly number[] }[],
): readonly (readonly number[])[] {
  const tangled = withoutOrdered(steps);
  const cycles: number[][] = [];
  const visitedBy = new Map<number, number>();
  for (const start of tangled) {
    const walk: number[] = [];
    let at: number | undefined = start;
    // Each step that is left needs another that is left, so the walk meets itself or an earlier one.
    while (at !== undefined && !visitedBy.has(at)) {
      visitedBy.set(at, start);
      walk.push(at);
      at = steps[at]?.needs.find((need) => tangled.has(need));
    }
    if (at !== undefined && visitedBy.get(at) === start) cycles.push(walk.slice(walk.indexOf(at)));
  }
  return cycles;
}

/** The steps that are on a circle or come after one. */
function withoutOrdered(
  steps: readonly { readonly needs: readonly number[] }[],
): ReadonlySet<number> {
  const missing = steps.map(({ needs }) => needs.length);
  const neededBy: number[][] = steps.map(() => []);
  for (const [index, { needs }] of steps.entries()) {
    for (const need of needs) neededBy[need]?.push(index);
  }
  const ready = missing.flatMap((count, index) => (count === 0 ? [index] : []));
  const tangled = new Set(steps.keys());
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    tangled.delete(index);
    for (const next of neededBy[index] ?? []) {
      const left = (missing[next] ?? 0) - 1;
      missing[next] = left;
      if (left === 0) ready.push(next);
    }
  }
  return tangled;
}
