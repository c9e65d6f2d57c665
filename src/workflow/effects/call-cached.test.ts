import { describe, expect, it } from 'vitest';
import {
  aWorkbench,
  gives,
  heldOf,
  readOnly,
  says,
} from '../../../testkit/workflow/effects/a-workbench.ts';

describe('a step with a cache', () => {
  const tools = {
    's.t': { ...readOnly, run: () => gives({ at: bigText }) },
    's.once': { run: () => gives({}) },
    's.fails': { ...readOnly, run: () => ({ ...says('no'), isError: true }) },
  };
  const bigText = 'z'.repeat(100_000);
  const cache = { ttlMs: 1_000 };

  it('takes an earlier result of the same call, of any run of the same caller', async () => {
    const bench = aWorkbench(tools);
    const first = await bench.call({ cache, args: { value: { a: 1, b: 2 } } });
    expect(first).not.toHaveProperty('isCached');
    const again = await bench.call(
      { cache, step: 'other', args: { value: { b: 2, a: 1 } } },
      { runId: 'run2' },
    );
    expect(again).toMatchObject({ kind: 'succeeded', isCached: true, held: heldOf(first) });
    expect(bench.calls).toHaveLength(1);
    await bench.call({ cache, args: { value: { a: 1, b: 3 } } });
    await bench.call({ cache, args: { value: { a: 1, b: 2 } } }, { callerId: 'stranger' });
    await bench.call({ args: { value: { a: 1, b: 2 } } });
    expect(bench.calls).toHaveLength(4);
  });

  it('keeps the artifact as long as the run that took it', async () => {
    const bench = aWorkbench(tools);
    const held = heldOf(await bench.call({ cache }));
    await bench.call({ cache, step: 'other' }, { runId: 'run2' });
    await bench.artifacts.release({ id: 'local' }, ['run1']);
    if (!('artifact' in held)) throw new Error('inline');
    const { lineage } = await bench.artifacts.describe({ id: 'local' }, held.artifact.id);
    expect(lineage).toMatchObject([{ runId: 'run2', step: 'other' }]);
  });

  it('calls again when the result is too old, or gone', async () => {
    const bench = aWorkbench(tools);
    await bench.call({ cache });
    bench.clock.nowMs += 999;
    await bench.call({ cache });
    expect(bench.calls).toHaveLength(1);
    bench.clock.nowMs += 1;
    await bench.call({ cache });
    expect(bench.calls).toHaveLength(2);
    bench.clock.nowMs += 1_000_000;
    expect(await bench.call({ cache: { ttlMs: null } })).toMatchObject({ isCached: true });
    await bench.artifacts.release({ id: 'local' }, ['run1']);
    await bench.call({ cache });
    expect(bench.calls).toHaveLength(3);
  });

  it('takes neither failures nor results of what is not read-only', async () => {
    const bench = aWorkbench(tools);
    for (const step of ['a', 'b']) await bench.call({ step, cache, tool: 's.once' });
    for (const step of ['a', 'b']) await bench.call({ step, cache, tool: 's.fails' });
    expect(bench.calls).toHaveLength(4);
  });

  it('makes the call when the cache does not work', async () => {
    const broken = {
      find: () => Promise.reject(new Error('broken')),
      put: () => Promise.reject(new Error('broken')),
      prune: async () => 0,
    };
    const bench = aWorkbench(tools, { cache: broken });
    expect(await bench.call({ cache })).toMatchObject({ kind: 'succeeded' });
  });
});
