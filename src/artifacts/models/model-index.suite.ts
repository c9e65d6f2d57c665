import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aModel } from '../../../testkit/ml/a-model.ts';
import type { ModelIndex } from './create-model-store.ts';

const stranger = { id: 'stranger' };

/** What every index of models promises. `create` gives an empty one. */
export function testModelIndex(create: () => ModelIndex): void {
  it('counts the versions of each name from 1 and gives them back as they were', async () => {
    const index = create();
    const first = await index.add(localCaller, aModel('qa', 'run-1'));
    const second = await index.add(localCaller, aModel('qa', 'run-2'));
    const other = await index.add(localCaller, aModel('spam', 'run-3'));
    expect([first.version, second.version, other.version]).toEqual([1, 2, 1]);
    expect(await index.find(localCaller, 'qa', { version: 1 })).toEqual(first);
    expect(await index.find(localCaller, 'qa', 'latest')).toEqual(second);
    expect(await index.find(localCaller, 'qa', { version: 3 })).toBeUndefined();
    expect(await index.list(localCaller, 2)).toEqual([other, second]);
  });

  it('gives the first version again for the same run', async () => {
    const index = create();
    const first = await index.add(localCaller, aModel('qa', 'run-1'));
    const again = await index.add(localCaller, { ...aModel('qa', 'run-1'), format: 'tabular' });
    expect(again).toEqual(first);
    expect(await index.byRun(localCaller, 'qa', 'run-1')).toEqual(first);
  });

  it('logs each move of an alias, which points where it was moved last', async () => {
    const index = create();
    await index.add(localCaller, aModel('qa', 'run-1'));
    await index.add(localCaller, aModel('qa', 'run-2'));
    const move = {
      name: 'qa',
      alias: 'champion',
      reason: 'better',
      at: '2026-01-02T03:04:05.000Z',
    };
    expect((await index.addMove(localCaller, { ...move, version: 1 })).previous).toBeNull();
    expect((await index.addMove(localCaller, { ...move, version: 2 })).previous).toBe(1);
    expect((await index.addMove(localCaller, { ...move, version: 1 })).previous).toBe(2);
    expect((await index.find(localCaller, 'qa', { alias: 'champion' }))?.version).toBe(1);
    const moves = await index.moves(localCaller, 'qa', 10);
    expect(moves.map(({ version }) => version)).toEqual([1, 2, 1]);
  });

  it('shows each caller its own only', async () => {
    const index = create();
    await index.add(localCaller, aModel('qa', 'run-1'));
    expect(await index.list(stranger, 10)).toEqual([]);
    expect(await index.find(stranger, 'qa', 'latest')).toBeUndefined();
    expect((await index.add(stranger, aModel('qa', 'run-1'))).version).toBe(1);
  });
}
