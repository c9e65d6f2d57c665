import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { FailedAttempt } from '../../contract/experience/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { createExperience, type ExperienceParts } from './create-experience.ts';

const stranger = { id: 'stranger' };
const dayMs = 86_400_000;

function setUp(changes: Partial<ExperienceParts> = {}) {
  const world = { nowMs: Date.parse('2026-03-02T10:00:00Z') };
  const store = aStore().experience;
  const experience = createExperience({
    store,
    clock: { now: () => world.nowMs },
    log: silentLog,
    redact: (text) => text.replaceAll('hunter2', '[hidden]'),
    ...changes,
  });
  return { world, store, experience };
}

const failure = (changes: Partial<FailedAttempt> = {}): FailedAttempt => ({
  kind: 'step',
  subject: 'shop.order',
  target: 'release/order',
  arguments: { region: 'eu', count: 1 },
  surroundings: { 'version tutti': '0.1.0' },
  error: { code: 'tool.failed', message: 'Quota of region "eu" is used up', details: {} },
  runId: 'run1',
  step: 'order',
  ...changes,
});

describe('a failure', () => {
  it('is explained by cause, evidence and cures of the shipped base', async () => {
    const { experience } = setUp();
    const message = 'spawn frobnicate ENOENT';
    experience.failed(localCaller, failure({ error: { code: 'x.y', message, details: {} } }));
    const explained = await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    expect(explained).toMatchObject({
      isKnown: true,
      cause: expect.stringContaining('not installed'),
      evidence: ['step order of run run1', message],
      failure: { family: 'program-not-found', step: 'order', message },
      suggestions: [
        { fixId: 'shipped:program-not-found:1', kind: 'read-only', uses: 0 },
        {},
        {},
        {},
        {},
      ],
      seen: { before: 0 },
    });
  });

  it('is unknown where nothing is like it', async () => {
    const { experience } = setUp();
    const text = 'The moon is in the wrong phase';
    expect(await experience.explain(localCaller, { kind: 'text', text })).toMatchObject({
      isKnown: false,
      cause: null,
      suggestions: [],
      failure: null,
    });
  });

  it('keeps no secret, and a long message only in part', async () => {
    const { experience } = setUp();
    const message = `password hunter2 refused ${'x'.repeat(9_000)}`;
    const error = { code: 'x.y', message, details: {} };
    experience.failed(localCaller, failure({ error, arguments: { password: 'hunter2' } }));
    const [kept] = await experience.failures(localCaller, 5);
    expect(JSON.stringify(kept)).not.toContain('hunter2');
    expect(kept?.message.length).toBeLessThan(4_100);
  });

  it('is seen by its caller only', async () => {
    const { experience } = setUp();
    experience.failed(localCaller, failure());
    experience.succeeded(localCaller, failure({ arguments: { region: 'us', count: 1 } }));
    expect(await experience.failures(stranger, 5)).toEqual([]);
    expect(await experience.fixes(stranger, 5)).toEqual([]);
    await expect(
      experience.explain(stranger, { kind: 'run', runId: 'run1' }),
    ).rejects.toMatchObject({
      code: 'memory.unknown_failure',
    });
    const [fix] = await experience.fixes(localCaller, 5);
    const outcome = { fixId: fix?.fixId ?? '', isCured: true };
    await expect(experience.recordOutcome(stranger, outcome)).rejects.toMatchObject({
      code: 'memory.unknown_fix',
    });
    experience.failed(stranger, failure());
    const theirs = await experience.explain(stranger, { kind: 'run', runId: 'run1' });
    expect(theirs.suggestions).toEqual([]);
  });
});

describe('a cure', () => {
  const elsewhere = failure({ arguments: { region: 'us', count: 1 } });
  const latest = async (
    { experience }: ReturnType<typeof setUp>,
    count = 1,
  ): Promise<readonly (boolean | undefined)[]> =>
    (await experience.failures(localCaller, count)).map(({ wasSuggested }) => wasSuggested);
  const retry = async (setup: ReturnType<typeof setUp>, runId: string, isExplained: boolean) => {
    setup.experience.failed(localCaller, failure({ runId }));
    if (isExplained) await setup.experience.explain(localCaller, { kind: 'run', runId });
    setup.experience.succeeded(localCaller, elsewhere);
  };

  it('is no suggestion where nothing changed, nor where none was shown', async () => {
    const setup = setUp();
    const { experience } = setup;
    experience.failed(localCaller, failure());
    await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    experience.succeeded(localCaller, failure());
    await retry(setup, 'run2', true);
    await retry(setup, 'run3', false);
    const cured = await experience.failures(localCaller, 9);
    expect(cured.map(({ curedAt }) => curedAt !== null)).toEqual([true, true, true]);
    expect(await latest(setup, 9)).toEqual([false, false, false]);
  });

  it('is a suggestion where the fix was shown, used by itself, or said to have helped', async () => {
    const setup = setUp();
    const { experience } = setup;
    await retry(setup, 'run1', false);
    await retry(setup, 'run2', true);
    expect(await latest(setup)).toEqual([true]);
    experience.failed(localCaller, failure({ runId: 'run3' }));
    const options = { isReadOnly: true };
    const used = await experience.correction(localCaller, failure({ runId: 'run3' }), options);
    experience.succeeded(localCaller, failure({ arguments: { ...used?.args } }));
    expect(await latest(setup)).toEqual([true]);
    experience.failed(localCaller, failure({ runId: 'run4' }));
    const [open] = await experience.failures(localCaller, 1);
    const outcome = { fixId: used?.fixId ?? '', failureId: open?.id ?? '', isCured: true };
    await experience.recordOutcome(localCaller, outcome);
    expect(await latest(setup, 4)).toEqual([true, true, true, false]);
  });
});

describe('what cured a failure', () => {
  it('happened in the same project', async () => {
    const { experience } = setUp();
    experience.failed(localCaller, failure({ folder: '/shop' }));
    experience.succeeded(localCaller, failure({ folder: '/bank' }));
    experience.succeeded(localCaller, failure());
    const open = await experience.failures(localCaller, 1);
    expect(open).toMatchObject([{ folder: '/shop', curedAt: null }]);
    experience.succeeded(localCaller, failure({ folder: '/shop' }));
    const cured = await experience.failures(localCaller, 1);
    expect(cured).toMatchObject([{ folder: '/shop', curedAt: expect.any(String) }]);
  });

  it('is the change of a later attempt that succeeded, and is suggested from then on', async () => {
    const { experience, world } = setUp();
    const cured = failure({ arguments: { region: 'us', count: 1 } });
    for (const runId of ['run1', 'run2']) {
      experience.failed(localCaller, failure({ runId }));
      experience.succeeded(localCaller, cured);
      world.nowMs += dayMs;
      await experience.flush();
    }
    experience.failed(localCaller, failure({ runId: 'run3' }));
    const explained = await experience.explain(localCaller, { kind: 'run', runId: 'run3' });
    expect(explained.suggestions).toMatchObject([
      {
        origin: 'learned',
        text: 'A later attempt succeeded with region = "us" instead of "eu"',
        changes: [{ what: 'arguments', path: 'region', before: '"eu"', after: '"us"' }],
        likeness: 1,
        uses: 2,
        cures: 2,
        lastCuredAt: '2026-03-03T10:00:00.000Z',
      },
    ]);
    expect(explained.suggestions[0]).not.toHaveProperty('command');
    expect(explained.seen).toMatchObject({ before: 2 });
    expect(
      (await experience.failures(localCaller, 9)).map(({ curedBy }) => curedBy === null),
    ).toEqual([true, false, false]);
  });

  it('is found for failures of the same tool that differ in a few words', async () => {
    const { experience } = setUp();
    const message = (reason: string): string =>
      `Quota of the region is used up for this account ${reason}`;
    const error = { code: 'tool.failed', details: {} };
    experience.failed(localCaller, failure({ error: { ...error, message: message('today') } }));
    experience.succeeded(localCaller, failure({ arguments: { region: 'us', count: 1 } }));
    experience.failed(
      localCaller,
      failure({ target: 'other', runId: 'run2', error: { ...error, message: message('now') } }),
    );
    const { suggestions } = await experience.explain(localCaller, { kind: 'run', runId: 'run2' });
    expect(suggestions).toMatchObject([{ origin: 'learned', likeness: expect.closeTo(0.85, 1) }]);
  });

  it('counts attempts with nothing changed apart, and demotes a fix that is no better', async () => {
    const { experience } = setUp();
    for (let round = 0; round < 12; round += 1) {
      experience.failed(localCaller, failure());
      experience.succeeded(localCaller, failure());
    }
    for (let round = 0; round < 4; round += 1) {
      experience.failed(localCaller, failure());
      experience.succeeded(localCaller, failure({ arguments: { region: 'us', count: 1 } }));
    }
    const { suggestions } = await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    expect(suggestions).toMatchObject([
      { without: { attempts: 12, successes: 12 }, uses: 4, cures: 4, isDemoted: true },
    ]);
  });

  it('loses its place when it stops working', async () => {
    const { experience } = setUp();
    const changed = failure({ arguments: { region: 'us', count: 1 } });
    experience.failed(localCaller, failure());
    experience.succeeded(localCaller, changed);
    for (let round = 0; round < 3; round += 1) {
      experience.failed(localCaller, failure());
      experience.failed(localCaller, { ...changed, error: failure().error });
      experience.succeeded(localCaller, failure({ arguments: { region: 'asia', count: 1 } }));
    }
    experience.failed(localCaller, failure());
    const { suggestions } = await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    expect(
      suggestions.map(({ text, isDemoted }) => [/"(\w+)" instead/.exec(text)?.[1], isDemoted]),
    ).toEqual([
      ['asia', false],
      ['us', true],
    ]);
  });

  it('is counted when a person or a model says how a suggestion went', async () => {
    const { experience } = setUp();
    const error = { code: 'x.y', message: 'bind: Address already in use', details: {} };
    experience.failed(localCaller, failure({ error }));
    const before = await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    const second = before.suggestions[1]?.fixId ?? '';
    const failureId = before.failure?.id ?? '';
    for (let round = 0; round < 3; round += 1) {
      await experience.recordOutcome(localCaller, { fixId: second, failureId, isCured: true });
    }
    const after = await experience.explain(localCaller, { kind: 'run', runId: 'run1' });
    expect(after.suggestions[0]).toMatchObject({ fixId: second, uses: 3, cures: 3 });
    expect(after.failure?.curedBy).toBe(second);
    await expect(
      experience.recordOutcome(localCaller, { fixId: 'shipped:nothing:1', isCured: true }),
    ).rejects.toMatchObject({ code: 'memory.unknown_fix' });
  });
});

describe('a correction without a person', () => {
  const curedOnce = async (experience: ReturnType<typeof setUp>['experience']) => {
    experience.failed(localCaller, failure());
    experience.succeeded(localCaller, failure({ arguments: { region: 'us', count: 1 } }));
    await experience.flush();
  };

  it('is given for a tool that only reads', async () => {
    const { experience } = setUp();
    await curedOnce(experience);
    const again = failure({ target: 'elsewhere' });
    expect(await experience.correction(localCaller, again, { isReadOnly: true })).toMatchObject({
      args: { region: 'us', count: 1 },
    });
    expect(await experience.correction(stranger, again, { isReadOnly: true })).toBeUndefined();
  });

  it('is given for a tool with effects only after a person approved the fix', async () => {
    const { experience } = setUp();
    await curedOnce(experience);
    const options = { isReadOnly: false };
    expect(await experience.correction(localCaller, failure(), options)).toBeUndefined();
    const [fix] = await experience.fixes(localCaller, 1);
    await experience.approve(localCaller, fix?.fixId ?? '', true);
    expect(await experience.correction(localCaller, failure(), options)).toMatchObject({
      fixId: fix?.fixId,
    });
    await experience.approve(localCaller, fix?.fixId ?? '', false);
    expect(await experience.correction(localCaller, failure(), options)).toBeUndefined();
  });

  it('is not given for other arguments or another error', async () => {
    const { experience } = setUp();
    await curedOnce(experience);
    const others = [
      failure({ arguments: { region: 'mars', count: 1 } }),
      failure({ error: { code: 'tool.failed', message: 'The shop is closed', details: {} } }),
    ];
    for (const other of others) {
      expect(await experience.correction(localCaller, other, { isReadOnly: true })).toBeUndefined();
    }
  });
});

describe('recording', () => {
  it('never throws, and drops what is too much', async () => {
    const lines: LoggedLine[] = [];
    const log = recordedLog(lines);
    const store = { ...aStore().experience, open: () => Promise.reject(new Error('busy')) };
    const { experience } = setUp({
      store: Object.assign(Object.create(aStore().experience), store),
      log,
      limits: { maxPending: 3 },
    });
    for (let count = 0; count < 10; count += 1) experience.failed(localCaller, failure());
    await experience.flush();
    const messages = lines.map(({ message }) => message);
    expect(messages.filter((one) => one === 'experience queue is full')).toHaveLength(7);
    expect(messages.filter((one) => one === 'failed to record experience')).toHaveLength(3);
  });

  it('keeps only the latest fixes, and the latest uses of each', async () => {
    const { experience } = setUp({ limits: { maxFixes: 3, maxUses: 4 } });
    for (let count = 0; count < 6; count += 1) {
      experience.failed(localCaller, failure());
      experience.succeeded(
        localCaller,
        failure({ arguments: { region: `us-${count}`, count: 1 } }),
      );
    }
    const learned = await experience.fixes(localCaller, 99);
    expect(learned).toHaveLength(3);
    for (let count = 0; count < 6; count += 1) {
      await experience.recordOutcome(localCaller, { fixId: 'shipped:disk-full:1', isCured: true });
    }
    const [latest] = await experience.fixes(localCaller, 1);
    expect(latest).toMatchObject({ fixId: 'shipped:disk-full:1', uses: 4, cures: 4 });
  });

  it('keeps only the latest failures', async () => {
    const { experience, world } = setUp({ limits: { maxFailures: 5 } });
    for (let count = 0; count < 9; count += 1) {
      experience.failed(localCaller, failure({ runId: `run${count}`, target: `target ${count}` }));
      await experience.flush();
      world.nowMs += 1;
    }
    const kept = await experience.failures(localCaller, 99);
    expect(kept.map(({ runId }) => runId)).toEqual(['run8', 'run7', 'run6', 'run5', 'run4']);
  });
});
