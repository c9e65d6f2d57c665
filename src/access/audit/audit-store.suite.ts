import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aDecision, anAuditLog } from '../../../testkit/access/an-audit-log.ts';
import type { AuditStore } from './audit-store.ts';

/** What every store of the audit log promises. `create` gives an empty one, which each call of the result opens. */
export function testAuditStore(create: () => () => AuditStore): void {
  const all = { limit: 1_000 };

  it('is one chain of the entries of all processes, each of which loses none', async () => {
    const open = create();
    const logs = [1, 2, 3].map(() => anAuditLog({ store: open() }));
    for (let round = 0; round < 30; round += 1) {
      for (const [index, log] of logs.entries()) {
        log.record(aDecision({ callerId: `p${index}`, target: `t.${round}` }));
      }
      if (round % 10 === 0) await Promise.all(logs.map((log) => log.flush()));
    }
    await Promise.all(logs.map((log) => log.flush()));
    expect(await logs[0]?.verify()).toMatchObject({ entries: 90, isIntact: true });
    const own = await logs[0]?.list(localCaller, { ...all, callerId: 'p1' });
    expect(own?.map(({ target }) => target)).toEqual(
      Array.from({ length: 30 }, (_, round) => `t.${round}`),
    );
  });

  it('gives back what was recorded, and lists what a filter wants', async () => {
    const store = create()();
    const log = anAuditLog({ store });
    const odd = aDecision({ callerId: null, tenant: 'acme', traceId: null, isAllowed: false });
    for (let n = 1; n <= 9; n += 1) log.record(n % 2 ? odd : aDecision());
    const [first] = await log.list(localCaller, { limit: 1 });
    expect(first).toMatchObject({ number: 1, ...odd });
    const numbers = async (query: Parameters<typeof store.list>[0]): Promise<number[]> =>
      (await store.list(query)).map(({ number }) => number);
    expect(await numbers({ limit: 2, after: 4 })).toEqual([5, 6]);
    expect(await numbers({ limit: 2, isLatest: true })).toEqual([8, 9]);
    expect(await numbers({ limit: 9, isAllowed: true })).toEqual([2, 4, 6, 8]);
    expect(await numbers({ limit: 9, tenant: null })).toEqual([2, 4, 6, 8]);
    expect(await numbers({ limit: 9, tenant: 'acme', callerId: 'local' })).toEqual([]);
  });

  it('removes old entries behind a seal', async () => {
    const log = anAuditLog({ store: create()(), maxEntries: 3 });
    for (let n = 1; n <= 10; n += 1) log.record(aDecision());
    const entries = await log.list(localCaller, all);
    expect(entries.map(({ number }) => number)).toEqual([8, 9, 10, 11]);
    expect(await log.verify()).toMatchObject({ entries: 4, isIntact: true });
  });
}
