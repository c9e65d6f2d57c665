import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuthorizationServer } from 'oauth4webapi';
import type { LoginStatus, ServerLogin } from '../../contract/fleet/index.ts';
import type { Clock, Log, Sealer, Secret } from '../../kernel/index.ts';
import {
  exchangeToken,
  refreshGrant,
  RefusedGrantError,
  revokeToken,
  type TokenRequest,
} from './authorize.ts';
import { chooseClient } from './choose-client.ts';
import {
  discoverAuthority,
  readMetadata,
  type Authority,
  type FetchForServer,
} from './discover-authority.ts';
import { LoginFailedError, LoginRequiredError } from './errors.ts';
import { checkedUrl, FetchRefusedError } from './fetch-in-zone.ts';
import type { LoginKey, LoginRecord, LoginStore } from './login-store.ts';
import {
  openLogin,
  sealLogin,
  type Granted,
  type LoginBinding,
  type OpenLogin,
} from './seal-login.ts';

/** A remote server as its entry describes it. */
export interface LoginTarget {
  /** The name of the entry. */
  readonly server: string;
  readonly url: string;
  readonly login?: ServerLogin | undefined;
}

export interface TokenKeeperOptions {
  readonly store: LoginStore;
  readonly sealer: () => Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** Fetches with the rules for the server at `url`. */
  readonly fetchFor: (url: string) => Promise<FetchForServer>;
}

/** How long a login is used without a look at the store, where another process may have ended it. */
const recheckMs = 1_000;
const refreshLimitMs = 25_000;
/** Longer than a refresh may take, so that a lock is lost only by a process that died. */
const lockMs = 30_000;
const lockPollMs = 50;
const metadataMs = 10 * 60_000;
const maxCached = 10_000;

/**
 * Tokens of callers for servers.
 *
 * 1. A token is used only for the url of the entry it was obtained for.
 * 2. A refresh token goes only to the token endpoint of the issuer that issued it.
 * 3. Of all processes one refreshes a login at a time; the others use what it got.
 * 4. A login that was replaced or removed during a refresh stays so.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #cache = new Map<
    string,
    { readonly at: number; readonly login: OpenLogin | undefined }
  >();
  readonly #renewing = new Map<string, Promise<OpenLogin>>();
  readonly #metadata = new Map<string, { at: number; read: Promise<AuthorizationServer> }>();

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  /** The login that may be used now; undefined when there is none for this url. Does not use the network. */
  async find(callerId: string, target: LoginTarget): Promise<OpenLogin | undefined> {
    const key = keyText({ callerId, server: target.server });
    const cached = this.#cache.get(key);
    const now = this.#options.clock.now();
    const isFresh = cached !== undefined && now - cached.at < recheckMs && now >= cached.at;
    const login = isFresh ? cached.login : await this.#read({ callerId, server: target.server });
    return login?.record.serverUrl === target.url ? login : undefined;
  }

  /**
   * A token for the next request. Renewed in the background when it expires soon, before the request when it has
   * expired. Undefined when there is none and none can be obtained without the user.
   */
  async token(callerId: string, target: LoginTarget): Promise<Secret | undefined> {
    const login = await this.find(callerId, target);
    if (!login) return target.login?.exchange && (await this.#renew(callerId, target)).accessToken;
    const { expiresAtMs, isRenewable, isRevoked } = login.record;
    const now = this.#options.clock.now();
    if (isRevoked) return undefined;
    if (!isRenewable || now < login.renewAtMs) return login.accessToken;
    const renewal = this.#renew(callerId, target, login);
    if (expiresAtMs !== null && now >= expiresAtMs) return (await renewal).accessToken;
    // The current token is still valid; a failure shows when it is not.
    renewal.catch(() => {});
    return login.accessToken;
  }

  /**
   * The server refused this token: returns whether there is another one now. Marks the login as revoked when it
   * cannot be renewed.
   */
  async replace(callerId: string, target: LoginTarget, refused: Secret): Promise<boolean> {
    this.#cache.delete(keyText({ callerId, server: target.server }));
    const login = await this.find(callerId, target);
    if (!login || login.record.isRevoked) return false;
    if (login.accessToken.reveal() !== refused.reveal()) return true;
    if (!login.record.isRenewable) {
      await this.#revoke(login);
      return false;
    }
    await this.#renew(callerId, target, login);
    return true;
  }

  /** Stores what a login was granted, in place of the one before. */
  async save(
    callerId: string,
    target: LoginTarget,
    granted: Granted & { readonly authority: Pick<Authority, 'issuer' | 'resource'> },
  ): Promise<void> {
    const { authority, client, grant } = granted;
    const { issuer, resource } = authority;
    const binding = { callerId, server: target.server, serverUrl: target.url, resource, issuer };
    await this.#write(this.#seal(binding, { client, grant, scopes: granted.scopes }));
  }

  async status(callerId: string, target: LoginTarget): Promise<LoginStatus | undefined> {
    const login = await this.#read({ callerId, server: target.server });
    if (login?.record.serverUrl !== target.url) return undefined;
    const { expiresAtMs, isRenewable, isRevoked, account, issuer, scopes } = login.record;
    const hasEnded = expiresAtMs !== null && expiresAtMs <= this.#options.clock.now();
    const state = isRevoked ? 'revoked' : hasEnded && !isRenewable ? 'expired' : 'active';
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
    return { state, callerId, account, issuer, scopes, expiresAt, isRenewable };
  }

  /** Removes a login, whatever url it is for, and revokes its tokens where the authority can. */
  async remove(
    key: LoginKey,
    signal: AbortSignal,
  ): Promise<{ isDone: boolean; isRevoked: boolean }> {
    const login = await this.#read(key);
    const isDone = await this.#options.store.remove(key);
    this.#cache.delete(keyText(key));
    if (!login) return { isDone, isRevoked: false };
    try {
      const request = await this.#tokenRequest(login, signal);
      const tokens = [login.refreshToken, login.accessToken].filter((token) => token !== undefined);
      const revoked = await Promise.all(tokens.map((token) => revokeToken(request, token)));
      return { isDone, isRevoked: revoked.includes(true) };
    } catch {
      return { isDone, isRevoked: false };
    }
  }

  /** The metadata of an issuer, kept for a while. */
  async #metadataOf(login: OpenLogin, signal: AbortSignal): Promise<AuthorizationServer> {
    const { issuer, server, serverUrl } = login.record;
    const known = this.#metadata.get(issuer);
    const now = this.#options.clock.now();
    if (known && now - known.at < metadataMs) return known.read;
    const fetch = await this.#options.fetchFor(serverUrl);
    const read = readMetadata({ server, fetch, signal }, checkedUrl(issuer));
    this.#metadata.set(issuer, { at: now, read });
    read.catch(() => this.#metadata.delete(issuer));
    return read;
  }

  async #tokenRequest(login: OpenLogin, signal: AbortSignal): Promise<TokenRequest> {
    const { server, serverUrl, resource } = login.record;
    const metadata = await this.#metadataOf(login, signal);
    const fetch = await this.#options.fetchFor(serverUrl);
    return { server, metadata, client: login.client, resource, fetch, signal };
  }

  /** Concurrent requests share one renewal. */
  #renew(callerId: string, target: LoginTarget, stale?: OpenLogin): Promise<OpenLogin> {
    const key = keyText({ callerId, server: target.server });
    let renewing = this.#renewing.get(key);
    if (!renewing) {
      renewing = this.#renewLocked(callerId, target, stale).finally(() => {
        this.#renewing.delete(key);
      });
      this.#renewing.set(key, renewing);
    }
    return renewing;
  }

  async #renewLocked(
    callerId: string,
    target: LoginTarget,
    stale: OpenLogin | undefined,
  ): Promise<OpenLogin> {
    const { store, clock } = this.#options;
    const { server } = target;
    const key = { callerId, server };
    const owner = randomUUID();
    const deadline = clock.now() + lockMs;
    for (;;) {
      const current = await this.#read(key);
      if (current && current.record.version !== stale?.record.version) return current;
      if (!current && stale) throw new LoginRequiredError(server, 'you have logged out');
      const nowMs = clock.now();
      if (await store.lock({ ...key, owner, nowMs, untilMs: nowMs + lockMs })) break;
      if (nowMs > deadline) {
        throw new LoginFailedError(server, 'another process is renewing it', { retryable: true });
      }
      await pause(lockPollMs);
    }
    try {
      // Another process may have finished between the look and the lock.
      const current = await this.#read(key);
      if (current && current.record.version !== stale?.record.version) return current;
      return await this.#obtain(callerId, target, current);
    } finally {
      await store.unlock({ ...key, owner });
    }
  }

  async #obtain(
    callerId: string,
    target: LoginTarget,
    login: OpenLogin | undefined,
  ): Promise<OpenLogin> {
    const { server } = target;
    const signal = AbortSignal.timeout(refreshLimitMs);
    try {
      if (target.login?.exchange) await this.#exchange(callerId, target, signal);
      else if (login?.refreshToken) await this.#refresh(login, signal);
      const renewed = await this.#read({ callerId, server });
      if (renewed?.record.serverUrl === target.url) return renewed;
    } catch (error) {
      if (error instanceof FetchRefusedError || signal.aborted) {
        throw new LoginFailedError(server, 'its authorization server did not respond', {
          retryable: true,
        });
      }
      if (!(error instanceof RefusedGrantError) || !login) throw error;
      await this.#revoke(login);
      this.#options.log.warn('login revoked', { server, callerId });
    }
    throw new LoginRequiredError(server, 'the login has ended');
  }

  async #refresh(login: OpenLogin, signal: AbortSignal): Promise<void> {
    const { record, client, refreshToken } = login;
    if (!refreshToken) return;
    const grant = await refreshGrant(await this.#tokenRequest(login, signal), refreshToken);
    const { account } = record;
    const kept = { refreshToken, ...(account !== null && { account }) };
    const { scopes } = record;
    const sealed = this.#seal(record, { client, grant: { ...kept, ...grant }, scopes });
    await this.#write(sealed, record.version);
    this.#options.log.info('login renewed', { server: record.server, callerId: record.callerId });
  }

  async #exchange(callerId: string, target: LoginTarget, signal: AbortSignal): Promise<void> {
    const { server, login } = target;
    if (!login?.exchange) return;
    const fetch = await this.#options.fetchFor(target.url);
    const { issuer } = login;
    const serverUrl = checkedUrl(target.url);
    const discovery = { server, serverUrl, challenge: {}, issuer, fetch, signal };
    const authority = await discoverAuthority(discovery);
    const { clientId: id, clientSecret: secret } = login;
    if (id === undefined) {
      throw new LoginFailedError(server, 'login.exchange needs login.clientId in its entry');
    }
    const choice = { server, authority, redirectUri: '', fetch, signal };
    const client = await chooseClient({ ...choice, configured: { id, secret } });
    const scopes = login.scopes ?? authority.scopes;
    const { subjectToken, subjectTokenType: type, audience, actorToken } = login.exchange;
    const actor = actorToken && { token: actorToken, type: login.exchange.actorTokenType };
    const { metadata, resource } = authority;
    const request = { server, metadata, client, resource, fetch, signal };
    const grant = await exchangeToken(request, {
      token: subjectToken,
      type,
      actor,
      audience,
      scopes,
    });
    const binding = {
      callerId,
      server,
      serverUrl: target.url,
      resource,
      issuer: authority.issuer,
    };
    await this.#write(this.#seal(binding, { client, grant, scopes, isRenewable: true }));
  }

  async #read(key: LoginKey): Promise<OpenLogin | undefined> {
    const record = await this.#options.store.find(key);
    const login = record && openLogin(this.#options.sealer(), record);
    if (record && !login) {
      this.#options.log.warn('stored login cannot be decrypted', { server: key.server });
    }
    if (this.#cache.size >= maxCached) this.#cache.clear();
    this.#cache.set(keyText(key), { at: this.#options.clock.now(), login });
    return login;
  }

  #seal(binding: LoginBinding, granted: Granted): LoginRecord {
    const { sealer, clock } = this.#options;
    return sealLogin(sealer(), { ...granted, binding, now: clock.now() });
  }

  async #revoke({ record }: OpenLogin): Promise<void> {
    await this.#write({ ...record, isRevoked: true }, record.version);
  }

  async #write(record: LoginRecord, version?: number): Promise<void> {
    this.#cache.delete(keyText(record));
    await this.#options.store.put(record, version);
  }
}

function keyText({ callerId, server }: LoginKey): string {
  return JSON.stringify([callerId, server]);
}
