import { describe, expect, it } from 'vitest';
import type { Held } from '../engine/activity-data.ts';
import {
  aWorkbench,
  gives,
  readOnly,
  type Workbench,
} from '../../../testkit/workflow/effects/a-workbench.ts';

const big = {
  items: Array.from({ length: 9_000 }, (_, n) => ({ n, text: 'some text' })),
  ok: true,
};

async function aStored(): Promise<{
  bench: Workbench;
  at: (...path: (string | number)[]) => Held;
}> {
  const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives(big) } });
  const outcome = await bench.call({});
  const held = outcome.kind === 'succeeded' ? outcome.held : undefined;
  if (!held || !('artifact' in held)) throw new Error('not stored');
  return { bench, at: (...path) => ({ artifact: held.artifact, path }) };
}

describe('looking into values that are stored', () => {
  it.each([
    ['${a.ok} == true', true],
    ['${a.items.length} > 9000', false],
    ['${a.items[3].n} == 3 && ${small} == "x"', true],
    ['exists(${a.items[9000]})', false],
    ['${a.none} == 1', false],
    ['${a.none} != 1', true],
  ])('evaluates %s', async (text, holds) => {
    const { bench, at } = await aStored();
    const held = { a: at(), small: { value: 'x' } };
    expect(await bench.look({ kind: 'condition', text, held })).toEqual({
      kind: 'condition',
      holds,
    });
  });

  it('takes a place that the value does not have for nothing', async () => {
    const { bench, at } = await aStored();
    const held = { a: at('no', 'such') };
    expect(await bench.look({ kind: 'condition', text: 'exists(${a})', held })).toEqual({
      kind: 'condition',
      holds: false,
    });
  });

  it('counts a list', async () => {
    const { bench, at } = await aStored();
    const list = at('items');
    expect(await bench.look({ kind: 'count', list })).toEqual({ kind: 'count', count: 9_000 });
    const listed = { value: [null, 1], holes: [{ at: [0], parts: [at('ok')] }] };
    expect(await bench.look({ kind: 'count', list: listed })).toEqual({ kind: 'count', count: 2 });
  });

  it.each([
    ['ok', 'a boolean'],
    ['items[0]', 'a object'],
  ])('fails over what is no list: %s', async (name) => {
    const { bench, at } = await aStored();
    const list = name === 'ok' ? at('ok') : at('items', 0);
    expect(await bench.look({ kind: 'count', list })).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.not_a_list' },
    });
  });

  it('fails where the condition or the artifact is none', async () => {
    const { bench } = await aStored();
    expect(await bench.look({ kind: 'condition', text: '((', held: {} })).toMatchObject({
      error: { code: 'plan.bad_condition' },
    });
    const artifact = { id: `sha256:${'0'.repeat(64)}`, bytes: 9, mediaType: 'application/json' };
    const list = { artifact, path: [] };
    expect(await bench.look({ kind: 'count', list })).toMatchObject({
      error: { code: 'artifacts.not_found' },
    });
    const held = { a: list };
    expect(await bench.look({ kind: 'condition', text: '${a}', held })).toMatchObject({
      error: { code: 'artifacts.not_found' },
    });
  });
});
