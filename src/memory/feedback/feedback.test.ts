import { describe, expect, it } from 'vitest';
import type { Caller } from '../../contract/caller/index.ts';
import type { RunStatus, RunSummary } from '../../contract/run/index.ts';
import type { Session } from '../../contract/session/index.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { createFeedback, type FeedbackSources } from './create-feedback.ts';

const anna: Caller = { id: 'acme/anna' };
const bob: Caller = { id: 'acme/bob' };
/** A Wednesday. */
const now = Date.parse('2026-11-18T12:00:00.000Z');

function aRun(at: string, status: RunStatus, name: string | null = 'release'): RunSummary {
  const runId = `run-${at}`;
  const times = { createdAt: at, startedAt: at, endedAt: status === 'running' ? null : at };
  return { runId, name, goal: null, status, engine: 'embedded', ...times, forkedFrom: null };
}

const aSession = (runId?: string): Session => ({
  version: 1,
  id: 's1',
  title: '',
  createdAt: '',
  updatedAt: '',
  forkedFrom: null,
  summary: null,
  turns: [
    { number: 1, at: '', role: 'user', text: 'hi', remembered: [] },
    {
      number: 2,
      at: '',
      role: 'assistant',
      text: 'Hi',
      remembered: [],
      ...(runId !== undefined && { runId }),
    },
  ],
});

function aFeedback(runs: readonly RunSummary[] = [], more: Partial<FeedbackSources> = {}) {
  return createFeedback({
    store: aStore().feedback,
    clock: { now: () => now },
    sources: {
      run: async (_caller, id) => ({ runId: id }),
      runs: async (_caller, { limit, after }) => {
        const start = after === undefined ? 0 : runs.findIndex(({ runId }) => runId === after) + 1;
        return runs.slice(start, start + limit);
      },
      session: async () => aSession('r7'),
      ...more,
    },
  });
}

describe('feedback', () => {
  it('is about a run or the last answer; of each the latest counts, for its caller alone', async () => {
    const feedback = aFeedback([aRun('2026-11-18T10:00:00.000Z', 'succeeded')]);
    await feedback.give(anna, { about: { run: 'last' }, isGood: true, reason: 'quick' });
    await feedback.give(anna, { about: { run: 'last' }, isGood: false, reason: 'wrong' });
    await feedback.give(anna, { about: { session: 's1' }, isGood: true });
    const given = await feedback.list(anna, { limit: 9 });
    expect(given.map(({ subject, isGood, reason }) => [subject, isGood, reason])).toEqual([
      ['run:r7', true, ''],
      ['run:run-2026-11-18T10:00:00.000Z', false, 'wrong'],
    ]);
    expect(await feedback.list(bob, { limit: 9 })).toEqual([]);
  });

  it('about an answer without a run names the turn; without anything to rate it says so', async () => {
    const feedback = aFeedback([], { session: async () => aSession() });
    const { subject } = await feedback.give(anna, { about: { session: 'last' }, isGood: true });
    expect(subject).toBe('turn:s1#2');
    const nothing = { code: 'memory.nothing_to_rate' };
    const last = { about: { run: 'last' }, isGood: true };
    await expect(feedback.give(anna, last)).rejects.toMatchObject(nothing);
  });
});

describe('what was learned', () => {
  const runs = [
    aRun('2026-11-18T10:00:00.000Z', 'running'),
    aRun('2026-11-18T09:00:00.000Z', 'succeeded'),
    aRun('2026-11-17T09:00:00.000Z', 'failed'),
    aRun('2026-11-16T00:00:00.000Z', 'cancelled', 'other'),
    aRun('2026-11-15T23:59:59.000Z', 'failed'),
    aRun('2026-11-15T22:00:00.000Z', 'failed', 'other'),
    aRun('2026-11-15T21:00:00.000Z', 'failed', null),
    aRun('2026-11-15T20:00:00.000Z', 'failed', null),
  ];

  it('is counted by week, from the runs there are', async () => {
    const feedback = aFeedback(runs);
    await feedback.notice(anna, { kind: 'approval', subject: 'r1 a', isGood: true });
    await feedback.notice(anna, { kind: 'change', subject: 'c1', isGood: false });
    await feedback.give(anna, { about: { run: 'r1' }, isGood: true });
    const learned = await feedback.learned(anna, { weeks: 2 });
    expect(learned).toMatchObject({ countedRuns: 8, isComplete: true, failuresFrom: 'runs' });
    const [latest, before] = learned.weeks;
    expect(latest).toEqual({
      week: '2026-W47',
      from: '2026-11-16',
      runs: 3,
      failures: 1,
      repeatedFailures: 1,
      curedFailures: null,
      recoveries: 1,
      medianSecondsToSuccess: 9 * 3_600 + 24 * 3_600 + 24 * 3_600 + 1,
      up: 1,
      down: 0,
      acceptedChanges: 1,
      rejectedChanges: 1,
    });
    expect(before).toMatchObject({ week: '2026-W46', runs: 4, failures: 4, repeatedFailures: 0 });
  });

  it('counts no run as failed that a person stopped', async () => {
    const at = '2026-11-17T09:00:00.000Z';
    const feedback = aFeedback([aRun(at, 'failed'), aRun('2026-11-17T08:00:00.000Z', 'failed')]);
    const denial = { kind: 'approval', subject: 'a', isGood: false, runId: `run-${at}` } as const;
    await feedback.notice(anna, denial);
    const { weeks } = await feedback.learned(anna, { weeks: 1 });
    expect(weeks[0]).toMatchObject({ runs: 2, failures: 1, repeatedFailures: 0 });
  });

  it('takes failures and cures from where they are recorded', async () => {
    const at = '2026-11-18T09:00:00.000Z';
    const before = '2026-11-10T09:00:00.000Z';
    const failures = [
      { at, signature: 'port taken', wasSuggested: true },
      { at, signature: 'no such file', wasSuggested: false },
      { at: before, signature: 'port taken', wasSuggested: false },
    ];
    const feedback = aFeedback(runs, { failures: async () => failures });
    const { weeks, failuresFrom } = await feedback.learned(anna, { weeks: 1 });
    expect(failuresFrom).toBe('experience');
    expect(weeks[0]).toMatchObject({ failures: 2, repeatedFailures: 1, curedFailures: 1 });
  });

  it('says when there are more runs than are counted', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({
      ...aRun('2026-11-18T09:00:00.000Z', 'succeeded'),
      runId: `r${index}`,
    }));
    const { isComplete, countedRuns } = await aFeedback(many).learned(anna, { weeks: 1 });
    expect([isComplete, countedRuns]).toEqual([false, 5_000]);
  });
});
