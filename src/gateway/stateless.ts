import type { Caller } from '../contract/caller/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { metaKey, statelessVersions } from '../protocol/index.ts';
import type { StartedRequest, EraRules, Origin, Serving } from './answer-request.ts';
import { capabilitiesOf, instructions, serverInfo } from './capabilities.ts';
import { encodeCompleteResult, resultAdditions, type ResultAdditions } from './encode-result.ts';
import type { Method } from './methods.ts';
import type { ParkedCalls } from './parked-calls.ts';
import type { RequestClient } from './request-client.ts';
import { StatelessClient, wantedLogLevel, type ActiveRequest } from './stateless-client.ts';

/** `ttlMs` of lists; `subscriptions/listen` announces changes sooner. */
const listingFreshMs = 5_000;

/** `ttlMs` of cacheable results. The contents of a resource can change at any time. */
const freshMs: ReadonlyMap<string, number> = new Map([
  ['server/discover', listingFreshMs],
  ['tools/list', listingFreshMs],
  ['prompts/list', listingFreshMs],
  ['resources/list', listingFreshMs],
  ['resources/templates/list', listingFreshMs],
  ['resources/read', 0],
]);

/** How requests of the stateless era are answered. Calls that wait for client input are in `parked`. */
export function statelessRules(serving: Serving, parked: ParkedCalls): EraRules {
  const { server } = serving;
  const meta = { [metaKey.serverInfo]: JSON.stringify(serverInfo(server)) };
  const defaults = { resultType: '"complete"' };
  const plain = resultAdditions({ defaults, meta });
  const cached = new Map(
    [...freshMs].map(([method, ttlMs]): [string, ResultAdditions] => [
      method,
      resultAdditions({
        defaults: { ...defaults, ttlMs: String(ttlMs), cacheScope: '"private"' },
        meta,
      }),
    ]),
  );
  return {
    era: 'stateless',
    serving,
    methods: new Map<string, Method>([
      ['server/discover', async (_params, { caller }) => discover(server, caller)],
    ]),
    connect: (started, origin) => connect(started, origin, { serving, parked }),
    encode: (result, method) => {
      const isDeferred = 'resultType' in result && result.resultType !== 'complete';
      return encodeCompleteResult(result, isDeferred ? plain : (cached.get(method) ?? plain));
    },
  };
}

function connect(
  { request, meta, running }: StartedRequest,
  origin: Origin,
  { serving, parked }: { readonly serving: Serving; readonly parked: ParkedCalls },
): RequestClient {
  const send = (text: string): boolean => origin.send(text);
  const { peer, caller } = origin;
  const active: ActiveRequest = {
    caller,
    request,
    meta,
    send,
    peer,
    onEnd: requestLogLevel(serving, meta),
  };
  const waiting = parked.take(request, caller);
  if (!waiting) return new StatelessClient(active, running, parked);
  waiting.resume(active, running);
  return waiting;
}

/** Registers the log level that a request asks for; the returned function unregisters it. */
function requestLogLevel(
  { requestedLevels }: Serving,
  meta: StartedRequest['meta'],
): (() => void) | undefined {
  const level = wantedLogLevel(meta);
  if (level === undefined) return undefined;
  requestedLevels.set(meta, level);
  return () => requestedLevels.drop(meta);
}

function discover(server: McpServer, caller: Caller): object {
  return {
    supportedVersions: statelessVersions,
    capabilities: capabilitiesOf(server, 'stateless'),
    ...instructions(server, caller),
  };
}
