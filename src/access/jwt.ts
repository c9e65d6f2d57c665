import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { roles, type Role } from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Clock, Log, Secret } from '../kernel/index.ts';
import { tenantPattern, userPattern } from './api-keys.ts';
import { InvalidIdentityError } from './errors.ts';

/** Where the keys of the issuer come from; exactly one. */
export type FetchKeys = (
  url: string,
  request: { readonly headers: Headers; readonly signal: AbortSignal },
) => Promise<Response>;

export interface JwtKeys {
  readonly secret?: Secret | undefined;
  readonly jwksUrl?: string | undefined;
  /** The text of a JWKS file. */
  readonly jwksText?: string | undefined;
  readonly fetchTimeoutMs?: number;
  /** Fetches the key set: bounded, and from the address itself, without redirects. */
  readonly fetchKeys: FetchKeys;
}

export interface JwtOptions extends JwtKeys {
  readonly issuer: string;
  /** One of these must be in `aud`. */
  readonly audience: readonly string[];
  /** Never `none`. */
  readonly algorithms: readonly string[];
  readonly clockSkewSeconds: number;
  readonly claims: JwtClaims;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which claim says what, by name or by path (`realm_access.roles`). */
export interface JwtClaims {
  readonly user: string;
  readonly tenant: string;
  readonly role: string;
  readonly scope: string;
  /** For tokens without the claim; without it they are refused. */
  readonly defaultTenant?: string | undefined;
  readonly defaultRole: Role;
  /** Scopes that begin with this name tools: `tool:code.*`. */
  readonly toolPrefix: string;
  /** The tools of tokens that name none. */
  readonly defaultTools: readonly string[];
}

export type VerifyJwt = (token: string) => Promise<Caller | undefined>;

const minSecretBytes = 32;
const fetchLimits = { timeoutMs: 5_000, freshMs: 600_000, cooldownMs: 30_000 };

/**
 * Verifies signature, issuer, audience and times of a token, and maps its claims to a caller; undefined for one that
 * is not good, whatever is wrong with it. Nothing of a header decides more than which key of the issuer is tried.
 * Throws `access.invalid_settings` where the options do not fit together.
 */
export function createVerifyJwt(options: JwtOptions): VerifyJwt {
  checkOptions(options);
  const { issuer, clock, log } = options;
  const opened = openKeys(options);
  return async (token) => {
    const { jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, await opened(), {
        issuer,
        audience: [...options.audience],
        algorithms: [...options.algorithms],
        clockTolerance: options.clockSkewSeconds,
        requiredClaims: ['exp', 'iss', 'aud'],
        currentDate: new Date(clock.now()),
      });
      return callerOf(payload, options, token);
    } catch (error) {
      // Of the token nothing is logged; the code says what was wrong with it.
      const { code, message } = Object(error);
      log.debug('token refused', { reason: String(code ?? message) });
      return undefined;
    }
  };
}

function checkOptions({ secret, jwksUrl, jwksText, algorithms, audience }: JwtOptions): void {
  const sources = [secret, jwksUrl, jwksText].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    throw new InvalidIdentityError(
      'set exactly one of identity.jwt.secret, jwks_url and jwks_file: the keys of the issuer',
    );
  }
  if (audience.length === 0) {
    throw new InvalidIdentityError('set identity.resource, the address that tokens are made for');
  }
  const isShared = secret !== undefined;
  if (
    algorithms.length === 0 ||
    algorithms.some((name) => name === 'none' || name.startsWith('HS') !== isShared)
  ) {
    throw new InvalidIdentityError(
      isShared
        ? 'a secret verifies HS256, HS384 and HS512, so identity.jwt.algorithms must be of these'
        : 'public keys verify RS, PS, ES and EdDSA algorithms, so identity.jwt.algorithms must be of these',
    );
  }
  if (isShared && Buffer.byteLength(secret.reveal()) < minSecretBytes) {
    throw new InvalidIdentityError(`identity.jwt.secret is shorter than ${minSecretBytes} bytes`);
  }
  const url = jwksUrl === undefined ? undefined : new URL(jwksUrl);
  const isLocal = url !== undefined && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  if (url && url.protocol !== 'https:' && !isLocal) {
    throw new InvalidIdentityError('identity.jwt.jwks_url must be https, or on this machine');
  }
}

type Keys = Parameters<typeof import('jose').jwtVerify>[1];

/** Loaded and imported with the first token. */
function openKeys({
  secret,
  jwksUrl,
  jwksText,
  fetchTimeoutMs,
  fetchKeys,
}: JwtKeys): () => Promise<Keys> {
  let keys: Promise<Keys> | undefined;
  const open = async (): Promise<Keys> => {
    if (secret) return new TextEncoder().encode(secret.reveal());
    const { createLocalJWKSet, createRemoteJWKSet, customFetch } = await import('jose');
    if (jwksText !== undefined) return createLocalJWKSet(JSON.parse(jwksText));
    return createRemoteJWKSet(new URL(jwksUrl ?? ''), {
      timeoutDuration: fetchTimeoutMs ?? fetchLimits.timeoutMs,
      cacheMaxAge: fetchLimits.freshMs,
      cooldownDuration: fetchLimits.cooldownMs,
      [customFetch]: fetchKeys,
    });
  };
  return () => {
    keys ??= open().catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
}

const maxScopes = 100;

function callerOf(payload: JWTPayload, options: JwtOptions, token: string): Caller | undefined {
  const { claims, clockSkewSeconds } = options;
  const user = claimOf(payload, claims.user);
  const tenant = claimOf(payload, claims.tenant) ?? claims.defaultTenant;
  const role = roleOf(claimOf(payload, claims.role), claims.defaultRole);
  if (typeof user !== 'string' || !userPattern.test(user)) return undefined;
  if (typeof tenant !== 'string' || !tenantPattern.test(tenant)) return undefined;
  if (role === undefined || payload.exp === undefined) return undefined;
  const scopes = toolsOf(claimOf(payload, claims.scope), claims);
  return {
    id: `${tenant}/${user}`,
    tenant,
    role,
    ...(scopes.includes('*') ? {} : { scopes }),
    // By a digest: the token's own id is for its issuer to choose, and may be anything.
    credential: `jwt:${createHash('sha256').update(token).digest('hex').slice(0, 16)}`,
    credentialEndsAtMs: (payload.exp + clockSkewSeconds) * 1_000,
  };
}

/** The highest role that is named; a claim that names none of ours gives none. */
function roleOf(claim: unknown, otherwise: Role): Role | undefined {
  if (claim === undefined) return otherwise;
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return roles.findLast((role) => named.includes(role));
}

function toolsOf(claim: unknown, { toolPrefix, defaultTools }: JwtClaims): readonly string[] {
  const text = typeof claim === 'string' ? claim : '';
  const all: readonly unknown[] = Array.isArray(claim) ? claim : text.split(' ');
  const tools = all
    .filter((scope) => typeof scope === 'string')
    .filter((scope) => scope.startsWith(toolPrefix))
    .map((scope) => scope.slice(toolPrefix.length))
    .slice(0, maxScopes);
  return tools.length > 0 ? tools : defaultTools;
}

/** A claim by its name, or else by a path of names. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let value: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
