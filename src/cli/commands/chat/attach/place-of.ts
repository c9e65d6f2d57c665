import type { Io } from '../../../io.ts';
import type { System } from '../../../system.ts';
import type { Place } from './read-attachment.ts';

/** Where this person's files are: the current folder, and what the setting `roots` allows. */
export function placeOf({ settings }: Pick<System, 'settings'>, { cwd }: Io): Place {
  const value = settings.describe().find(({ key }) => key === 'roots')?.value;
  return { cwd, roots: Array.isArray(value) ? value.map(String) : [cwd] };
}
