import type { Log } from '../log.ts';
import type { GuardedProcessOwner } from './guarded-process-owner.ts';
import type { ProcessOwner } from './owned-process.ts';

export interface ProcessOwnerOptions {
  /** Where the record of this owner lies while it runs programs. May be shared with other owners. */
  readonly runDirectory: string;
  readonly log: Log;
  readonly maxPrograms?: number;
}

/**
 * The owner of all programs of this process. Loads, starts and writes nothing before the first
 * program, because many a Tutti never starts one.
 */
export function createProcessOwner(options: ProcessOwnerOptions): ProcessOwner {
  let owner: Promise<GuardedProcessOwner> | undefined;
  let isClosed = false;
  const load = (): Promise<GuardedProcessOwner> => {
    owner ??= import('./guarded-process-owner.ts').then(
      ({ GuardedProcessOwner }) => new GuardedProcessOwner(options),
    );
    return owner;
  };
  return {
    async start(spec) {
      const loaded = await load();
      if (isClosed) await loaded.close();
      return loaded.start(spec);
    },
    measure: async (pid) => (await load()).measure(pid),
    async close() {
      isClosed = true;
      await (await owner)?.close();
    },
  };
}
