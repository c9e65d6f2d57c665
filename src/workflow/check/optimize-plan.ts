import type { Plan, Step, Json } from '../../contract/plan/index.ts';
import {
  compilePlan,
  type CompiledPlan,
  type CompiledStep,
  formatReference,
} from '../plan/index.ts';
import { readReference } from '../plan/reference.ts';
import type { ToolLookup } from './plan-types.ts';

interface OptimizedPlan {
  readonly plan: Plan;
  /** What was done, as sentences; empty when the plan is as it was. */
  readonly changes: readonly string[];
}

/**
 * Leaves out what changes nothing: read-only calls whose outputs are not used, and all but one of read-only
 * calls that are the same. Effects, approvals, sleeps and waits stay as they are, and so does everything
 * a plan without `output` returns.
 */
export function optimizePlan(plan: CompiledPlan, tools: ToolLookup): OptimizedPlan {
  return optimizeAt(plan, { tools, prefix: '' });
}

/** A change that was not made, as a sentence. */
export function wouldChange(change: string): string {
  return change.replace(/^Dropped /, 'Would drop ').replace(/^Merged /, 'Would merge ');
}

interface Surroundings {
  readonly tools: ToolLookup;
  /** `outer/` */
  readonly prefix: string;
}

function optimizeAt(plan: CompiledPlan, surroundings: Surroundings): OptimizedPlan {
  const changes: string[] = [];
  const inner = optimizeInner(plan, surroundings, changes);
  const merged = mergeSame(compileAgain(plan, inner), surroundings, changes);
  const kept = dropDead(compileAgain(plan, merged), surroundings, changes);
  return { plan: changes.length === 0 ? plan.plan : kept, changes };
}

function compileAgain(before: CompiledPlan, plan: Plan): CompiledPlan {
  return plan === before.plan ? before : compilePlan(plan);
}

/** Plans are nested to a limited depth, which limits the recursion. */
function optimizeInner(plan: CompiledPlan, surroundings: Surroundings, changes: string[]): Plan {
  if (plan.steps.every((step) => step.kind !== 'plan')) return plan.plan;
  const before = changes.length;
  const steps = plan.steps.map((compiled): Step => {
    if (compiled.kind !== 'plan') return compiled.step;
    const prefix = `${surroundings.prefix}${compiled.id}/`;
    const inner = optimizeAt(compiled.plan, { ...surroundings, prefix });
    changes.push(...inner.changes);
    return inner.changes.length === 0 ? compiled.step : { ...compiled.step, plan: inner.plan };
  });
  return changes.length === before ? plan.plan : { ...plan.plan, steps };
}

/** In an order in which they could run, so that what became the same by an earlier merge is seen. */
function mergeSame(plan: CompiledPlan, { tools, prefix }: Surroundings, changes: string[]): Plan {
  const renames = new Map<string, string>();
  const firsts = new Map<string, string>();
  for (const compiled of inOrder(plan.steps)) {
    if (!isRepeatable(compiled, tools)) continue;
    // Without `output` a plan returns what is not referred to by the id of its step.
    if (plan.output === undefined && compiled.neededBy.length === 0) continue;
    const key = sameKey(renameInStep(compiled.step, renames));
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, compiled.id);
      continue;
    }
    renames.set(compiled.id, first);
    changes.push(
      `Merged step "${prefix}${compiled.id}" into "${prefix}${first}": both are the same read-only call of ${compiled.tool}.`,
    );
  }
  if (renames.size === 0) return plan.plan;
  const steps = plan.plan.steps
    .filter((step) => !renames.has(step.id))
    .map((step) => renameInStep(step, renames));
  const output = renameInOutput(plan.plan.output, renames);
  return { ...plan.plan, steps, ...(output !== undefined && { output }) };
}

function inOrder(steps: readonly CompiledStep[]): readonly CompiledStep[] {
  const missing = steps.map((step) => step.needs.length);
  const ordered = steps.filter((step) => step.needs.length === 0);
  // Grows while it is gone through.
  for (const step of ordered) {
    for (const index of step.neededBy) {
      const left = (missing[index] ?? 0) - 1;
      missing[index] = left;
      const after = steps[index];
      if (left === 0 && after) ordered.push(after);
    }
  }
  return ordered;
}

type CallStep = CompiledStep & { readonly kind: 'call' };

/** One call or two make no difference. */
function isRepeatable(compiled: CompiledStep, tools: ToolLookup): compiled is CallStep {
  if (!isReadOnlyCall(compiled, tools)) return false;
  return tools.find(compiled.tool)?.annotations?.idempotentHint === true;
}

function isReadOnlyCall(compiled: CompiledStep, tools: ToolLookup): compiled is CallStep {
  if (compiled.kind !== 'call') return false;
  const { approval, effect, reconcile, onFailure } = compiled.step;
  const asks = (approval !== undefined && approval !== false) || onFailure === 'repair';
  const isPlain = !asks && reconcile === undefined && (effect === undefined || effect === 'read');
  return isPlain && tools.find(compiled.tool)?.annotations?.readOnlyHint === true;
}

/** All that a step says but for its names, whatever the order of the fields. */
function sameKey({ id: _id, title: _title, ...rest }: Step): string {
  return JSON.stringify(rest, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function dropDead(plan: CompiledPlan, { tools, prefix }: Surroundings, changes: string[]): Plan {
  if (plan.output === undefined) return plan.plan;
  const users = plan.steps.map((step) => step.neededBy.length);
  const wanted = new Set(plan.output.references.map((reference) => reference.root));
  const isDead = (step: CompiledStep): boolean =>
    users[step.index] === 0 && !wanted.has(step.id) && isReadOnlyCall(step, tools);
  const dead = new Set<number>();
  const left = plan.steps.filter(isDead);
  for (let step = left.pop(); step; step = left.pop()) {
    // A plan has at least one step.
    if (dead.size === plan.steps.length - 1) break;
    dead.add(step.index);
    changes.push(
      `Dropped step "${prefix}${step.id}": ${step.step.tool ?? 'it'} is read-only and nothing needs its output.`,
    );
    for (const need of step.needs) {
      users[need] = (users[need] ?? 0) - 1;
      const before = plan.steps[need];
      if (before && isDead(before)) left.push(before);
    }
  }
  return dead.size === 0
    ? plan.plan
    : { ...plan.plan, steps: plan.plan.steps.filter((_, index) => !dead.has(index)) };
}

/** New ids by old ones. */
type Renames = ReadonlyMap<string, string>;

/** The step with its references pointing at the new ids. What is within a sub-plan has a world of its own. */
function renameInStep(step: Step, renames: Renames): Step {
  if (renames.size === 0) return step;
  const { args, input, when, forEach, sleep, reconcile, approval } = step;
  return {
    ...step,
    ...(args && { args: renameFields(args, renames) }),
    ...(input && { input: renameFields(input, renames) }),
    ...(typeof when === 'string' && { when: renameInText(when, renames) }),
    ...(typeof sleep === 'string' && { sleep: renameInText(sleep, renames) }),
    ...(typeof forEach === 'string' && { forEach: renameInText(forEach, renames) }),
    ...(Array.isArray(forEach) && { forEach: forEach.map((item) => renameInValue(item, renames)) }),
    ...(typeof approval === 'object' &&
      approval.message !== undefined && {
        approval: { ...approval, message: renameInText(approval.message, renames) },
      }),
    // The rest of it refers to nothing but what the lookup gave.
    ...(reconcile && { reconcile: { ...reconcile, args: renameFields(reconcile.args, renames) } }),
  };
}

function renameInOutput(output: Plan['output'], renames: Renames): Plan['output'] {
  return output === undefined ? undefined : renameInValue(output, renames);
}

/** Values of plans are nested to a limited depth, which limits the recursion. */
function renameInValue(value: Json, renames: Renames): Json {
  if (typeof value === 'string') return renameInText(value, renames);
  if (Array.isArray(value)) return value.map((item) => renameInValue(item, renames));
  return typeof value === 'object' && value !== null ? renameFields(value, renames) : value;
}

function renameFields(
  fields: Readonly<Record<string, Json>>,
  renames: Renames,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, renameInValue(value, renames)]),
  );
}

function renameInText(text: string, renames: Renames): string {
  let renamed = '';
  let done = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', Math.max(done, at + 2))) {
    if (at > done && text[at - 1] === '$') {
      renamed += text.slice(done, at + 2);
      done = at + 2;
      continue;
    }
    const read = readReference(text, at + 2);
    if ('problem' in read) continue;
    const root = renames.get(read.reference.root);
    renamed += text.slice(done, at);
    renamed +=
      root === undefined ? text.slice(at, read.end) : formatReference({ ...read.reference, root });
    done = read.end;
  }
  return renamed + text.slice(done);
}
