import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/contract/caller/index.ts';
import { createMemoryServer } from '../../src/toolbox/memory/index.ts';
import { memoryStatusSchema } from '../../src/contract/memory/index.ts';
import { aMemoryItem, aVector } from '../../testkit/memory/a-memory-item.ts';
import { isProof, seededRandom } from '../../testkit/sample.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import { aCallContext } from '../../testkit/toolbox/call-context.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { memoriesOf } from '../support/memory-items-of.ts';

const callerCount = 10;
const itemsPerCaller = isProof ? 1_000 : 60;
const searches = isProof ? 5_000 : 200;
const words =
  'staging port release friday anna billing database token deploy review parrot budget'.split(' ');

/** Callers of several tenants, some with ids that begin alike. */
const callers: readonly Caller[] = Array.from({ length: callerCount }, (_, n) => ({
  id: `tenant${n % 3}/user${n}`,
  tenant: `tenant${n % 3}`,
}));

describe('callers', () => {
  it(
    `see nothing of one another: ${callerCount} × ${itemsPerCaller} items, ${searches} searches`,
    { timeout: 600_000 },
    async () => {
      const home = aDirectory();
      const store = aStore({ home });
      const { items } = await memoriesOf(home, store);
      const server = createMemoryServer({ version: '1', memory: items });
      const random = seededRandom(9);
      const pick = (): string => words[Math.floor(random() * words.length)] ?? '';
      const owners = new Map<string, string>();
      for (const [c, caller] of callers.entries()) {
        const added = Array.from({ length: itemsPerCaller }, (_, n) => {
          const id = `c${c}n${n}`;
          owners.set(id, caller.id);
          const text = `${pick()} ${pick()} ${pick()} of ${caller.id}`;
          const status = memoryStatusSchema.options[n % 3];
          return {
            item: aMemoryItem({ id, text, ...(status && { status }) }),
            vector: aVector(n % 40),
          };
        });
        await store.memoryItems.add(caller, added);
      }
      let found = 0;
      const foreign: string[] = [];
      const note = (caller: Caller, ids: readonly string[]): void => {
        found += ids.length;
        foreign.push(...ids.filter((id) => owners.get(id) !== caller.id));
      };
      const wide = { filter: { statuses: memoryStatusSchema.options }, limit: 20 };
      for (let n = 0; n < searches; n += 1) {
        const caller = callers[Math.floor(random() * callerCount)] ?? { id: '' };
        const other = callers[Math.floor(random() * callerCount)] ?? { id: '' };
        // With the name of another caller in the question.
        const query = `${pick()} ${pick()} ${other.id}`;
        const args = { query, include_candidates: true, limit: 20 };
        const result = await server.callTool('search', args, aCallContext({ caller }));
        const { hits }: { hits?: { item: { id: string } }[] } = Object(result.structuredContent);
        note(
          caller,
          (hits ?? []).map(({ item }) => item.id),
        );
        const near = await store.memoryItems.byVector(caller, aVector(n % 40), wide);
        note(
          caller,
          near.map(({ id }) => id),
        );
        const around = await store.memoryItems.neighbours(
          caller,
          near.map(({ id }) => id),
          3,
        );
        note(
          caller,
          around.map(({ id }) => id),
        );
      }
      expect(found).toBeGreaterThan(searches * 20);
      expect(foreign).toEqual([]);
    },
  );

  it('cannot name, explain, change, correct or forget what is not theirs', async () => {
    const home = aDirectory();
    const store = aStore({ home });
    const { items } = await memoriesOf(home, store);
    const [anna = { id: 'a' }, bert = { id: 'b' }] = callers;
    const source = { kind: 'person', face: 'cli' } as const;
    const memory = { text: 'Anna likes tea', source, isVouchedFor: true };
    const { id } = await items.remember(anna, memory);
    for (const attempt of [
      () => items.explain(bert, id),
      () => items.pin(bert, id, true),
      () => items.setStatus(bert, id, 'excluded'),
      () => items.correct(bert, id, memory),
      () => items.forget(bert, [id]),
      () => items.forget(bert, [id.slice(0, 4)]),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'memory.unknown_item' });
    }
    expect(await items.list(bert, {}, { limit: 9 })).toEqual([]);
    expect(await items.list(bert, {}, { limit: 9, after: id })).toEqual([]);
    expect(await items.explain(anna, id)).toMatchObject({
      item: { text: memory.text, status: 'active', pinned: false },
    });
  });
});
