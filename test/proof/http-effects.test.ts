import { expect, it } from 'vitest';
import { isProof, sampleSeeded } from '../../testkit/sample.ts';
import type { Script } from '../support/workflow/http-bank.ts';
import {
  callLimitMs,
  runHttpTrial,
  type HttpTrial,
  type HttpTrialEnd,
} from '../support/workflow/http-trial.ts';

/** Trials of a run on every change; a proof makes them all. */
const sampled = 12;
/** Most of a trial is waiting for processes to start. */
const trialsAtOnce = 2;
const limitMs = isProof ? 7_200_000 : 240_000;

const statuses = [
  300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415,
  418, 422, 423, 425, 429, 451, 500, 501, 502, 503, 504, 507, 508, 511, 520, 522, 524, 529, 599,
];
/** Longer than it takes to resume, shorter than a call may take; and longer than that. */
const slowMs = [1_200, callLimitMs + 700];
const broken = ['socket', 'body', 'events', 'events-gone', 'json', 'type', 'empty'] as const;

const scripts: readonly Script[] = [
  ...statuses.flatMap((status): Script[] => [
    { when: 'before', answer: { status } },
    { when: 'after', answer: { status } },
  ]),
  ...[429, 500, 503].flatMap((status): Script[] => [
    { when: 'after', answer: { status, body: 'error' } },
    { when: 'late', chargeMs: 600, answer: { status } },
  ]),
  ...[-32_603, -32_000, -32_001, -32_099, 1].map((rpc): Script => ({
    when: 'after',
    answer: { rpc },
  })),
  ...broken.flatMap((how): Script[] => [
    { when: 'before', answer: { broken: how } },
    { when: 'after', answer: { broken: how } },
    { when: 'late', chargeMs: 600, answer: { broken: how } },
  ]),
  ...slowMs.map((chargeMs): Script => ({ when: 'after', chargeMs, answer: { good: 'once' } })),
  { when: 'after', answer: { good: 'twice' } },
  { when: 'after', answer: { good: 'events' } },
];

/** Where the process is killed: with the call under way, with the answer in hand, and once more while it finds out. */
const deaths: readonly HttpTrial['kills'][] = [
  ['arrived'],
  [{ fault: 'effects.begin.after:1' }],
  [{ fault: 'effects.call.after:1' }],
  ['arrived', { fault: 'effects.reconcile.after:1' }],
];

/** Every script with every way to care for it; the deaths take turns, so that each meets all of them. */
const trials: readonly HttpTrial[] = scripts.flatMap((script, index) =>
  [0, 1, 2, 3].map((care) => ({
    script,
    hasRetry: care % 2 === 1,
    hasReconcile: care >= 2,
    kills: deaths[(index + care) % deaths.length] ?? [],
    resumes: (Math.floor(index / 2) + care) % 3 === 0 ? 'later' : 'at once',
  })),
);

it(
  'charges over HTTP once, whatever becomes of the answer and whenever its caller is killed',
  { timeout: limitMs },
  async () => {
    expect(trials.length).toBeGreaterThan(400);
    const wrong: string[] = [];
    let deathCount = 0;
    const left = sampleSeeded(trials, sampled, 18);
    const expected = left.length;
    await Promise.all(
      Array.from({ length: trialsAtOnce }, async () => {
        for (let trial = left.shift(); trial; trial = left.shift()) {
          try {
            const end = await runHttpTrial(trial);
            deathCount += end.died;
            const problem = problemOf(end);
            if (problem) wrong.push(`${problem}: ${JSON.stringify({ ...trial, ...end })}`);
          } catch (error) {
            wrong.push(`stuck: ${JSON.stringify(trial)} ${String(error)}`);
          }
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(deathCount).toBeGreaterThanOrEqual(expected);
  },
);

function problemOf({ status, charges }: HttpTrialEnd): string | undefined {
  if (charges > 1) return 'repeated';
  if (status === 'failed' && charges === 1) return 'called failed';
  return status === 'succeeded' && charges === 0 ? 'called done' : undefined;
}
