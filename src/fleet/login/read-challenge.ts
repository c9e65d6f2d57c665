import type { Challenge } from './errors.ts';

const maxHeaderLength = 8_192;
const maxScopes = 100;
const bearerStart = /(?:^|,\s*)bearer(?:\s+|$)/i;
/** `, Basic realm=…`: another challenge begins where a word is followed by a space and a parameter. */
const nextChallenge = /,\s*[a-z][\w-]*\s+[a-z][\w-]*\s*=/i;
const parameterPattern = /([a-z][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** The `Bearer` challenge of a `WWW-Authenticate` header; undefined when it has none. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const text = header?.slice(0, maxHeaderLength) ?? '';
  const start = bearerStart.exec(text);
  if (!start) return undefined;
  const rest = text.slice(start.index + start[0].length);
  const end = nextChallenge.exec(rest)?.index ?? rest.length;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of rest.slice(0, end).matchAll(parameterPattern)) {
    const key = name.toLowerCase();
    // Of a repeated parameter the first one counts.
    if (!parameters.has(key))
      parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const resourceMetadata = parameters.get('resource_metadata');
  const scopes = readScopes(parameters.get('scope'));
  const error = parameters.get('error');
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scopes.length > 0 && { scopes }),
    ...(error !== undefined && { error }),
  };
}

/** The scopes of a space-separated list; characters that RFC 6749 does not allow end up in none. */
export function readScopes(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const words = text.split(' ').filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(word));
  return [...new Set(words)].slice(0, maxScopes);
}
