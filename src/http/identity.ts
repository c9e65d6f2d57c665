import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../contract/caller/index.ts';
import type { Secret } from '../kernel/index.ts';
import type { Refusal } from './exchange.ts';
import { addressOf, type LoginLimit } from './request-limits.ts';

export type Identity =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Establishes on whose behalf a request is made, from its headers. */
export type Identify = (request: IncomingMessage) => Identity | Promise<Identity>;

/**
 * The caller of a token, undefined when there is none. With `isKnownOnly` just those that were verified before: the
 * address has presented too many others.
 */
export type VerifyToken = (
  token: string,
  options: { readonly isKnownOnly: boolean },
) => Caller | undefined | Promise<Caller | undefined>;

export interface IdentityOptions {
  /** The machine's own token. */
  readonly token: Secret | undefined;
  /** Who presents that token. */
  readonly caller: Caller;
  /** Requests without an Authorization header are made by `caller`, too. Default: when there is no way to log in. */
  readonly isOpen?: boolean | undefined;
  /** Keys and tokens of others. */
  readonly verify?: VerifyToken | undefined;
  /** Parameters of `WWW-Authenticate` that say where a token is to be had. */
  readonly challenge?: string | undefined;
  readonly loginLimit?: LoginLimit | undefined;
}

/** RFC 6750: one scheme, one token. */
const bearerPattern = /^Bearer +([\w.~+/=-]+) *$/i;

/**
 * The one way to authenticate: exactly one `Authorization: Bearer`. Whatever else is presented gets the same answer,
 * also where a request without the header would be served: what was presented must not count for nothing.
 */
export function createIdentify(options: IdentityOptions): Identify {
  const { token, caller, verify, loginLimit } = options;
  const known: Identity = { kind: 'caller', caller };
  const expected = token && digest(token.reveal());
  const isOpen = options.isOpen ?? (token === undefined && verify === undefined);
  const missing = refusal(options.challenge, '');
  const invalid = refusal(options.challenge, ', error="invalid_token"');
  return (request) => {
    const given = authorizationOf(request);
    if (given === undefined) return isOpen ? known : missing;
    const presented = bearerPattern.exec(given)?.[1];
    // Digests have one length, so neither length nor content shows in the time it takes.
    if (presented !== undefined && expected && timingSafeEqual(digest(presented), expected)) {
      return known;
    }
    const address = addressOf(request);
    const waitSeconds = loginLimit?.waitSeconds(address) ?? 0;
    const conclude = (found: Caller | undefined): Identity => {
      if (found) return { kind: 'caller', caller: { ...found, face: faceOf(request), address } };
      if (waitSeconds > 0) return { kind: 'refused', refusal: tooManyLogins(waitSeconds) };
      loginLimit?.failed(address);
      return invalid;
    };
    if (presented === undefined || !verify) return conclude(undefined);
    const found = verify(presented, { isKnownOnly: waitSeconds > 0 });
    return found instanceof Promise ? found.then(conclude) : conclude(found);
  };
}

function faceOf({ url = '' }: IncomingMessage): 'rest' | 'mcp' {
  return url.startsWith('/api/') ? 'rest' : 'mcp';
}

/** The header's value; empty, which is no token, when there is more than one: Node would take the first. */
function authorizationOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') {
      count += 1;
    }
  }
  return count === 1 ? authorization : '';
}

function refusal(challenge: string | undefined, reason: string): Identity {
  const where = challenge === undefined ? '' : `, ${challenge}`;
  return {
    kind: 'refused',
    refusal: {
      status: 401,
      message:
        'This server requires a token: send "Authorization: Bearer TOKEN". Its page at / says where to find it',
      headers: { 'www-authenticate': `Bearer realm="tutti"${reason}${where}` },
    },
  };
}

function tooManyLogins(waitSeconds: number): Refusal {
  return {
    status: 429,
    message: `Too many tokens from this address were not accepted. Try again in ${waitSeconds} s`,
    headers: { 'retry-after': String(waitSeconds) },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
