import { wireTextOf } from '../contract/wire/index.ts';
import { isRecord, rawMember, wireJson, type Params } from '../protocol/index.ts';
import { prependMembers, spliceMembers } from './splice-members.ts';

/** A result of the handshake era: as it came, where it came over a wire. */
export function encodePlainResult(result: object): string {
  if (!('resultType' in result) || wireTextOf(result) !== undefined) return wireJson(result);
  const { resultType: _kind, ...rest } = withoutContent(result);
  return JSON.stringify(rest);
}

/** What every result of the stateless era says besides its own members, each as JSON text. */
export interface ResultAdditions {
  /** By name; a result's own members of these names win. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Members of `_meta`; ours win. */
  readonly meta: Readonly<Record<string, string>>;
  /** All of it as the members of a result that has none of them. */
  readonly members: string;
}

export function resultAdditions({
  defaults,
  meta,
}: Pick<ResultAdditions, 'defaults' | 'meta'>): ResultAdditions {
  const members = spliceMembers('{}', {}, { ...defaults, _meta: spliceMembers('{}', {}, meta) });
  return { defaults, meta, members: members.slice(1, -1) };
}

/** A result of the stateless era: its own texts where it came over a wire, with what was added. */
export function encodeCompleteResult(result: object, additions: ResultAdditions): string {
  // Any object can be looked at member by member.
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
  // Set by whoever read it, when the server speaks of it in other words.
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

/** A call that is not over has no content: it is empty only because results of ours always have one. */
function withoutContent(value: Params): Params {
  const { resultType } = value;
  if (resultType === undefined || resultType === 'complete') return value;
  const { content, ...rest } = value;
  return Array.isArray(content) && content.length > 0 ? value : rest;
}
