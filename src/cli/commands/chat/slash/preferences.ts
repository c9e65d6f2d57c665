import { localCaller } from '../../../../contract/caller/index.ts';
import { UnknownNameError, UsageError } from '../../../errors.ts';
import type { RunSlash } from './slash-commands.ts';

export const preferences: RunSlash = async ({ invocation, system }) => {
  const known = await system.memory.preferences(localCaller);
  invocation.output.result(known, () => (known.length === 0 ? 'None are noted' : known.join('\n')));
  return 0;
};

export const forget: RunSlash = async ({ invocation, system }, { text }) => {
  if (text === '') throw new UsageError('"/forget" wants one of what "/preferences" lists');
  const known = await system.memory.preferences(localCaller);
  if (!known.includes(text)) throw new UnknownNameError('preference', text, known);
  await system.memory.forget(localCaller, text);
  invocation.output.note('Forgotten');
  return 0;
};
