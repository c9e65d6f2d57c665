import { expect, it, onTestFinished, vi } from 'vitest';
import type { RecordedFact } from '../../contract/client-session/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { MemoryClientSessions } from '../../../testkit/gateway/memory-client-sessions.ts';
import { SessionFacts } from './session-facts.ts';

const session = { sessionId: 's', expiresAtMs: Number.MAX_SAFE_INTEGER };

function facts(store: MemoryClientSessions, instance: string, hasSessions = () => true) {
  const learned: RecordedFact[] = [];
  const warn = vi.fn();
  const log = { ...silentLog, warn };
  const made = new SessionFacts({
    store,
    instance,
    hasSessions,
    onFact: (recorded) => void learned.push(recorded),
    log,
  });
  onTestFinished(() => made.close());
  return { made, learned, warn };
}

it('learns what others record after its beginning, and nothing of its own', async () => {
  const store = new MemoryClientSessions();
  const [one, other] = [facts(store, 'one'), facts(store, 'other')];
  await one.made.record(session, { kind: 'watch', uri: 'before' });
  await other.made.begin();
  await one.made.record(session, { kind: 'watch', uri: 'x' });
  await other.made.record(session, { kind: 'watch', uri: 'own' });
  await vi.waitFor(() => expect(other.learned).toHaveLength(1), 5_000);
  expect(other.learned).toMatchObject([{ fact: { uri: 'x' } }]);
});

it('reads nothing while it has no session', async () => {
  const store = new MemoryClientSessions();
  const read = vi.spyOn(store, 'factsAfter');
  let hasSessions = false;
  const { made } = facts(store, 'one', () => hasSessions);
  await made.begin();
  hasSessions = true;
  await vi.waitFor(() => expect(read.mock.calls.length).toBeGreaterThan(1), 5_000);
  hasSessions = false;
  const { made: later, learned } = facts(store, 'two', () => false);
  await later.begin();
  await made.record(session, { kind: 'ended' });
  expect(learned).toEqual([]);
});

it('goes on after the store failed, and logs that once', async () => {
  const store = new MemoryClientSessions();
  const { made, learned, warn } = facts(store, 'one');
  await made.begin();
  const broken = vi.spyOn(store, 'factsAfter').mockRejectedValue(new Error('no disk'));
  await vi.waitFor(() => expect(broken.mock.calls.length).toBeGreaterThan(2), 5_000);
  expect(warn).toHaveBeenCalledTimes(1);
  broken.mockRestore();
  await facts(store, 'other').made.record(session, { kind: 'ended' });
  await vi.waitFor(() => expect(learned).toMatchObject([{ fact: { kind: 'ended' } }]), 5_000);
});
