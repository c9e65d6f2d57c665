import { describe, expect, it } from 'vitest';
import { faults, only, tested } from '../../../testkit/agents/agent-faults.ts';
import { evidenceFaults } from '../../../testkit/agents/evidence-faults.ts';
import { anAgency } from '../../../testkit/agents/an-agency.ts';
import { agencyTools as tools, codeOf, hang, passing } from '../../../testkit/agents/an-agent.ts';
import { ManualTimers } from '../../../testkit/fleet/manual-timers.ts';

describe('an agent that', () => {
  it.each([...faults, ...evidenceFaults])(
    '%s ends within its limits, with a clear outcome',
    async (_what, fault, outcome) => {
      const timers = new ManualTimers();
      const { files, behave = passing, loop = {}, limits = {} } = fault;
      const request =
        fault.request ??
        (files.length > 1 && files[0]?.path !== 'only.md'
          ? { capability: 'things.do' }
          : { agent: 'only' });
      const agency = anAgency({ files, tools, behave, loop, limits, timers });
      const ended = agency.delegate(request, fault.context);
      const settled = typeof outcome === 'string' ? codeOf(ended) : ended;
      settled.catch(() => {});
      await timers.pass(4 * 3_600_000);
      if (typeof outcome === 'string') expect(await settled).toBe(outcome);
      else expect(await settled).toMatchObject(outcome);
    },
  );

  it('is at work when its caller stops is stopped, with its run', async () => {
    const agency = anAgency({ files: only(tested), tools, behave: hang });
    const abort = new AbortController();
    const ended = codeOf(agency.delegate({ agent: 'only' }, { signal: abort.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('stop'));
    await ended;
    expect(agency.cancelled).toEqual(['run-1']);
    expect(agency.store.rows).toMatchObject([{ verdict: 'cancelled' }]);
  });
});
