import { UnknownNameError, UsageError } from './errors.ts';
import type { Invocation, RunCommand } from './invocation.ts';

/** What a command such as `tutti runs` does for one of its words, with what that takes. */
export interface Action {
  readonly run: (invocation: Invocation, operands: readonly string[]) => Promise<number>;
  /** Names of the words behind it; those with `?` may be left out, one with `…` takes all that are left. */
  readonly takes: readonly string[];
  /** Of the options that not every action of the command takes. */
  readonly options: readonly string[];
}

/** A command whose first word says what it does. */
export function actionsOf(command: string, actions: Readonly<Record<string, Action>>): RunCommand {
  return (invocation) => runAction(invocation, command, actions);
}

/** Does what the first word of a command says, `list` without one, once it is sure that the others fit. */
export async function runAction(
  invocation: Invocation,
  command: string,
  actions: Readonly<Record<string, Action>>,
): Promise<number> {
  const [word = 'list', ...operands] = invocation.operands;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UnknownNameError('action', word, Object.keys(actions));
  const missing = action.takes.slice(operands.length).find((name) => !name.endsWith('?'));
  if (missing !== undefined) {
    throw new UsageError(`"${command} ${word}" wants ${usage(action)}, and ${missing} is missing`);
  }
  const takesAll = action.takes.at(-1)?.includes('…') === true;
  const [extra] = takesAll ? [] : operands.slice(action.takes.length);
  if (extra !== undefined) {
    throw new UsageError(`"${command} ${word}" takes ${usage(action)}, and got "${extra}" too`);
  }
  const own = Object.values(actions).flatMap(({ options }) => options);
  const stray = own.find(
    (option) => invocation.options[option] !== undefined && !action.options.includes(option),
  );
  if (stray !== undefined) {
    throw new UsageError(`"${command} ${word}" does not take --${dashed(stray)}`);
  }
  return action.run(invocation, operands);
}

function usage({ takes }: Action): string {
  if (takes.length === 0) return 'nothing more';
  return takes.map((name) => (name.endsWith('?') ? `[${name.slice(0, -1)}]` : name)).join(' ');
}

function dashed(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
