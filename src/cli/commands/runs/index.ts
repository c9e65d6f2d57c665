import { UnknownNameError, UsageError } from '../../errors.ts';
import { withSystem, type Invocation } from '../../invocation.ts';
import {
  cancel,
  decide,
  fork,
  goingOn,
  pause,
  repair,
  resolve,
  resume,
  retry,
  signal,
  stopping,
} from './change-run.ts';
import { followRun } from './follow-run.ts';
import { listRuns } from './list-runs.ts';
import { showRun } from './show-run.ts';

/** An action of `tutti runs` with what it takes beside its name. */
interface Action {
  readonly run: (invocation: Invocation, operands: readonly string[]) => Promise<number>;
  /** Names of the words behind it; those with `?` may be left out. */
  readonly takes: readonly string[];
  readonly options: readonly string[];
}

const actions: Readonly<Record<string, Action>> = {
  list: { run: listRuns, takes: [], options: ['limit', 'status'] },
  show: { run: showRun, takes: ['RUN', 'STEP?'], options: [] },
  watch: { run: watchRun, takes: ['RUN'], options: [] },
  cancel: { run: stopping(cancel), takes: ['RUN'], options: ['reason'] },
  pause: { run: stopping(pause), takes: ['RUN'], options: [] },
  resume: { run: goingOn(resume), takes: ['RUN'], options: ['detach'] },
  retry: { run: goingOn(retry), takes: ['RUN'], options: ['detach', 'from'] },
  fork: {
    run: goingOn(fork),
    takes: ['RUN'],
    options: ['detach', 'from', 'input', 'inputsFile', 'args'],
  },
  approve: {
    run: goingOn(decide('approved')),
    takes: ['RUN', 'STEP?'],
    options: ['detach', 'reason'],
  },
  deny: { run: goingOn(decide('denied')), takes: ['RUN', 'STEP?'], options: ['detach', 'reason'] },
  signal: { run: goingOn(signal), takes: ['RUN', 'NAME', 'PAYLOAD?'], options: ['detach'] },
  resolve: {
    run: goingOn(resolve),
    takes: ['RUN', 'STEP'],
    options: ['detach', 'happened', 'notHappened', 'output'],
  },
  repair: { run: goingOn(repair), takes: ['RUN', 'STEP'], options: ['detach', 'args', 'giveUp'] },
};

/** Options that only some actions take. */
const ownOptions = [...new Set(Object.values(actions).flatMap((action) => action.options))];

export async function run(invocation: Invocation): Promise<number> {
  const [word = 'list', ...operands] = invocation.operands;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UnknownNameError('action', word, Object.keys(actions));
  const missing = action.takes.slice(operands.length).find((name) => !name.endsWith('?'));
  if (missing !== undefined) {
    throw new UsageError(`"runs ${word}" wants ${usage(action)}, and ${missing} is missing`);
  }
  const [extra] = operands.slice(action.takes.length);
  if (extra !== undefined) {
    throw new UsageError(`"runs ${word}" takes ${usage(action)}, and got "${extra}" too`);
  }
  const stray = ownOptions.find(
    (option) => invocation.options[option] !== undefined && !action.options.includes(option),
  );
  if (stray !== undefined) throw new UsageError(`"runs ${word}" does not take --${dashed(stray)}`);
  return action.run(invocation, operands);
}

/** Follows a run that others execute. */
function watchRun(invocation: Invocation, [runId = '']: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, ({ workflows }) =>
    followRun(invocation, { workflows, runId, execute: false, onInterrupt: 'leave' }),
  );
}

function usage({ takes }: Action): string {
  if (takes.length === 0) return 'nothing more';
  return takes.map((name) => (name.endsWith('?') ? `[${name.slice(0, -1)}]` : name)).join(' ');
}

function dashed(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
