import type { ChoiceEntry, ChoiceLog } from '../../src/agents/index.ts';

/** For tests and simulations. */
export function createMemoryChoiceLog({ maxEntries = 1_000_000 } = {}): ChoiceLog {
  const logs = new Map<string, { number: number; entry: ChoiceEntry }[]>();
  let last = 0;
  return {
    async append({ id }, entry) {
      last += 1;
      let log = logs.get(id) ?? [];
      log.push({ number: last, entry });
      if (log.length > 2 * maxEntries) {
        const oldest = log[log.length - maxEntries]?.number ?? 0;
        log = log.filter((one) => one.entry.kind === 'change' || one.number >= oldest);
      }
      logs.set(id, log);
    },
    async read({ id }, { after, limit }) {
      const log = logs.get(id) ?? [];
      let first = log.length;
      while (first > 0 && (log[first - 1]?.number ?? 0) > after) first -= 1;
      return log.slice(first, first + limit);
    },
  };
}
