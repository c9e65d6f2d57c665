import type { Json, Plan, RetryPolicy, Step } from '../../contract/plan/index.ts';
import { InvalidPlanError } from '../errors.ts';
import type { CompiledPlan, CompiledStep } from './compiled-plan.ts';
import { findCycles } from './find-cycles.ts';
import { wholePlan, withinStep, type Note, type PlanPlace } from './plan-notes.ts';
import { formatPath } from './reference.ts';
import { readStep, type ReadStep } from './read-step.ts';
import { createRootCheck } from './root-check.ts';
import { parseTemplate, readTemplate } from './template.ts';

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
