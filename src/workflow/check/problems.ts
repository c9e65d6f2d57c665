import type { PlanProblem } from '../../contract/plan/index.ts';
import { formatPath } from '../plan/index.ts';

/** Of each severity; who has this many has enough to do. */
export const maxProblems = 200;

/** Where the nearest thing lies that holds this place; the line is null when there is no file. */
export type PlaceOf = (path: string) => { readonly line: number | null; readonly file?: string };

export interface Finding {
  readonly step: string | null;
  readonly at: readonly (string | number)[];
  readonly code: `plan.${string}`;
  readonly message: string;
  readonly severity?: PlanProblem['severity'];
}

/** Collects what is wrong, each once, up to a limit. */
export class Problems {
  readonly #placeOf: PlaceOf;
  readonly #found: PlanProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #counts = { error: 0, warning: 0 };

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf;
  }

  add({ step, at, code, message, severity = 'error' }: Finding): void {
    if (this.#counts[severity] >= maxProblems) return;
    const path = formatPath(at);
    const key = `${path}\n${code}\n${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#counts[severity] += 1;
    this.#found.push({ step, path, ...this.#placeOf(path), code, message, severity });
  }

  /** Looking for more would be in vain. */
  get isFull(): boolean {
    return this.#counts.error >= maxProblems;
  }

  /** Errors first, each kind in the order it was found. */
  all(): readonly PlanProblem[] {
    return [
      ...this.#found.filter((problem) => problem.severity === 'error'),
      ...this.#found.filter((problem) => problem.severity === 'warning'),
    ];
  }
}
