import { wireTextOf } from '../contract/wire/index.ts';
import { isRecord, rawMember, wireJson, type Params } from '../protocol/index.ts';
import { prependMembers, spliceMembers } from './splice-members.ts';

/** A result of the handshake era: its wire text where it has one. */
export function encodePlainResult(result: object): string {
  if (!('resultType' in result) || wireTextOf(result) !== undefined) return wireJson(result);
  const { resultType: _kind, ...rest } = withoutContent(result);
  return JSON.stringify(rest);
}

/** Members added to every result of the stateless era, each as JSON text. */
export interface ResultAdditions {
  /** By name; the result's own members win. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Members of `_meta`; these win. */
  readonly meta: Readonly<Record<string, string>>;
  /** All of them as one text, for results that have none of them. */
  readonly members: string;
}

export function resultAdditions({
  defaults,
  meta,
}: Pick<ResultAdditions, 'defaults' | 'meta'>): ResultAdditions {
  const members = spliceMembers('{}', {}, { ...defaults, _meta: spliceMembers('{}', {}, meta) });
  return { defaults, meta, members: members.slice(1, -1) };
}

/** A result of the stateless era: its wire text where it has one, with the additions. */
export function encodeCompleteResult(result: object, additions: ResultAdditions): string {
  // Any object can be read by member name.
  const value = result as Params;
  const text = wireTextOf(result);
  if (text === undefined) return encodeOwn(withoutContent(value), additions);
  const hasAny = value['_meta'] !== undefined || hasSome(value, additions.defaults);
  return hasAny ? encodeReceived(text, value, additions) : prependMembers(text, additions.members);
}

function hasSome(value: Params, names: Readonly<Record<string, string>>): boolean {
  for (const name in names) if (value[name] !== undefined) return true;
  return false;
}

function encodeOwn(value: Params, { defaults, meta }: ResultAdditions): string {
  const own = JSON.stringify(value);
  const ownMeta = isRecord(value['_meta']) ? value['_meta'] : {};
  const _meta = spliceMembers(JSON.stringify(ownMeta), ownMeta, meta);
  return spliceMembers(own, value, { ...missing(defaults, value), _meta });
}

function encodeReceived(text: string, value: Params, { defaults, meta }: ResultAdditions): string {
  const added: Record<string, string> = missing(defaults, value);
  // Set by the reader of the result, when the server's era has no `resultType`.
  const { resultType } = value;
  if (typeof resultType === 'string' && rawMember(text, 'resultType') === undefined) {
    added['resultType'] = JSON.stringify(resultType);
  }
  const ownMeta = isRecord(value['_meta']) ? value['_meta'] : {};
  const _meta = spliceMembers(rawMember(text, '_meta') ?? '{}', ownMeta, meta);
  return spliceMembers(text, value, { ...added, _meta });
}

function missing(
  defaults: Readonly<Record<string, string>>,
  value: Params,
): Record<string, string> {
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => value[name] === undefined));
}

/** A deferred result has no content: the empty list only exists because our result type requires one. */
function withoutContent(value: Params): Params {
  const { resultType } = value;
  if (resultType === undefined || resultType === 'complete') return value;
  const { content, ...rest } = value;
  return Array.isArray(content) && content.length > 0 ? value : rest;
}
