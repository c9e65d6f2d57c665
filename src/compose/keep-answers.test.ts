import { expect, it } from 'vitest';
import { aSetup } from '../artifacts/testing/an-artifact-room.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import { silentLog } from '../kernel/index.ts';
import { keepAnswersIn } from './keep-answers.ts';

const other = { id: 'other' };

it('keeps answers with their run or session, and those outside of both for two more months', async () => {
  const { artifacts, clock } = aSetup();
  const failing = { isOn: false };
  const room: Pick<Artifacts, 'put' | 'release'> = {
    put: (...put) => artifacts.put(...put),
    release: async (...release) => {
      if (failing.isOn) throw new Error('busy');
      await artifacts.release(...release);
    },
  };
  const keep = keepAnswersIn({ artifacts: async () => room, clock, log: silentLog });
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
  at('2026-03-31');
  await keep(localCaller, 'of March', []);
  expect([await isKept(january), await isKept(february)]).toEqual([true, true]);
  at('2026-04-01');
  failing.isOn = true;
  const april = await keep(localCaller, 'of April', []);
  expect([await isKept(january), await isKept(april)]).toEqual([true, true]);
  failing.isOn = false;
  await keep(localCaller, 'of April, too', []);
  expect([await isKept(january), await isKept(february)]).toEqual([false, true]);
  expect([await isKept(ofRun), await isKept(theirs, other)]).toEqual([true, true]);
  await artifacts.release(localCaller, ['r']);
  expect(await isKept(ofRun)).toBe(false);
});
