import type { Experience } from '../../src/contract/experience/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { createExperience } from '../../src/memory/index.ts';
import { aStore } from '../store/a-store.ts';

/** An empty experience on a database of its own, which is made when something is recorded. */
export function anExperience(): Experience {
  return createExperience({
    store: aStore().experience,
    clock: { now: () => Date.parse('2026-03-05T12:00:00Z') },
    log: silentLog,
    redact: (text) => text,
  });
}
