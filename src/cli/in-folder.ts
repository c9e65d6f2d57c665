import { existsSync } from 'node:fs';
import type { System } from '../compose/index.ts';
import { type Invocation, withSystem } from './invocation.ts';

/** Something that belongs to a project, such as a run; without a folder it belongs to none. */
interface Belonging {
  readonly folder?: string | undefined;
}

/**
 * Does what a command is to do with something in the folder it belongs to, wherever the command was typed: there
 * paths, settings and servers mean what they meant when it began. Where the folder cannot be served (it is gone, the
 * roots are set, the system is another machine's) the work is done here, which refuses what it must not do.
 */
export async function inFolderOf<Found extends Belonging, Result>(
  invocation: Invocation,
  find: (system: System) => Promise<Found>,
  work: (system: System, found: Found) => Promise<Result>,
): Promise<Result> {
  const first = await withSystem(invocation, {}, async (system) => {
    const found = await find(system);
    const here = await system.folder();
    const folder = here === undefined ? undefined : elsewhere(found, here);
    const isReachable = folder !== undefined && existsSync(folder);
    if (isReachable) return { found, folder };
    return { result: await work(system, found) };
  });
  if ('result' in first) return first.result;
  const { found, folder } = first;
  invocation.output.note(`In ${folder}, where it belongs`);
  return withSystem(invocation, { cwd: folder }, (system) => work(system, found));
}

/** The folder of something, where it is another one than this one. */
export function elsewhere({ folder }: Belonging, here: string | undefined): string | undefined {
  return folder === here ? undefined : folder;
}
