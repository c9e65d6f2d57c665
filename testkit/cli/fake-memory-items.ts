import {
  type MemoryItem,
  type MemoryItems,
  type NewMemory,
  noCopies,
} from '../../src/contract/memory/index.ts';
import { AppError } from '../../src/kernel/index.ts';
import { aMemoryItem } from '../memory/a-memory-item.ts';

class UnknownMemoryError extends AppError {
  readonly code = 'memory.unknown_item';
}

/** Items in memory, found by any of their words. */
export function createFakeMemoryItems(
  first: readonly MemoryItem[] = [aMemoryItem({ id: 'm1' })],
): MemoryItems {
  const kept = new Map(first.map((item) => [item.id, item]));
  const find = (id: string): MemoryItem => {
    const item = kept.get(id);
    if (!item) throw new UnknownMemoryError(`There is no memory item "${id}"`);
    return item;
  };
  const keep = (item: MemoryItem): MemoryItem => {
    kept.set(item.id, item);
    return item;
  };
  const make = ({ text, kind = 'fact', source, isVouchedFor }: NewMemory): MemoryItem => {
    const status = isVouchedFor ? 'active' : 'candidate';
    return aMemoryItem({ id: `m${kept.size + 1}`, text, kind, source, status });
  };
  return {
    search: async ({ text, limit }) => {
      const words = text.toLowerCase().split(/\W+/);
      const found = [...kept.values()].filter((item) =>
        words.some((word) => word !== '' && item.text.toLowerCase().includes(word)),
      );
      const hits = found.slice(0, limit).map((item) => {
        const because = 'It was given at the terminal, just now';
        const receipt = { words, likeness: null, ageDays: 0, source: item.source, because };
        return { item, score: 1, receipt };
      });
      return { hits, isAnswerable: hits.length > 0 };
    },
    remember: async (_caller, memory) => keep(make(memory)),
    correct: async (_caller, id, memory) => keep({ ...make(memory), supersedes: find(id).id }),
    compare: async () => ({ replaces: null, unclear: [] }),
    forget: async (_caller, ids) => {
      const forgotten = ids.map((id) => find(id).id);
      for (const id of forgotten) kept.delete(id);
      return { forgotten, turns: 0, copies: noCopies };
    },
    pin: async (_caller, id, pinned) => keep({ ...find(id), pinned }),
    setStatus: async (_caller, id, status) => keep({ ...find(id), status }),
    explain: async (_caller, id) => {
      const because = 'It was given at the terminal, just now';
      return { item: find(id), because, evidence: null, earlier: [], newer: null };
    },
    list: async (_caller, _filter, { limit }) => [...kept.values()].slice(0, limit),
    state: async () => {
      const items = kept.size;
      const pending = { pendingVectors: 0, pendingTurns: 0 };
      return { items, indexed: items, vectors: items, ...pending, problems: [] };
    },
    erase: async () => {},
    close: async () => {},
  };
}
