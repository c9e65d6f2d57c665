import { onTestFinished } from 'vitest';
import { traceLimits } from '../../src/observe/index.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { openStore, type Store, type StoreOptions } from '../../src/store/open-store.ts';

/** A store, in an empty directory unless one is named, that is closed when the running test has finished. */
export function aStore(options: Partial<StoreOptions> = {}): Store {
  const store = openStore({ home: options.home ?? aDirectory(), traceLimits, ...options });
  onTestFinished(() => store.close());
  return store;
}
