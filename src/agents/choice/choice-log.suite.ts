import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ChoiceEntry, ChoiceLog } from './choice-log.ts';

const stranger = { id: 'stranger' };
const plan = { agent: 'a', current: '1', candidate: '2', mode: 'shadow' } as const;
const change: ChoiceEntry = { kind: 'change', atMs: 1, event: 'started', plan, why: 'new' };
const decision = (id: string): ChoiceEntry => ({
  kind: 'decision',
  id,
  atMs: 2,
  task: { capability: 'tests.write', language: 'python' },
  chosen: { agent: 'a', version: '1' },
  candidates: [
    { agent: 'a', version: '1', propensity: 0.97 },
    { agent: 'b', version: '1', propensity: 0.03 },
  ],
});
const outcome: ChoiceEntry = {
  kind: 'outcome',
  atMs: 3,
  outcome: { decisionId: 'd1', success: 0.5, evidence: 'tests', costUsd: 0.01, isDelayed: true },
};

/** What every log of choices promises. `create` gives an empty one that keeps 3 decisions and outcomes. */
export function testChoiceLog(create: () => ChoiceLog): void {
  const all = async (log: ChoiceLog, caller = localCaller): Promise<ChoiceEntry[]> =>
    (await log.read(caller, { after: 0, limit: 100 })).map(({ entry }) => entry);

  it('gives back what each caller added, in order', async () => {
    const log = create();
    expect(await all(log)).toEqual([]);
    for (const entry of [change, decision('d1'), outcome]) await log.append(localCaller, entry);
    await log.append(stranger, decision('theirs'));
    expect(await all(log)).toEqual([change, decision('d1'), outcome]);
    expect(await all(log, stranger)).toEqual([decision('theirs')]);
  });

  it('goes on after a number', async () => {
    const log = create();
    for (const id of ['d1', 'd2', 'd3']) await log.append(localCaller, decision(id));
    const [first] = await log.read(localCaller, { after: 0, limit: 1 });
    const rest = await log.read(localCaller, { after: first?.number ?? 0, limit: 100 });
    expect(rest.map(({ entry }) => entry)).toEqual([decision('d2'), decision('d3')]);
  });

  it('keeps the latest decisions and outcomes, and every change', async () => {
    const log = create();
    await log.append(localCaller, change);
    for (let index = 0; index < 20; index += 1)
      await log.append(localCaller, decision(`d${index}`));
    const kept = await all(log);
    expect(kept[0]).toEqual(change);
    expect(kept.length).toBeLessThan(10);
    expect(kept.at(-1)).toEqual(decision('d19'));
  });
}
