import type { Caller } from '../../contract/caller/index.ts';
import type { MemoryComparison, MemoryItem } from '../../contract/memory/index.ts';
import { compareFacts } from './compare-facts.ts';
import type { EmbedTexts } from './fill-backlog.ts';
import type { MemoryItemStore } from './memory-item-store.ts';

/** Earlier facts that a new one is compared with. */
const maxCompared = 20;
const comparedKinds = ['fact', 'decision'] as const;
/** How long the meanings of two values are waited for. */
const patienceMs = 5_000;

/** What a fact or decision ends of what its caller told in the same project; the latest, where there are several. */
export async function findContradiction(
  { store, embed }: { readonly store: MemoryItemStore; readonly embed?: EmbedTexts | undefined },
  caller: Caller,
  { item, isCorrection }: { readonly item: MemoryItem; readonly isCorrection: boolean },
): Promise<MemoryComparison> {
  const { kind, text, source, validFrom } = item;
  if (!comparedKinds.some((one) => one === kind)) return { replaces: null, unclear: [] };
  const filter = { kinds: comparedKinds, validAt: validFrom };
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const found = await store.byWords(caller, words, { filter, limit: maxCompared });
  const items = await store.get(
    caller,
    found.map(({ id }) => id),
  );
  const known = items
    .filter((one) => one.source.folder === source.folder && one.text !== text)
    .toSorted((a, b) => Date.parse(b.observedAt) - Date.parse(a.observedAt));
  const unclear: MemoryItem[] = [];
  const likeness = embed && ((...values: [string, string]) => likenessOf(embed, values));
  for (const one of known) {
    const relation = await compareFacts(one.text, text, { isCorrection, likeness });
    if (relation === 'replaces') return { replaces: one, unclear: [] };
    if (relation === 'unclear') unclear.push(one);
  }
  return { replaces: null, unclear };
}

/** Undefined where the model of meanings takes too long, or fails. */
async function likenessOf(
  embed: EmbedTexts,
  values: readonly [string, string],
): Promise<number | undefined> {
  const [one, other] = await embed(values, AbortSignal.timeout(patienceMs)).catch(() => []);
  if (!one || !other) return undefined;
  return one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0);
}
