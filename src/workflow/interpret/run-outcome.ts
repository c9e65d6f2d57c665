import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { Resolved } from '../engine/activity-data.ts';
import type { CompiledPlan } from '../plan/compiled-plan.ts';
import type { Program } from './program.ts';
import type { StepPicture } from './step-picture.ts';

/** What a run came to. */
export type RunOutcome =
  | { readonly kind: 'succeeded'; readonly output: Resolved }
  /** `step` is the path of what failed first; null when only the plan's output could not be made. */
  | { readonly kind: 'failed'; readonly step: string | null; readonly error: ErrorReport };

/** What is to run. */
export interface PlannedRun {
  readonly plan: CompiledPlan;
  /** Made of the plan, by who runs it more than once. */
  readonly program?: Program;
  /** As it was given; defaults are filled in by the interpreter. */
  readonly input: Readonly<Record<string, Json>>;
}

export interface InterpretOptions {
  /** Activities under way at once; sleeps and waits for signals do not count. */
  readonly maxParallel: number;
  /** Elements of one `forEach`. */
  readonly maxItems: number;
  /** Is told of every change, also of those a resumed run goes through again. */
  readonly observe?: (path: string, change: StepPicture) => void;
}
