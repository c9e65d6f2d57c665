import type { CallContext } from '../../contract/server/index.ts';
import { metaKey, wireJson, type Params, type RequestId } from '../../protocol/index.ts';

/** A request without an id: the members of its params as JSON texts, except `_meta`. */
export interface DraftRequest {
  readonly method: string;
  readonly members: readonly Member[];
  /** The name or uri it is about, which a header mirrors in the stateless era. */
  readonly subject?: string;
  /** Headers that mirror arguments, as the tool's schema requests. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The escaped name of a member, without quotes, and the JSON text of its value. */
export type Member = readonly [name: string, text: string];

/** One line of JSON. Values with a wire text are spliced in unchanged. */
export function requestText(id: RequestId, draft: DraftRequest, metaText: string): string {
  let params = '';
  for (const [name, text] of draft.members) params = joined(params, `"${name}":${text}`);
  if (metaText !== '') params = joined(params, `"_meta":${metaText}`);
  return `{"jsonrpc":"2.0","id":${id},"method":${jsonString(draft.method)},"params":{${params}}}`;
}

/** Most names need only quotes, and checking that is cheaper than JSON.stringify. */
export function jsonString(text: string): string {
  return /^[\w/.-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The JSON text of a value: its wire text where it has one. */
export function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null ? wireJson(value) : JSON.stringify(value);
}

/** Members of `extra` except `without`, as texts. */
export function extraMembers(extra: Params | undefined, without: readonly string[] = []): Member[] {
  if (!extra) return [];
  return Object.keys(extra)
    .filter((name) => extra[name] !== undefined && !without.includes(name))
    .map((name) => [jsonString(name).slice(1, -1), valueText(extra[name])]);
}

/** Hop-by-hop keys of `_meta`. */
const hopKeys: ReadonlySet<string> = new Set([
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.subscriptionId,
]);

/** How `_meta` of the requests to one server is written. */
export interface MetaWriter {
  /** `_meta` of a request for `context` as JSON text, or '' for none; `token` to request progress. */
  write(context: CallContext | undefined, token: number | undefined): string;
}

/** `_meta` of the handshake era: the caller's, with our own progress token. */
export const handshakeMeta: MetaWriter = {
  write(context, token) {
    return wrap(joined(carriedMembers(context?.meta, isStatelessKey), tokenMember(token)));
  },
};

export interface StatelessIdentity {
  readonly protocolVersion: string;
  readonly clientInfo: Params;
  /** The log level for callers that set none. */
  readonly logLevel: () => string | undefined;
}

/** `_meta` of the stateless era: the same, plus our identity and the client's capabilities. */
export function statelessMeta(identity: StatelessIdentity): MetaWriter {
  const { protocolVersion, clientInfo, logLevel } = identity;
  const own = JSON.stringify({
    [metaKey.protocolVersion]: protocolVersion,
    [metaKey.clientInfo]: clientInfo,
  }).slice(1, -1);
  const capabilityTexts = new WeakMap<object, string>();
  const capabilitiesOf = (context: CallContext | undefined): string => {
    const client = context?.client;
    if (!client) return '{}';
    const known = capabilityTexts.get(client.capabilities);
    if (known !== undefined) return known;
    const text = JSON.stringify(
      client.era === 'stateless' ? client.capabilities : translate(client.capabilities),
    );
    capabilityTexts.set(client.capabilities, text);
    return text;
  };
  return {
    write(context, token) {
      const level = context?.meta[metaKey.logLevel] === undefined ? logLevel() : undefined;
      const carried = joined(carriedMembers(context?.meta, isNever), tokenMember(token));
      const logged = level === undefined ? '' : `"${metaKey.logLevel}":${JSON.stringify(level)}`;
      const identified = `${own},"${metaKey.clientCapabilities}":${capabilitiesOf(context)}`;
      return wrap(joined(joined(carried, logged), identified));
    },
  };
}

/**
 * The capabilities of a handshake client in the form of the stateless era. Tasks are left out: their two forms
 * have only the name in common, so such a client gets plain results.
 */
function translate(capabilities: Params): Params {
  const { tasks: _tasks, extensions: _extensions, ...same } = capabilities;
  return same;
}

function carriedMembers(meta: Params | undefined, isForeign: (key: string) => boolean): string {
  let text = '';
  for (const key in meta) {
    if (hopKeys.has(key) || isForeign(key)) continue;
    const member = meta[key];
    const value = typeof member === 'string' ? jsonString(member) : JSON.stringify(member);
    if (value !== undefined) text = joined(text, `${jsonString(key)}:${value}`);
  }
  return text;
}

function isStatelessKey(key: string): boolean {
  return key === metaKey.logLevel || key === metaKey.serverInfo;
}

function isNever(): boolean {
  return false;
}

function tokenMember(token: number | undefined): string {
  return token === undefined ? '' : `"progressToken":${token}`;
}

function wrap(members: string): string {
  return members === '' ? '' : `{${members}}`;
}

/** Concatenated strings are flattened once, when they are sent. */
function joined(first: string, second: string): string {
  if (first === '') return second;
  return second === '' ? first : `${first},${second}`;
}
