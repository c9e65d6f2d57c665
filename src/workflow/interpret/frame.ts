import type { Json } from '../../contract/plan/index.ts';
import type { Held, Resolved } from '../engine/activity-data.ts';
import type { Lookup } from '../plan/template.ts';
import type { Program } from './program.ts';
import { createTask, type Frame, type RunState, type Task } from './run-state.ts';

interface NewFrame {
  readonly program: Program;
  readonly input: Resolved;
  /** The step that runs it; none for the run's own plan. */
  readonly owner?: Task;
}

/** Begins with a plan: the steps that need nothing become ready. */
export function openFrame(run: RunState, { program, input, owner }: NewFrame): void {
  const { steps } = program.plan;
  const frame: Frame = {
    program,
    prefix: owner === undefined ? '' : `${owner.path}/`,
    owner,
    parent: owner?.frame,
    lookup: createLookup(() => frame, withDefaults(program, input), run.scope.runId),
    missing: program.needCounts.slice(),
    isSkipped: [],
    held: [],
    unsettled: steps.length,
    active: 0,
    failure: undefined,
    isClosed: false,
    current: undefined,
  };
  for (const step of program.steps) {
    if (step.compiled.needs.length === 0) run.ready.push(createTask(frame, step));
  }
}

/** Defaults stand where nothing was given; holes name places that were given, so they stay right. */
function withDefaults({ plan }: Program, input: Resolved): Held {
  const given = input.value;
  const value: Json =
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? { ...plan.inputDefaults, ...given }
      : given;
  return input.holes === undefined ? { value } : { value, holes: input.holes };
}

function createLookup(frameOf: () => Frame, input: Held, runId: string): Lookup {
  const identity: Held = { value: { id: runId } };
  return (root) => {
    const frame = frameOf();
    const index = frame.program.indexById.get(root);
    if (index !== undefined) return frame.held[index];
    switch (root) {
      case 'input':
        return input;
      case 'run':
        return identity;
      case 'item':
        return frame.current?.group?.items.at(frame.current.index);
      case 'index':
        return frame.current?.group && { value: frame.current.index };
      default:
        return undefined;
    }
  };
}
