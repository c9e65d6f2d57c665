import { describe, expect, it } from 'vitest';
import { testInstanceStore } from '../../contract/instance/instance-store.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe('instances in SQLite', () => {
  testInstanceStore((now) => aStore({ clock: { now } }).instances);

  it('are not looked for in a database that is not there', async () => {
    const store = aStore();
    expect(await store.instances.list()).toEqual([]);
    expect(await store.instances.requestDrain('a')).toBe(false);
    expect(store.exists()).toBe(false);
  });
});
