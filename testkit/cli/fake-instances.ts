import type { Instance, Instances } from '../../src/contract/instance/index.ts';
import { UnknownInstanceError } from '../../src/compose/errors.ts';

export const fakeInstance: Instance = {
  id: '4f1a09c2',
  state: 'serving',
  host: 'alpha',
  version: '1.0.0',
  address: 'http://127.0.0.1:8004',
  startedAt: '2026-01-01T00:00:00.000Z',
  lastBeatAt: '2026-01-01T00:00:02.000Z',
  isDraining: false,
  servers: 1,
  calls: 2,
  runs: 0,
};

/** One instance, which can be drained. */
export const fakeInstances: Instances = {
  list: async () => [fakeInstance],
  drain: async (_by, id) => {
    if (!fakeInstance.id.startsWith(id)) throw new UnknownInstanceError(id, [fakeInstance]);
    return { ...fakeInstance, state: 'draining' };
  },
};
