import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  aWorkbench,
  gives,
  readOnly,
  type Workbench,
} from '../../../testkit/workflow/effects/a-workbench.ts';

const idempotent = { annotations: { idempotentHint: true } };

function someTools(): Workbench {
  const run = () => gives({});
  return aWorkbench({
    's.read': { ...readOnly, run },
    's.same': { ...idempotent, run },
    's.once': { run },
  });
}

/** What an engine says of a run whose results are not recorded yet, until it is told that they are. */
function behind() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const recorded = (): Promise<void> => {
    asked.resolve();
    return promise;
  };
  return {
    request: { recorded, signal: stopping.signal },
    /** Settles when somebody has begun to wait, and whatever else was to happen at once has. */
    waitedFor: async () => {
      await asked.promise;
      await turnOfLoop();
    },
    record: resolve,
    stop: (reason: Error) => {
      stopping.abort(reason);
      resolve();
    },
  };
}

describe('while results a run goes on from are not recorded', () => {
  it('what only reads is called', async () => {
    const bench = someTools();
    const { request } = behind();
    expect(await bench.call({ tool: 's.read' }, request)).toMatchObject({ kind: 'succeeded' });
    expect(
      await bench.look({ kind: 'condition', text: '1 == 1', held: {} }, request),
    ).toMatchObject({
      kind: 'condition',
      holds: true,
    });
  });

  it.each([
    ['an effect', { tool: 's.once' }],
    ['what may be repeated and yet changes something', { tool: 's.same' }],
    ['what the plan says is an effect', { tool: 's.read', effect: 'once' }],
    ['what only the plan takes for reading', { tool: 's.once', effect: 'read' }],
  ] as const)('%s waits', async (_what, input) => {
    const bench = someTools();
    const { request, record, waitedFor } = behind();
    const calling = bench.call(input, request);
    await waitedFor();
    expect(bench.calls).toEqual([]);
    expect(await bench.store.effects.effects('run1')).toEqual([]);
    record();
    expect(await calling).toMatchObject({ kind: 'succeeded' });
    expect(bench.calls).toHaveLength(1);
  });

  it('nobody is asked to approve anything, and no approval is used up', async () => {
    const bench = someTools();
    const first = behind();
    const asking = bench.ask({ tool: 's.read' }, first.request);
    await first.waitedFor();
    expect(await bench.store.effects.approvals('run1')).toEqual([]);
    first.record();
    const asked = await asking;
    if (asked.kind !== 'asked') throw new Error('It was asked');
    const { approvalId } = asked;
    const second = behind();
    const calling = bench.call({ tool: 's.read', approvalId }, second.request);
    await second.waitedFor();
    expect(bench.calls).toEqual([]);
    second.stop(new Error('lost'));
    await expect(calling).rejects.toThrow('lost');
    expect(await bench.store.effects.approvals('run1')).toMatchObject([{ usedBy: null }]);
  });

  it('an effect of a run that is stopped meanwhile never happens', async () => {
    const bench = someTools();
    const { request, stop, waitedFor } = behind();
    const calling = bench.call({ tool: 's.once' }, request);
    await waitedFor();
    stop(new Error('somebody else has the run'));
    await expect(calling).rejects.toThrow('somebody else has the run');
    expect(bench.calls).toEqual([]);
    expect(await bench.store.effects.effects('run1')).toEqual([]);
  });
});
