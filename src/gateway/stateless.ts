import type { McpServer } from '../contract/server/index.ts';
import { isRecord, metaKey, statelessVersions } from '../protocol/index.ts';
import type { EraRules, Serving } from './answer-request.ts';
import { capabilities, instructions, serverInfo } from './capabilities.ts';
import type { Method } from './methods.ts';

/** How long a client may keep a listing without asking again; `subscriptions/listen` tells it sooner. */
const listingFreshMs = 5_000;

/** Results a client may keep, and for how long. What a resource holds can change at any time. */
const freshMs: ReadonlyMap<string, number> = new Map([
  ['server/discover', listingFreshMs],
  ['tools/list', listingFreshMs],
  ['prompts/list', listingFreshMs],
  ['resources/list', listingFreshMs],
  ['resources/templates/list', listingFreshMs],
  ['resources/read', 0],
]);

/** How requests of the stateless era are answered. */
export function statelessRules(serving: Serving): EraRules {
  const { server } = serving;
  const ownMeta = { [metaKey.serverInfo]: serverInfo(server) };
  return {
    era: 'stateless',
    serving,
    methods: new Map<string, Method>([['server/discover', async () => discover(server)]]),
    complete: (result, method) => {
      const ttlMs = freshMs.get(method);
      return {
        resultType: 'complete',
        ...result,
        ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' }),
        _meta:
          '_meta' in result && isRecord(result._meta) ? { ...result._meta, ...ownMeta } : ownMeta,
      };
    },
  };
}

function discover(server: McpServer): object {
  return { supportedVersions: statelessVersions, capabilities, ...instructions(server) };
}
