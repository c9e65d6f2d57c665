import type { Plan } from '../../contract/plan/index.ts';

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

/** Nobody reads more at once, and a hostile text could have millions. */
export const maxProblems = 100;
