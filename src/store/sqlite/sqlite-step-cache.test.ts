import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { testStepCache } from '../../workflow/effects/step-cache.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe('the cache of results in SQLite', () => {
  testStepCache(() => aStore().stepCache);

  it.each(['{', '7', '{}'])('has nothing where a row holds %s', async (text) => {
    const store = aStore();
    const key = { callerId: 'local', tool: 'code.scan', argumentsDigest: 'x' };
    await store.stepCache.put(key, { held: { value: 1 }, storedAtMs: 1 });
    const raw = new DatabaseSync(store.path);
    raw.prepare('UPDATE step_cache SET held = ?').run(text);
    raw.close();
    expect(await store.stepCache.find(key)).toBeUndefined();
  });
});
