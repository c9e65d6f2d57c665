import { localCaller } from '../contract/caller/index.ts';
import {
  explainTrace,
  findTrace,
  findTraces,
  formatExplanation,
  formatTrace,
  summarizeUsage,
  traceLimits,
  tracesOf,
  usageKinds,
} from '../observe/index.ts';
import type { Store } from '../store/index.ts';
import type { System } from './system.ts';

/** More earlier traces do not change what is usual. */
const maxCompared = 300;

/** What commands show of the traces of this data directory. */
export function readObserved(
  store: Store,
): Pick<System, 'traces' | 'usage' | 'formatTrace' | 'formatExplanation'> {
  return { traces: readTraces(store), usage: readUsage(store), formatTrace, formatExplanation };
}

/** Traces of the user at this machine. */
function readTraces({ traces }: Store): System['traces'] {
  const latest = () => traces.latest(localCaller, traceLimits.maxSearchedSpans);
  const idOf = async (id: string): Promise<string> =>
    id === 'last' ? ((await traces.recent(localCaller, 1))[0]?.traceId ?? id) : id;
  return {
    find: async (id) => findTrace(traces, localCaller, await idOf(id)),
    recent: (limit) => traces.recent(localCaller, limit),
    search: async (query) => findTraces(await latest(), query),
    explain: async (id) => {
      const spans = await findTrace(traces, localCaller, await idOf(id));
      const traceId = spans[0]?.traceId;
      const others = tracesOf(await latest()).filter((trace) => trace[0]?.traceId !== traceId);
      return explainTrace(spans, others.slice(0, maxCompared));
    },
  };
}

/** What the user at this machine used. */
function readUsage({ traces }: Store): System['usage'] {
  return {
    kinds: usageKinds,
    summarize: async (options) =>
      summarizeUsage(await traces.latest(localCaller, traceLimits.maxSearchedSpans), options),
  };
}
