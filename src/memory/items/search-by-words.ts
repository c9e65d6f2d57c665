import type { MemoryFound, MemoryHit, MemoryQuery } from '../../contract/memory/index.ts';
import { wordsOf } from '../converse/words.ts';
import { describeOrigin } from './describe-origin.ts';
import type { MemoryItemStore } from './memory-item-store.ts';

const dayMs = 86_400_000;

/** Finds items by the words of the query alone. */
export async function searchByWords(
  { caller, text, filter = {}, limit }: MemoryQuery,
  store: MemoryItemStore,
  nowMs: number,
): Promise<MemoryFound> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = words.filter((word) => wordsOf(word).length > 0);
  const wanted = { validAt: new Date(nowMs).toISOString(), ...filter };
  const scored = await store.byWords(caller, asked, { filter: wanted, limit });
  const items = await store.get(
    caller,
    scored.map(({ id }) => id),
  );
  const hits = items.map((item, n): MemoryHit => {
    const known = new Set(wordsOf(item.text));
    const shared = asked.filter((word) => wordsOf(word).some((form) => known.has(form)));
    const quoted = shared.map((word) => `"${word}"`).join(', ');
    const { source } = item;
    return {
      item,
      score: scored[n]?.score ?? 0,
      receipt: {
        words: [...new Set(shared)],
        likeness: null,
        ageDays: Math.max(0, Math.floor((nowMs - Date.parse(item.observedAt)) / dayMs)),
        source,
        because: `${describeOrigin(item, nowMs)}; shares ${quoted}`,
      },
    };
  });
  return { hits, isAnswerable: hits.length > 0 };
}
