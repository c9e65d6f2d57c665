import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../contract/caller/index.ts';
import type { Secret } from '../kernel/index.ts';
import type { Refusal } from './exchange.ts';

export type Identity =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Establishes on whose behalf a request is made, from its headers. */
export type Identify = (request: IncomingMessage) => Identity | Promise<Identity>;

const bearerPattern = /^Bearer +(\S+) *$/i;

/** Requests that present the token are made by `caller`; without a configured token, all are. */
export function bearerIdentity(token: Secret | undefined, caller: Caller): Identify {
  const known: Identity = { kind: 'caller', caller };
  if (token === undefined) return () => known;
  const expected = digest(token.reveal());
  return ({ headers }) => {
    const given = bearerPattern.exec(headers.authorization ?? '')?.[1];
    // Digests have one length, so neither length nor content shows in the time it takes.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return known;
    const reason = given === undefined ? '' : ', error="invalid_token"';
    return {
      kind: 'refused',
      refusal: {
        status: 401,
        message:
          'This server requires a token: send "Authorization: Bearer TOKEN". Its page at / says where to find it',
        headers: { 'www-authenticate': `Bearer realm="tutti"${reason}` },
      },
    };
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
