import { reportError } from '../../kernel/index.ts';
import type { Held, LookInput, LookOutcome } from '../engine/activity-data.ts';
import type { ActivityRequest } from '../engine/run-scope.ts';
import { NotAListError } from '../interpret/errors.ts';
import { pathOfKey } from '../interpret/keys.ts';
import { evaluateCondition, parseCondition } from '../plan/condition.ts';
import { ReferenceToNothingError } from '../plan/errors.ts';
import type { ActivityParts } from './activity-parts.ts';
import type { ValueUser } from './held-values.ts';

/** Evaluates a condition, or counts a list, over values that lie in artifacts. */
export async function look(
  { values }: ActivityParts,
  request: ActivityRequest,
): Promise<LookOutcome> {
  // Made by the interpreter for this activity.
  const input = request.input as unknown as LookInput;
  const user = { caller: { id: request.callerId }, step: pathOfKey(request.key) };
  try {
    request.signal.throwIfAborted();
    if (input.kind === 'count') {
      const list = await values.load(input.list, user);
      if (Array.isArray(list)) return { kind: 'count', count: list.length };
      throw new NotAListError(user.step, list === null ? 'null' : `a ${typeof list}`);
    }
    const condition = parseCondition(input.text);
    const loaded = new Map<string, Held>();
    for (const [root, held] of Object.entries(input.held)) {
      const value = await loadIfThere(values, held, user);
      if (value) loaded.set(root, value);
    }
    const holds = evaluateCondition(condition, (root) => loaded.get(root)) === true;
    return { kind: 'condition', holds };
  } catch (error) {
    request.signal.throwIfAborted();
    return { kind: 'failed', error: reportError(error) };
  }
}

/** In a condition, nothing is a value like others. */
async function loadIfThere(
  values: ActivityParts['values'],
  held: Held,
  user: ValueUser,
): Promise<Held | undefined> {
  try {
    return { value: await values.load(held, user) };
  } catch (error) {
    if (error instanceof ReferenceToNothingError) return undefined;
    throw error;
  }
}
