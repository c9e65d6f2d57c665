import { Secret, type Sealer } from '../../kernel/index.ts';
import { isRecord } from '../../protocol/index.ts';
import type { Grant } from './authorize.ts';
import type { LoginClient } from './choose-client.ts';
import type { LoginKey, LoginRecord, StoredLogin } from './login-store.ts';

/** What tokens are bound to: sealed ones cannot be opened as those of another. */
export type LoginBinding = Pick<LoginRecord, keyof LoginKey | 'serverUrl' | 'resource' | 'issuer'>;

export interface Granted {
  readonly client: LoginClient;
  readonly grant: Grant;
  /** As requested; those that were granted count where the authority names them. */
  readonly scopes: readonly string[];
  /** Without a refresh token: a token exchange can be repeated. */
  readonly isRenewable?: boolean;
}

/** A stored login with its secrets. */
export interface OpenLogin {
  readonly record: StoredLogin;
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  readonly client: LoginClient;
  /** From here on it is renewed in the background. */
  readonly renewAtMs: number;
}

/** Tokens are renewed when a fifth of their time is left, at most this long before they expire. */
const maxEarlyMs = 60_000;
const earlyPart = 0.2;

export function sealLogin(
  sealer: Sealer,
  login: Granted & { readonly binding: LoginBinding; readonly now: number },
): LoginRecord {
  const { binding, client, grant, scopes, isRenewable = false, now } = login;
  const { expiresInMs } = grant;
  const endMs = expiresInMs === undefined ? null : Math.floor(now + expiresInMs);
  const earlyMs = Math.min((expiresInMs ?? 0) * earlyPart, maxEarlyMs);
  const secrets = {
    access: grant.accessToken.reveal(),
    refresh: grant.refreshToken?.reveal(),
    clientId: client.id,
    clientSecret: client.secret?.reveal(),
    method: client.method,
    renewAtMs: endMs === null ? null : endMs - earlyMs,
  };
  const { callerId, server, serverUrl, resource, issuer } = binding;
  return {
    callerId,
    server,
    serverUrl,
    resource,
    issuer,
    scopes: grant.scopes ?? scopes,
    account: grant.account ?? null,
    expiresAtMs: endMs,
    isRenewable: isRenewable || grant.refreshToken !== undefined,
    isRevoked: false,
    sealed: sealer.seal(JSON.stringify(secrets), contextOf(binding)),
  };
}

/** Undefined when it cannot be decrypted as the login that it claims to be. */
export function openLogin(sealer: Sealer, record: StoredLogin): OpenLogin | undefined {
  const text = sealer.open(record.sealed, contextOf(record));
  const secrets: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isRecord(secrets)) return undefined;
  const { access, refresh, clientId, clientSecret, method, renewAtMs } = secrets;
  return {
    record,
    accessToken: new Secret(String(access)),
    refreshToken: typeof refresh === 'string' ? new Secret(refresh) : undefined,
    client: {
      id: String(clientId),
      ...(typeof clientSecret === 'string' && { secret: new Secret(clientSecret) }),
      method: String(method),
    },
    renewAtMs: typeof renewAtMs === 'number' ? renewAtMs : Number.POSITIVE_INFINITY,
  };
}

function contextOf({ callerId, server, serverUrl, resource, issuer }: LoginBinding) {
  return [callerId, server, serverUrl, resource, issuer];
}
