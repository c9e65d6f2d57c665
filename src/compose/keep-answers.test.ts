import { expect, it } from 'vitest';
import { aSetup } from '../artifacts/testing/an-artifact-room.ts';
import { localCaller } from '../contract/caller/index.ts';
import { keepAnswersIn } from './keep-answers.ts';

const other = { id: 'other' };

it('keeps answers with their run or session, and those outside of both for two months', async () => {
  const { artifacts, clock } = aSetup();
  const keep = keepAnswersIn({ artifacts: async () => artifacts, clock });
  const isKept = (id: string, caller = localCaller): Promise<boolean> =>
    artifacts.get(caller, id).then(
      () => true,
      () => false,
    );
  const at = (day: string): void => void (clock.nowMs = Date.parse(day));
  at('2026-01-31');
  const ofRun = await keep(localCaller, 'of a run', ['session:s', 'run:r']);
  const january = await keep(localCaller, 'of January', []);
  const theirs = await keep(other, 'of January', []);
  at('2026-02-28');
  const february = await keep(localCaller, 'of February', []);
  expect([await isKept(january), await isKept(february)]).toEqual([true, true]);
  at('2026-03-01');
  await keep(localCaller, 'of March', []);
  expect([await isKept(january), await isKept(february)]).toEqual([false, true]);
  expect([await isKept(ofRun), await isKept(theirs, other)]).toEqual([true, true]);
  await artifacts.release(localCaller, ['r']);
  expect(await isKept(ofRun)).toBe(false);
});
