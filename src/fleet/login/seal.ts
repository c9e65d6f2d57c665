import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Secret } from '../../kernel/index.ts';
import { isRecord } from '../../protocol/index.ts';
import type { Grant } from './authorize.ts';
import type { LoginClient } from './choose-client.ts';
import type { LoginKey, LoginRecord, StoredLogin } from './login-store.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1';

/** Encrypts what is stored of logins, with AES-256-GCM. */
export class Sealer {
  readonly #key: Buffer;

  /** Any text of sufficient entropy: the key is derived from it. */
  constructor(secret: Secret) {
    const derived = hkdfSync('sha256', secret.reveal(), '', 'tutti login tokens', keyBytes);
    this.#key = Buffer.from(derived);
  }

  /** `context` names what the text belongs to: sealed text that was moved elsewhere cannot be opened. */
  seal(text: string, context: readonly string[]): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    cipher.setAAD(Buffer.from(JSON.stringify(context)));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
    return `${version}.${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`;
  }

  /** Undefined when the key, the context or the text is another. */
  open(sealed: string, context: readonly string[]): string | undefined {
    const [mark, text = ''] = sealed.split('.');
    const bytes = Buffer.from(text, 'base64url');
    if (mark !== version || bytes.length < nonceBytes + tagBytes) return undefined;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(JSON.stringify(context)));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

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
