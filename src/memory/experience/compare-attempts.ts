import type { Attempt, Change } from '../../contract/experience/index.ts';
import type { Json } from '../../contract/plan/index.ts';

/** Values of changes longer than this are cut, and then not applied by themselves. */
export const maxValueLength = 2_000;
const maxChanges = 20;
const cutMark = '…';

/**
 * What a later attempt did differently. The nearest reason counts: where arguments or the tool changed, versions and
 * order are not looked at; empty where only time passed.
 */
export function compareAttempts(failed: Attempt, succeeded: Attempt): readonly Change[] {
  const changes: Change[] = [];
  if (failed.subject !== succeeded.subject) {
    const [before, after] = [failed.subject, succeeded.subject].map((name) => JSON.stringify(name));
    changes.push({ what: 'plan', path: 'tool', before: before ?? '', after: after ?? '' });
  }
  changes.push(...compareValues(failed.arguments, succeeded.arguments));
  if (changes.length > 0) return changes.slice(0, maxChanges);
  const around = compareSurroundings(failed.surroundings, succeeded.surroundings);
  const near = around.filter(({ what }) => what !== 'order');
  return (near.length > 0 ? near : around).slice(0, maxChanges);
}

/** The arguments with the changes made; undefined where they do not fit. */
export function applyChanges(
  args: Readonly<Record<string, Json>>,
  changes: readonly Change[],
): Readonly<Record<string, Json>> | undefined {
  const result: Record<string, Json> = { ...args };
  for (const { what, path, before, after } of changes) {
    if (what !== 'arguments' || after.endsWith(cutMark) || before.endsWith(cutMark))
      return undefined;
    if (shown(result[path]) !== before) return undefined;
    if (after === '') delete result[path];
    // Written by `shown` from JSON.
    else result[path] = JSON.parse(after) as Json;
  }
  return result;
}

function compareValues(failed: Json, succeeded: Json): Change[] {
  const [one, other] = [membersOf(failed), membersOf(succeeded)];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.flatMap((path) => {
    const [before, after] = [shown(one[path]), shown(other[path])];
    return before === after ? [] : [{ what: 'arguments' as const, path, before, after }];
  });
}

function membersOf(value: Json): Readonly<Record<string, Json>> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? value : { '': value };
}

function shown(value: Json | undefined): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}${cutMark}`;
}

const kinds = { order: 'order', version: 'version' } as const;

function compareSurroundings(
  failed: Attempt['surroundings'],
  succeeded: Attempt['surroundings'],
): Change[] {
  const names = [...new Set([...Object.keys(failed), ...Object.keys(succeeded)])].sort();
  return names.flatMap((path) => {
    const [before = '', after = ''] = [failed[path], succeeded[path]];
    if (before === after) return [];
    const [group = ''] = path.split(' ');
    const what = group === 'order' || group === 'version' ? kinds[group] : 'environment';
    return [{ what, path, before: JSON.stringify(before), after: JSON.stringify(after) }];
  });
}
