import { describe, expect, it } from 'vitest';
import { effectFaultPoints } from '../../src/workflow/effects/create-activities.ts';
import { embeddedFaultPoints } from '../../src/workflow/embedded/embedded-engine.ts';
import {
  runTrial,
  startCounter,
  type Death,
  type Trial,
  type TrialEnd,
} from '../support/workflow/crash-trial.ts';
import { postgresSkipReason } from '../../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../../testkit/store/shared-postgres.ts';
import { isProof, sampleSeeded, seededRandom } from '../../testkit/sample.ts';

const randomKills = isProof ? 300 : 4;
/** Processes of a trial work on one core while those of another wait. */
const trialsAtOnce = 2;
const limitMs = isProof ? 7_200_000 : 240_000;

const faultPoints = [...embeddedFaultPoints, ...effectFaultPoints];
/** Not passed by these runs: they are over before a lease is renewed, and others say something only while nobody executes them. */
const unreached: readonly string[] = [
  'engine.renew.before',
  'engine.renew.after',
  'engine.request.seen',
  'engine.signal.seen',
];

/** What was under way when the invocation before died, so that the one after it has to find out. */
const lostEffects = {
  delivery: ['effects.begin.after:1', 'effects.call.after:7'],
  charge: ['effects.begin.after:1', 'effects.call.after:1'],
};

const expected = {
  status: 'succeeded',
  output: { end: [[[1, 2, 3].map((v) => ({ v, text: '' })), null, 'deliver'], 'charge'], left: 1 },
};

function expectWhole({ view, effects }: TrialEnd, what: string): void {
  expect({ what, status: view.status, output: view.output }).toEqual({ what, ...expected });
  expect({ what, effects }).toEqual({ what, effects: ['charge', 'deliver'] });
  const statuses = Object.values(view.steps).map(({ status }) => status);
  expect({ what, statuses: [...new Set(statuses)] }).toEqual({ what, statuses: ['succeeded'] });
}

describe('a run of twelve steps whose processes are killed', () => {
  testCrashes(async () => undefined);
});

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

describe.skipIf(postgresSkipReason !== null)(
  `a run of twelve steps in PostgreSQL whose processes are killed${why}`,
  () => {
    testCrashes(createSharedDatabase);
  },
);

/** Each trial has a database of its own. */
function testCrashes(createDatabase: () => Promise<string | undefined>): void {
  const trial = async (parts: Omit<Trial, 'databaseUrl'>): Promise<TrialEnd> =>
    runTrial({ ...parts, databaseUrl: await createDatabase() });

  it('comes to its one result without a death', { timeout: limitMs }, async () => {
    const end = await trial({ counterUrl: await startCounter(), run: 'whole', deaths: [] });
    expectWhole(end, 'no death');
    expect(end.answers).toEqual(['approve ok']);
    const steps = Object.keys(end.view.steps).filter((path) => !path.includes('['));
    expect(steps.length).toBe(12);
  });

  it(
    'looks up one lost effect by itself, and asks about the other',
    { timeout: limitMs },
    async () => {
      const counterUrl = await startCounter();
      const delivered = await trial({
        counterUrl,
        run: 'delivered',
        deaths: [{ fault: 'effects.begin.after:1' }],
      });
      expectWhole(delivered, 'delivery lost before it was sent');
      expect(delivered.answers).toEqual(['approve ok']);
      const charged = await trial({
        counterUrl,
        run: 'charged',
        deaths: [null, { fault: 'effects.begin.after:1' }],
      });
      expectWhole(charged, 'charge lost before it was sent');
      expect(charged.answers).toEqual(['approve ok', 'resolve charge --not-happened']);
    },
  );

  it(
    'loses no step and repeats no effect, at whichever fault point it dies',
    { timeout: limitMs },
    async () => {
      const counterUrl = await startCounter();
      const reached = new Set<string>();
      await eachAtOnce(sampleSeeded(placesToDie(), 12), async ({ point, before, isExhaustive }) => {
        for (let count = 1; ; count += 1) {
          const what = `${point}:${count} after ${JSON.stringify(before)}`;
          const deaths = [...before, { fault: `${point}:${count}` }];
          const end = await trial({ counterUrl, run: what, deaths });
          expectWhole(end, what);
          if (end.died[before.length] !== true) break;
          reached.add(point);
          if (!isExhaustive) break;
        }
      });
      const missing = faultPoints.filter((point) => !reached.has(point)).sort();
      if (isProof) expect(missing).toEqual([...unreached].sort());
      else expect(reached.size).toBeGreaterThan(2);
    },
  );

  it(
    'loses no step and repeats no effect, whenever it is killed',
    { timeout: limitMs },
    async () => {
      const counterUrl = await startCounter();
      const random = seededRandom(5);
      const undisturbed = await trial({ counterUrl, run: 'undisturbed', deaths: [] });
      const kills = Array.from({ length: randomKills }, () =>
        Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
          afterMs: Math.floor(random() * undisturbed.firstMs),
        })),
      );
      let deaths = 0;
      await eachAtOnce([...kills.entries()], async ([number, planned]) => {
        // Two trials may die at the same times; their effects must not be taken for each other's.
        const what = `${number} ${JSON.stringify(planned)}`;
        const end = await trial({ counterUrl, run: what, deaths: planned });
        expectWhole(end, what);
        deaths += end.died.filter(Boolean).length;
      });
      expect(deaths).toBeGreaterThan(0);
    },
  );
}

interface PlaceToDie {
  readonly point: string;
  /** What became of the invocations before. */
  readonly before: readonly (Death | null)[];
  /** Whether it dies there at the first passing only, or also at every later one. */
  readonly isExhaustive: boolean;
}

/** In the invocation that starts the run, in that which approves, and in those that find a lost effect. */
function placesToDie(): PlaceToDie[] {
  const simple: readonly (Death | null)[][] = [[], [null]];
  const finding = [
    ...lostEffects.delivery.map((fault) => [{ fault }]),
    ...lostEffects.charge.map((fault) => [null, { fault }]),
  ];
  return [...simple, ...finding].flatMap((before) =>
    faultPoints
      .filter((point) => !unreached.includes(point))
      .map((point) => ({
        point,
        before,
        isExhaustive: isProof && (simple.includes(before) || point.startsWith('effects.')),
      })),
  );
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const workers = Array.from({ length: trialsAtOnce }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  });
  await Promise.all(workers);
}
