import { reservedRoots, type Plan } from '../../contract/plan/index.ts';
import { lookupTable, recordOf } from '../../kernel/index.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Plans within plans within plans: more is a mistake, or made to do harm. */
export const maxPlanDepth = 5;

const kinds = ['tool', 'agent', 'sleep', 'wait', 'plan'] as const;

/** Which kinds of step a field belongs to; `gate` is a step with `approval` alone. */
const fieldKinds: Readonly<Record<string, readonly string[]>> = lookupTable({
  args: ['tool'],
  task: ['agent'],
  inputs: ['agent'],
  context: ['agent'],
  input: ['plan'],
  retry: ['tool', 'agent'],
  timeoutMs: ['tool', 'agent'],
  approval: ['tool', 'agent', 'plan', 'gate'],
  cache: ['tool'],
  effect: ['tool'],
  reconcile: ['tool'],
  forEach: ['tool', 'agent', 'sleep', 'plan'],
});

/**
 * What the schema cannot say about steps: ids that are used twice or taken, what kind a step is, fields
 * that do not go together. Works on data of any shape, so that all mistakes are found at once.
 */
export function checkSteps(
  data: unknown,
  place: PlanPlace = wholePlan,
  depth = 1,
): readonly Note[] {
  const steps = recordOf(data)['steps'];
  if (!Array.isArray(steps)) return [];
  const firsts = new Map<unknown, number>();
  const notes: Note[] = [];
  for (const [index, value] of steps.entries()) {
    const raw = recordOf(value);
    const id = typeof raw['id'] === 'string' ? raw['id'] : `steps[${index}]`;
    const wrong = [
      ...wrongId(raw, index, firsts),
      ...(Object.keys(raw).length === 0 ? [] : wrongFields(raw)),
    ];
    const at = [...place.at, 'steps', index];
    for (const { field, ...note } of wrong) {
      notes.push({ step: `${place.steps}${id}`, at: [...at, ...field], ...note });
    }
    if (typeof raw['plan'] !== 'object' || raw['plan'] === null) continue;
    if (depth >= maxPlanDepth) notes.push(tooDeep(`${place.steps}${id}`, [...at, 'plan']));
    else notes.push(...checkSteps(raw['plan'], withinStep(place, { id, index }), depth + 1));
  }
  return notes;
}

interface Wrong {
  readonly field: readonly string[];
  readonly code: string;
  readonly message: string;
}

export function tooDeep(step: string, at: readonly (string | number)[]): Note {
  const message = `Plans may be ${maxPlanDepth} deep within each other, and this is one more`;
  return { step, at, code: 'plan.too_deep', message };
}

function wrongId({ id }: Raw, index: number, firsts: Map<unknown, number>): Wrong[] {
  if (typeof id !== 'string') return [];
  const reserved: readonly string[] = reservedRoots;
  if (reserved.includes(id)) {
    const message = `No step can be called "${id}": references use it for something else. Choose another id`;
    return [{ field: ['id'], code: 'plan.reserved_step', message }];
  }
  const first = firsts.get(id);
  if (first === undefined) {
    firsts.set(id, index);
    return [];
  }
  const message = `Two steps are called "${id}" (steps[${first}] is the other): every id is used once`;
  return [{ field: ['id'], code: 'plan.duplicate_step', message }];
}

function wrongFields(raw: Raw): Wrong[] {
  const given = kinds.filter((kind) => raw[kind] !== undefined);
  const [kind = raw['approval'] === undefined ? undefined : 'gate'] = given;
  if (kind === undefined) {
    const message =
      'It does not say what to do: a step has one of tool, agent, sleep, wait, plan, or "approval" alone';
    return [{ field: [], code: 'plan.step_kind', message }];
  }
  if (given.length > 1) {
    const message = `It has ${given.join(' and ')}, and a step is just one of them: make two steps of it`;
    return [{ field: [given[1] ?? kind], code: 'plan.step_kind', message }];
  }
  const wrong = Object.entries(fieldKinds)
    .filter(([field, fitting]) => raw[field] !== undefined && !fitting.includes(kind))
    .map(([field, fitting]) => misplaced(field, `it belongs to a step with ${fitting.join(', ')}`));
  if (raw['concurrency'] !== undefined && raw['forEach'] === undefined) {
    wrong.push(misplaced('concurrency', 'it belongs to a step with forEach'));
  }
  if (kind === 'agent') wrong.push(...wrongAgent(raw));
  if (raw['onFailure'] === 'repair' && kind !== 'tool') {
    wrong.push(misplaced('onFailure', 'only the arguments of a tool can be repaired'));
  }
  if (kind === 'gate' && raw['approval'] === false) {
    wrong.push(misplaced('approval', 'a step that only waits for approval needs it'));
  }
  return wrong;
}

function wrongAgent({ agent, task }: Raw): Wrong[] {
  const wrong: Wrong[] = [];
  const { name, capability } = recordOf(agent);
  if (task === undefined) {
    const message = '"task" is missing: it says what the agent is to do';
    wrong.push({ field: [], code: 'plan.wrong_value', message });
  }
  if (typeof agent === 'object' && (name === undefined) === (capability === undefined)) {
    const message = '"agent" wants a name, {name} or {capability}, and just one of the two';
    wrong.push({ field: ['agent'], code: 'plan.wrong_value', message });
  }
  return wrong;
}

function misplaced(field: string, reason: string): Wrong {
  return {
    field: [field],
    code: 'plan.misplaced_field',
    message: `"${field}" does not fit here: ${reason}`,
  };
}

/** A problem before it is known where in a file it lies. */
export interface Note {
  /** The step it belongs to, `outer/inner` within a sub-plan. */
  readonly step: string | null;
  readonly at: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
  /** Where the path does not lead to it, as in a text that cannot be read. */
  readonly line?: number | null;
}

/** Where in a plan we are: a plan within a plan adds to both. */
export interface PlanPlace {
  /** `outer/` */
  readonly steps: string;
  readonly at: readonly (string | number)[];
  /** The plan this one is a part of. */
  readonly around?: Plan;
}

export const wholePlan: PlanPlace = { steps: '', at: [] };

/** The place of the sub-plan of a step. */
export function withinStep(place: PlanPlace, step: { id: string; index: number }): PlanPlace {
  return { steps: `${place.steps}${step.id}/`, at: [...place.at, 'steps', step.index, 'plan'] };
}

/** More are not read at once, and a hostile text could have millions. */
export const maxProblems = 100;

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
