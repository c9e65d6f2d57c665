import type { Plan, Step } from '../../../contract/plan/index.ts';
import { compilePlan, type CompiledPlan, type CompiledStep } from '../../plan/index.ts';
import type { ToolLookup } from '../tool-lookup.ts';
import { renameInOutput, renameInStep } from './rename-references.ts';

export interface OptimizedPlan {
  readonly plan: Plan;
  /** What was done, as sentences; empty when the plan is as it was. */
  readonly changes: readonly string[];
}

/**
 * Leaves out what changes nothing: read-only calls whose outputs nobody needs, and all but one of read-only
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
    // Without `output` a plan returns what nobody refers to by the id of its step.
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

/** Nobody could tell whether it was called once or twice. */
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
