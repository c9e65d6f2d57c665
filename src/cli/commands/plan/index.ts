import { UnknownNameError, UsageError } from '../../errors.ts';
import { textOption, type Invocation } from '../../invocation.ts';
import { checkPlan } from './check-plan.ts';
import { showPlan } from './show-plan.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** An action of `tutti plan`: takes the name of a file, gives the exit code. */
type Action = (invocation: Invocation, file: string) => Promise<number>;

const actions: Readonly<Record<string, Action>> = lookupTable({ check: checkPlan, show: showPlan });

export async function run(invocation: Invocation): Promise<number> {
  const [word = '', file = ''] = invocation.operands;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (!action) throw new UnknownNameError('action', word, Object.keys(actions));
  if (word === 'check' && textOption(invocation, 'format') !== undefined) {
    throw new UsageError('"plan check" draws nothing: --format belongs to "plan show"');
  }
  return action(invocation, file);
}
