import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/index.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { migrations } from './migrate.ts';
import { SqliteAnswerStore } from './sqlite-answer-store.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const anna = { id: 'acme/anna' };
const bob = { id: 'acme/bob' };
const owner = { pid: 1, processStart: 'here|1' };
const request = { key: 'k', digest: 'd', owner };
const answer = { status: 201, location: '/api/v1/runs/r', text: '{"runId":"r"}' };

it('gives a key to the first request, and to later ones what the first got', async () => {
  const { answers } = aStore();
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
  const { answers } = aStore();
  await answers.begin(anna, request);
  await answers.finish(anna, 'k', answer);
  expect(await answers.begin(bob, request)).toEqual({ kind: 'new' });
});

it('survives the process, and lets one other take over a request of a dead one', async () => {
  const home = aDirectory();
  await aStore({ home }).answers.begin(anna, request);
  const { answers } = aStore({ home });
  const mine = { ...request, owner: { pid: 2, processStart: 'here|2' } };
  expect(await answers.takeOver(anna, mine, owner)).toBe(true);
  expect(await answers.takeOver(anna, mine, owner)).toBe(false);
});

it('forgets a key when told so, and every key after a day', async () => {
  let nowMs = 1_000_000_000_000;
  const { answers } = aStore({ clock: { now: () => nowMs } });
  await answers.begin(anna, request);
  await answers.forget(anna, 'k');
  expect(await answers.begin(anna, request)).toEqual({ kind: 'new' });
  nowMs += 86_400_001;
  expect(await answers.begin(anna, request)).toEqual({ kind: 'new' });
});

it('keeps the latest answers of a caller, and every request that has none yet', async () => {
  const database = new SqliteDatabase({
    path: join(aDirectory(), 'tutti.db'),
    isReadonly: false,
    migrations,
    clock: systemClock,
    busyTimeoutMs: 20,
  });
  onTestFinished(() => database.close());
  const answers = new SqliteAnswerStore(database, {
    clock: systemClock,
    patienceMs: 200,
    maxAnswers: 3,
  });
  for (const key of ['pending', 'k0', 'k1', 'k2', 'k3']) {
    await answers.begin(anna, { ...request, key });
    if (key !== 'pending') await answers.finish(anna, key, answer);
  }
  const kindOf = async (key: string) => (await answers.begin(anna, { ...request, key })).kind;
  expect(await kindOf('pending')).toBe('pending');
  expect(await kindOf('k3')).toBe('answered');
  expect(await kindOf('k0')).toBe('new');
});
