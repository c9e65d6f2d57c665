import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/index.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlAnswerStore } from './sql-answer-store.ts';

const anna = { id: 'acme/anna' };
const bob = { id: 'acme/bob' };
const owner = { pid: 1, processStart: 'here|1' };
const request = { key: 'k', digest: 'd', owner };
const answer = { status: 201, location: '/api/v1/runs/r', text: '{"runId":"r"}' };

const clock = systemClock;

describe.each(sqlWorlds)('answers of the API in %s', (_name, aWorld) => {
  const anAnswerStore = (): SqlAnswerStore => new SqlAnswerStore(aWorld()().sql, { clock });

  it('gives a key to the first request, and to later ones what the first got', async () => {
    const answers = anAnswerStore();
    expect(await answers.begin(anna, request)).toEqual({ kind: 'new' });
    expect(await answers.begin(anna, { ...request, digest: 'e' })).toEqual({
      kind: 'pending',
      digest: 'd',
      owner,
    });
    await answers.finish(anna, 'k', answer);
    expect(await answers.begin(anna, request)).toEqual({ kind: 'answered', digest: 'd', answer });
  });

  it('keeps the keys of callers apart', async () => {
    const answers = anAnswerStore();
    await answers.begin(anna, request);
    await answers.finish(anna, 'k', answer);
    expect(await answers.begin(bob, request)).toEqual({ kind: 'new' });
  });

  it('survives the process, and lets one other take over a request of a dead one', async () => {
    const world = aWorld();
    await new SqlAnswerStore(world().sql, { clock }).begin(anna, request);
    const answers = new SqlAnswerStore(world().sql, { clock });
    const mine = { ...request, owner: { pid: 2, processStart: 'here|2' } };
    expect(await answers.takeOver(anna, mine, owner)).toBe(true);
    expect(await answers.takeOver(anna, mine, owner)).toBe(false);
  });

  it('forgets a key when told so, and every key after a day', async () => {
    let nowMs = 1_000_000_000_000;
    const answers = new SqlAnswerStore(aWorld()().sql, { clock: { now: () => nowMs } });
    await answers.begin(anna, request);
    await answers.forget(anna, 'k');
    expect(await answers.begin(anna, request)).toEqual({ kind: 'new' });
    nowMs += 86_400_001;
    expect(await answers.begin(anna, request)).toEqual({ kind: 'new' });
  });

  it('keeps the latest answers of a caller, and every request that has none yet', async () => {
    const answers = new SqlAnswerStore(aWorld()().sql, { clock, maxAnswers: 3 });
    for (const key of ['pending', 'k0', 'k1', 'k2', 'k3']) {
      await answers.begin(anna, { ...request, key });
      if (key !== 'pending') await answers.finish(anna, key, answer);
    }
    const kindOf = async (key: string) => (await answers.begin(anna, { ...request, key })).kind;
    expect(await kindOf('pending')).toBe('pending');
    expect(await kindOf('k3')).toBe('answered');
    expect(await kindOf('k0')).toBe('new');
  });
});
