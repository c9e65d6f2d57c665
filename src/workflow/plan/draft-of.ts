import type { Plan } from '../../contract/plan/index.ts';
import { recordOf } from '../../kernel/index.ts';
import type { Note } from './plan-notes.ts';
import { readShape } from './shape-notes.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Notes about an id alone: the step itself can be checked. */
const aboutIds: ReadonlySet<string> = new Set(['plan.duplicate_step', 'plan.reserved_step']);

export interface Draft {
  readonly plan: Plan;
  /** The id that is written in the plan, by the id in the draft. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * A plan that was not well-formed as far as it can be checked further, so that one mistake does not hide the
 * others: a step with a mistake in its form becomes one that may give anything, a duplicate gets an id of its own,
 * and wrong fields of the plan itself are left out. Undefined when that does not make it a plan. Never runs.
 */
export function draftOf(data: unknown, notes: readonly Note[]): Draft | undefined {
  const { steps, ...fields } = recordOf(data);
  if (!Array.isArray(steps)) return undefined;
  const drafted = steps.map((step: unknown, index) => draftStep(step, index, notes));
  const { plan } = readShape({ ...draftFields(fields, notes), steps: drafted });
  if (!plan) return undefined;
  const names = plan.steps.map(({ id }, index): [string, string] => {
    const { id: written } = recordOf(steps[index]);
    return [id, typeof written === 'string' ? written : `steps[${index}]`];
  });
  return { plan, names: new Map(names) };
}

function draftStep(step: unknown, index: number, all: readonly Note[]): unknown {
  const notes = all.filter(({ at }) => at[0] === 'steps' && at[1] === index);
  if (notes.length === 0) return step;
  const { id } = recordOf(step);
  const isTaken = notes.some(({ at, code }) => at.length === 3 && aboutIds.has(code));
  // Ids that people choose are unique without the number.
  const draftId = isTaken || typeof id !== 'string' ? `step-${index}-of-draft` : id;
  const isOpaque = notes.some(({ at, code }) => at.length !== 3 || !aboutIds.has(code));
  return isOpaque ? { id: draftId, wait: 'anything' } : { ...recordOf(step), id: draftId };
}

function draftFields(fields: Raw, notes: readonly Note[]): Raw {
  const wrong = notes.filter(({ at }) => at[0] !== 'steps').map(({ at }) => at);
  const inputs = Object.entries(recordOf(fields['input'])).map(([name, schema]) => {
    const isWrong = wrong.some((at) => at[0] === 'input' && at[1] === name);
    return [name, isWrong ? {} : schema];
  });
  const kept = Object.entries(fields).filter(
    ([name]) => name === 'input' || !wrong.some((at) => at[0] === name),
  );
  const { input, ...others } = Object.fromEntries(kept);
  return { ...others, ...(input !== undefined && { input: Object.fromEntries(inputs) }) };
}
