import { localCaller } from '../../src/contract/caller/index.ts';
import type { MemoryItem } from '../../src/contract/memory/index.ts';
import type { Embedder } from '../../src/models/index.ts';
import type { Store } from '../../src/store/index.ts';
import type { Conversation, SampleTurn } from './generate.ts';

const { signal } = new AbortController();
const indexedAtOnce = 1_000;

/** Puts a conversation into a store as the agent would: a session, its turns as items, facts that supersede. */
export async function fillStore(
  store: Store,
  conversation: Conversation,
  embedder: Embedder,
): Promise<void> {
  const { id, turns, facts } = conversation;
  const at = turns[0]?.at ?? '';
  await store.sessions.add(
    localCaller,
    {
      version: 1,
      id,
      title: id,
      createdAt: at,
      updatedAt: turns.at(-1)?.at ?? at,
      forkedFrom: null,
      summary: null,
      turns: turns.map((turn) => ({
        number: turn.number,
        at: turn.at,
        role: turn.speaker === 'Assistant' ? 'assistant' : 'user',
        text: turn.text,
        remembered: [],
      })),
    },
    { maxSessions: 1_000 },
  );
  while ((await store.memoryItems.indexTurns(indexedAtOnce)) > 0);
  for (const { turn: number, supersedes } of facts) {
    const turn = turns[number - 1];
    if (!turn) continue;
    const item = factOf(id, turn);
    if (supersedes === undefined) await store.memoryItems.add(localCaller, [{ item }]);
    else await store.memoryItems.supersede(localCaller, `fact-${id}-${supersedes}`, { item });
  }
  const pending = await store.memoryItems.pendingVectors(turns.length + facts.length);
  const vectors = await embedder.embed(
    pending.map(({ text }) => text),
    signal,
  );
  await store.memoryItems.addVectors(
    pending.flatMap(({ id: of }, index) => {
      const vector = vectors[index];
      return vector ? [{ id: of, vector }] : [];
    }),
  );
}

function factOf(session: string, turn: SampleTurn): MemoryItem {
  return {
    id: `fact-${session}-${turn.number}`,
    kind: 'fact',
    text: turn.text,
    source: { kind: 'turn', session, turn: turn.number, role: 'user' },
    status: 'active',
    sensitivity: 'normal',
    pinned: false,
    observedAt: turn.at,
    validFrom: turn.at,
    validUntil: null,
    supersedes: null,
    supersededBy: null,
  };
}
