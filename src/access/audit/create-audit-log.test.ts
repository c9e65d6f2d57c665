import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aDecision, anAuditLog } from '../../../testkit/access/an-audit-log.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import type { AuditStore } from './audit-store.ts';
import { digestOf, noDigest } from './chain.ts';
import { maxWaiting } from './create-audit-log.ts';

const all = { limit: 1_000 };
const dayMs = 86_400_000;

describe('the audit log', () => {
  it('keeps decisions in order, each with the digest of the one before', async () => {
    const log = anAuditLog();
    for (const target of ['a.x', 'b.y', 'c.z']) log.record(aDecision({ target }));
    const entries = await log.list(localCaller, all);
    expect(entries.map(({ number, target }) => [number, target])).toEqual([
      [1, 'a.x'],
      [2, 'b.y'],
      [3, 'c.z'],
    ]);
    let previous = noDigest;
    for (const entry of entries) {
      expect(entry).toMatchObject({ previousDigest: previous, digest: digestOf(entry) });
      previous = entry.digest;
    }
    expect(await log.verify()).toMatchObject({ entries: 3, isIntact: true });
  });

  it('is intact when it is empty', async () => {
    expect(await anAuditLog().verify()).toMatchObject({ entries: 0, isIntact: true });
  });

  it('is one chain over all processes of a data directory', async () => {
    const home = aDirectory();
    const logs = [1, 2, 3].map(() => anAuditLog({ store: aStore({ home }).audit }));
    for (let round = 0; round < 20; round += 1) {
      for (const [index, log] of logs.entries()) {
        log.record(aDecision({ callerId: `p${index}`, target: `t.${round}` }));
        if ((round + index) % 3 === 0) await log.flush();
      }
    }
    for (const log of logs) await log.flush();
    const [log] = logs;
    expect(await log?.verify()).toMatchObject({ entries: 60, isIntact: true });
    const own = await log?.list(localCaller, { ...all, callerId: 'p1' });
    expect(own?.map(({ target }) => target)).toEqual(
      Array.from({ length: 20 }, (_, round) => `t.${round}`),
    );
  });

  it('has neither secrets nor control characters in any text', async () => {
    const log = anAuditLog();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const dirty = `token=${secret}\u0000\u001b[31m\u202e\ud800`;
    log.record(
      aDecision({ callerId: dirty, credential: dirty, target: dirty, rule: dirty, address: dirty }),
    );
    const [entry] = await log.list(localCaller, all);
    const text = JSON.stringify(entry);
    expect(text).not.toContain(secret);
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]|\\u001b|\\ud800/);
    expect((await log.verify()).isIntact).toBe(true);
  });

  it('lists what fits, from a number on or the latest, and for a tenant only its own', async () => {
    const log = anAuditLog();
    for (let n = 1; n <= 10; n += 1) {
      log.record(aDecision({ isAllowed: n % 2 === 0, tenant: n > 5 ? 'acme' : null }));
    }
    const numbers = async (...args: Parameters<typeof log.list>) =>
      (await log.list(...args)).map(({ number }) => number);
    expect(await numbers(localCaller, { limit: 3, after: 4 })).toEqual([5, 6, 7]);
    expect(await numbers(localCaller, { limit: 3, isLatest: true })).toEqual([8, 9, 10]);
    expect(await numbers(localCaller, { limit: 9, isAllowed: false })).toEqual([1, 3, 5, 7, 9]);
    const admin = { id: 'acme/a', tenant: 'acme', role: 'admin' } as const;
    expect(await numbers(admin, all)).toEqual([6, 7, 8, 9, 10]);
    expect(await numbers({ ...admin, tenant: 'other' }, all)).toEqual([]);
    expect(await numbers({ id: 'a', role: 'admin' }, all)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('an audit log whose disk fails', () => {
  function aFailingStore(): { store: AuditStore; repair: () => void } {
    const { audit } = aStore();
    let isBroken = true;
    const store: AuditStore = {
      append: async (chain) => {
        if (isBroken) throw new Error('the disk is full');
        await audit.append(chain);
      },
      removeOld: (removal) => audit.removeOld(removal),
      list: (query) => audit.list(query),
      marks: () => audit.marks(),
      page: (after, limit) => audit.page(after, limit),
    };
    return { store, repair: () => (isBroken = false) };
  }

  it('holds what was recorded, refuses what it cannot hold, and loses nothing when the disk is back', async () => {
    const { store, repair } = aFailingStore();
    const log = anAuditLog({ store });
    for (let n = 1; n <= maxWaiting; n += 1) log.record(aDecision({ target: `t.${n}` }));
    await expect(log.flush()).rejects.toThrow('the disk is full');
    expect(() => log.record(aDecision())).toThrow(
      expect.objectContaining({ code: 'access.audit_unavailable', retryable: true }),
    );
    repair();
    await log.flush();
    log.record(aDecision({ target: 'last' }));
    expect(await log.verify()).toMatchObject({ entries: maxWaiting + 1, isIntact: true });
    const [first] = await log.list(localCaller, { limit: 1 });
    expect(first?.target).toBe('t.1');
  });
});

describe('old entries', () => {
  it('are removed behind a seal, so that what is left can still be verified', async () => {
    const store = aStore();
    let now = Date.parse('2026-01-01');
    const clock = { now: () => now };
    const early = anAuditLog({ store: store.audit, clock });
    for (let n = 1; n <= 5; n += 1) early.record(aDecision());
    await early.flush();
    now += 40 * dayMs;
    const late = anAuditLog({ store: store.audit, clock, keepMs: 30 * dayMs });
    late.record(aDecision({ target: 'new.one' }));
    const entries = await late.list(localCaller, all);
    expect(entries.map(({ number, action }) => [number, action])).toEqual([
      [6, 'tools.call'],
      [7, 'audit.sealed'],
    ]);
    expect(await late.verify()).toMatchObject({ entries: 2, isIntact: true });
    now += 40 * dayMs;
    late.record(aDecision());
    expect(await late.list(localCaller, all)).toHaveLength(2);
    expect(await late.verify()).toMatchObject({ entries: 2, isIntact: true });
  });

  it('are those beyond the number that is kept, too', async () => {
    const store = aStore();
    const log = anAuditLog({ store: store.audit, maxEntries: 3 });
    for (let n = 1; n <= 10; n += 1) log.record(aDecision());
    const entries = await log.list(localCaller, all);
    expect(entries.map(({ number }) => number)).toEqual([8, 9, 10, 11]);
    expect(await log.verify()).toMatchObject({ entries: 4, isIntact: true });
  });

  it('that were removed without a seal are missed', async () => {
    const home = aDirectory();
    const store = aStore({ home });
    const log = anAuditLog({ store: store.audit });
    for (let n = 1; n <= 5; n += 1) log.record(aDecision());
    const third = (await log.list(localCaller, all))[2];
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(store.path);
    database.exec('DELETE FROM audit_entries WHERE number <= 3');
    database
      .prepare(`INSERT INTO audit_marks (name, number, digest) VALUES ('start', 3, ?)`)
      .run(third?.digest ?? '');
    database.close();
    expect(await log.verify()).toMatchObject({
      isIntact: false,
      problem: { number: 1, message: expect.stringContaining('without a seal') },
    });
  });
});
