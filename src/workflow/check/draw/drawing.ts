import { counted } from '../../../kernel/index.ts';
import type { CompiledPlan, CompiledStep } from '../../plan/index.ts';

/** A step as it is drawn. */
export interface Box {
  readonly id: string;
  readonly kind: CompiledStep['kind'];
  /** What it does: the tool, or what it waits for. */
  readonly does: string;
  /** What else is to be known: `when …`, `for each …`, `approval`. */
  readonly notes: readonly string[];
  /** Indexes of the boxes it needs. */
  readonly needs: readonly number[];
  /** From 0: how many steps the longest way to it has. */
  readonly layer: number;
  readonly inner: Drawing | undefined;
}

export interface Drawing {
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly edges: number;
  readonly layers: number;
}

/** Sub-plans below this are drawn as one box. */
const maxNesting = 4;

export function describePlan(plan: CompiledPlan, nesting = 0): Drawing {
  const layers = layersOf(plan.steps);
  const boxes = plan.steps.map((step): Box => ({
    id: step.id,
    kind: step.kind,
    does: describeStep(step),
    notes: notesOf(step),
    needs: step.needs,
    layer: layers[step.index] ?? 0,
    inner:
      step.kind === 'plan' && nesting < maxNesting
        ? describePlan(step.plan, nesting + 1)
        : undefined,
  }));
  return {
    title: plan.plan.name ?? plan.plan.goal ?? 'Plan',
    boxes,
    edges: boxes.reduce((sum, box) => sum + box.needs.length, 0),
    layers: boxes.reduce((most, box) => Math.max(most, box.layer + 1), 0),
  };
}

/** Kahn's order, so that a chain of thousands needs no recursion; steps of a cycle stay at 0. */
function layersOf(steps: readonly CompiledStep[]): number[] {
  const layers = steps.map(() => 0);
  const missing = steps.map((step) => step.needs.length);
  const ready = steps.filter((step) => step.needs.length === 0).map((step) => step.index);
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    for (const after of steps[next]?.neededBy ?? []) {
      layers[after] = Math.max(layers[after] ?? 0, (layers[next] ?? 0) + 1);
      missing[after] = (missing[after] ?? 0) - 1;
      if (missing[after] === 0) ready.push(after);
    }
  }
  return layers;
}

function describeStep(step: CompiledStep): string {
  switch (step.kind) {
    case 'call':
      return step.tool;
    case 'sleep':
      return typeof step.step.sleep === 'number'
        ? `sleep ${step.step.sleep} ms`
        : `sleep ${step.step.sleep ?? ''}`;
    case 'wait':
      return `wait for ${step.signal}`;
    case 'gate':
      return 'approval';
    case 'plan':
      return `plan of ${counted(step.plan.steps.length, 'step')}`;
  }
}

function notesOf({ step, kind }: CompiledStep): string[] {
  const notes: string[] = [];
  if (step.when !== undefined) notes.push(`when ${String(step.when)}`);
  if (typeof step.forEach === 'string') notes.push(`for each ${step.forEach}`);
  else if (step.forEach) notes.push(`for each of ${step.forEach.length}`);
  if (kind !== 'gate' && step.approval !== undefined && step.approval !== false)
    notes.push('asks for approval');
  if (step.onFailure !== undefined && step.onFailure !== 'stop')
    notes.push(`on failure ${step.onFailure}`);
  if (step.cache !== undefined && step.cache !== false) notes.push('cached');
  return notes;
}

/** Others' words on one line, cut where they are long, without what a terminal would act on. */
export function label(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}
