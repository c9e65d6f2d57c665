import { nearest } from '../../kernel/index.ts';
import { formatReference, type Reference } from '../plan/index.ts';
import type { Followed } from './schema/follow-type.ts';
import { show, showChoices } from './schema/mismatch.ts';

/** The sentence about a reference to a field that is not there. */
export function describeMissing(
  reference: Reference,
  { length, known, within, is }: Exclude<Followed, { is: 'found' }>,
): string {
  const key = reference.path[length - 1] ?? '';
  const holder = formatReference({
    root: reference.root,
    path: reference.path.slice(0, length - 1),
  });
  const start = `${formatReference(reference)} leads to nothing: ${holder}`;
  if (within === 'a list' && typeof key === 'string') {
    return `${start} is a list and has no field ${show(key)}. Use a number such as [0], or forEach for all of its elements`;
  }
  if (known.length === 0)
    return `${start} is ${within} and has no ${typeof key === 'number' ? `element ${key}` : `field ${show(key)}`}`;
  const close = nearest(String(key), known);
  const hint = close === undefined ? `It has: ${showChoices(known)}` : `Did you mean "${close}"?`;
  return is === 'absent'
    ? `${start} has no field ${show(key)}. ${hint}`
    : `${formatReference(reference)} may lead to nothing: the output schema of ${holder} does not name a field ${show(key)}. ${hint}`;
}
