import { randomBytes } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import { reportError, Secret, type Log, type Sealer } from '../../kernel/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { prepareAuthorization, redeemCode, type Authorization } from './authorize.ts';
import { chooseClient, type LoginClient } from './choose-client.ts';
import { discoverAuthority, type Authority, type FetchForServer } from './discover-authority.ts';
import { LoginFailedError, type Challenge } from './errors.ts';
import { checkedUrl, FetchRefusedError } from './fetch-in-zone.ts';
import type { LoginStore } from './login-store.ts';
import { openLoopbackRedirect, type LoopbackRedirect, type Page } from './loopback-redirect.ts';
import type { LoginTarget, TokenKeeper } from './token-keeper.ts';

export interface FlowOptions {
  readonly tokens: TokenKeeper;
  readonly store: LoginStore;
  readonly sealer: () => Sealer;
  readonly fetchFor: (url: string) => Promise<FetchForServer>;
  /** URL of our client id metadata document. */
  readonly metadataUrl?: string | undefined;
  /** How long the user has. */
  readonly limitMs: number;
  readonly log: Log;
}

export interface FlowRequest {
  readonly caller: Caller;
  readonly target: LoginTarget;
  readonly challenge: Challenge;
  /** Where browsers reach our HTTP listener; without it they return to a port of this machine. */
  readonly callbackBase?: string | undefined;
  readonly signal: AbortSignal;
}

/** A login that waits for its browser. */
export interface Flow {
  /** For the user to open. */
  readonly url: string;
  /** The authority, for the user to recognize. */
  readonly host: string;
  /** Settles once tokens are stored, or with `LoginFailedError`. */
  readonly done: Promise<void>;
  /** Ends it; does nothing once it is over. */
  cancel(): void;
}

interface PendingFlow {
  readonly request: FlowRequest;
  readonly authorization: Authorization;
  readonly fetch: FetchForServer;
  readonly settle: PromiseWithResolvers<void>;
  /** Makes its state invalid. */
  readonly end: () => void;
  /** The cookie of the browser that confirmed the login at our listener. */
  browser: string | undefined;
}

const maxFlows = 1_000;
const cookieBytes = 32;
export const callbackPath = '/oauth/callback';
export const startPath = '/oauth/start';

/**
 * Logins in progress, by state.
 *
 * 1. A state is random, belongs to one caller and server, is valid once and for a limited time.
 * 2. Through our HTTP listener the response must come from the browser in which the user confirmed for which
 *    caller and server the login is.
 */
export class LoginFlows {
  readonly #options: FlowOptions;
  readonly #flows = new Map<string, PendingFlow>();

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** Throws `LoginFailedError` when the server or its authority cannot be used. */
  async begin(request: FlowRequest): Promise<Flow> {
    const { target, callbackBase } = request;
    const { server } = target;
    if (this.#flows.size >= maxFlows) throw new LoginFailedError(server, 'too many logins wait');
    const settle = Promise.withResolvers<void>();
    const loopback =
      callbackBase === undefined
        ? await openLoopbackRedirect((parameters) => this.receive(parameters))
        : undefined;
    try {
      const redirectUri = loopback?.uri ?? `${callbackBase}${callbackPath}`;
      const { authorization, fetch } = await this.#prepare(request, redirectUri);
      const { state } = authorization;
      const end = (): void => {
        clearTimeout(timer);
        this.#flows.delete(state);
      };
      const timer = setTimeout(() => void this.#expire(state), this.#options.limitMs).unref();
      this.#flows.set(state, { request, authorization, fetch, settle, end, browser: undefined });
      // A program that ends when it is done has shown its page.
      const done = untilClosed(settle.promise, loopback);
      // Read by those who wait; a flow that was cancelled has none.
      done.catch(() => {});
      return {
        url: loopback ? authorization.url : startUrl(callbackBase ?? '', state),
        host: new URL(authorization.authority.issuer).host,
        done,
        cancel: () => this.#fail(state, 'it was cancelled'),
      };
    } catch (error) {
      void loopback?.close();
      request.signal.throwIfAborted();
      if (error instanceof FetchRefusedError) throw new LoginFailedError(server, error.message);
      throw error;
    }
  }

  /** The page at `/oauth/start`: whose login it is, and a button to go on. */
  describe(state: string | null): Page {
    const flow = this.#flows.get(state ?? '');
    if (!flow || state === null) return unknownPage;
    const { request, authorization } = flow;
    const { server } = request.target;
    const host = new URL(authorization.authority.issuer).host;
    return {
      status: 200,
      title: `Log in to ${server}`,
      text: `"${request.caller.id}" asked to use the server "${server}" with your account at ${host}. Go on only if that is you, and you have just asked for it: the person who sent you this link could then use that account.`,
      form: { action: startUrl('', state), button: `Continue to ${host}` },
    };
  }

  /** The user pressed the button: where to go, and the cookie that marks this browser. Undefined for an unknown state. */
  confirm(
    state: string | null,
  ): { readonly location: string; readonly browser: string } | undefined {
    const flow = this.#flows.get(state ?? '');
    if (!flow) return undefined;
    flow.browser = randomBytes(cookieBytes).toString('base64url');
    return { location: flow.authorization.url, browser: flow.browser };
  }

  /** The browser came back with an authorization response. Never rejects. */
  async receive(parameters: URLSearchParams, browser?: string): Promise<Page> {
    const state = parameters.get('state') ?? '';
    const flow = this.#flows.get(state);
    const isWeb = flow?.request.callbackBase !== undefined;
    if (!flow || (isWeb && (flow.browser === undefined || flow.browser !== browser))) {
      return unknownPage;
    }
    // From here on the state is used, whatever happens.
    flow.end();
    const { server } = flow.request.target;
    try {
      await this.#redeem(flow, parameters);
      flow.settle.resolve();
      return {
        status: 200,
        title: 'Logged in',
        text: `You are logged in to "${server}". You can close this window.`,
      };
    } catch (error) {
      flow.settle.reject(error);
      const text =
        error instanceof LoginFailedError ? error.message : `The login to "${server}" failed.`;
      return { status: 400, title: 'Not logged in', text };
    }
  }

  close(): void {
    for (const state of this.#flows.keys()) this.#fail(state, 'Tutti is stopping');
  }

  async #redeem(flow: PendingFlow, parameters: URLSearchParams): Promise<void> {
    const { request, authorization, fetch } = flow;
    const { caller, target } = request;
    const { authority, client, scopes } = authorization;
    const { log, tokens } = this.#options;
    const { server } = target;
    try {
      const grant = await redeemCode(authorization, parameters, { fetch });
      await tokens.save(caller.id, target, { authority, client, grant, scopes });
      log.info('logged in', { server, callerId: caller.id, issuer: authority.issuer });
    } catch (error) {
      log.warn('login failed', { server, callerId: caller.id, reason: reportError(error).message });
      await this.#forgetClient(flow);
      throw error;
    }
  }

  async #prepare(
    request: FlowRequest,
    redirectUri: string,
  ): Promise<{ readonly authorization: Authorization; readonly fetch: FetchForServer }> {
    const { caller, target, challenge, signal } = request;
    const { tokens, fetchFor } = this.#options;
    const { server, login = {} } = target;
    const serverUrl = checkedUrl(target.url);
    const fetch = await fetchFor(target.url);
    const before = (await tokens.find(caller.id, target))?.record;
    const issuer = login.issuer ?? before?.issuer;
    const authority = await discoverAuthority({
      server,
      serverUrl,
      challenge,
      issuer,
      fetch,
      signal,
    });
    const client = await this.#clientFor(request, { authority, redirectUri, fetch });
    // More consent adds to what there is; a login anew asks for what the server names now.
    const kept = challenge.error === 'insufficient_scope' ? (before?.scopes ?? []) : [];
    const named = challenge.scopes ?? (kept.length > 0 ? [] : authority.scopes);
    const wanted = login.scopes ? [...login.scopes, ...(kept.length > 0 ? named : [])] : named;
    const scopes = [...new Set([...kept, ...wanted])];
    const parts = { server, authority, client, redirectUri, scopes };
    return { authorization: await prepareAuthorization(parts), fetch };
  }

  async #clientFor(
    { target, callbackBase, signal }: FlowRequest,
    parts: {
      readonly authority: Authority;
      readonly redirectUri: string;
      readonly fetch: FetchForServer;
    },
  ): Promise<LoginClient> {
    const { store, sealer, metadataUrl } = this.#options;
    const { server, login = {} } = target;
    const { issuer } = parts.authority;
    const { redirectUri } = parts;
    // Ports of this machine are random, so only our listener's URI comes again.
    const stored =
      callbackBase === undefined ? undefined : await store.findClient(issuer, redirectUri);
    const context = ['client', issuer, redirectUri];
    const known = stored && readClient(sealer().open(stored.sealed, context));
    const { clientId: id, clientSecret: secret } = login;
    const configured = id === undefined ? undefined : { id, secret };
    const choice = { server, ...parts, configured, metadataUrl, known, signal };
    const client = await chooseClient(choice);
    if (callbackBase !== undefined && !configured && client.id !== metadataUrl && !known) {
      const text = JSON.stringify({ ...client, secret: client.secret?.reveal() });
      await store.putClient({ issuer, redirectUri, sealed: sealer().seal(text, context) });
    }
    return client;
  }

  /** It may be a client that the authority no longer knows: the next login registers anew. */
  async #forgetClient({ request, authorization }: PendingFlow): Promise<void> {
    if (request.callbackBase === undefined) return;
    const { authority, redirectUri } = authorization;
    await this.#options.store.removeClient(authority.issuer, redirectUri).catch(() => {});
  }

  async #expire(state: string): Promise<void> {
    const flow = this.#flows.get(state);
    this.#fail(state, 'the browser did not come back in time');
    if (flow) await this.#forgetClient(flow);
  }

  #fail(state: string, reason: string): void {
    const flow = this.#flows.get(state);
    if (!flow) return;
    flow.end();
    flow.settle.reject(new LoginFailedError(flow.request.target.server, reason));
  }
}

async function untilClosed(
  settled: Promise<void>,
  loopback: LoopbackRedirect | undefined,
): Promise<void> {
  try {
    await settled;
  } finally {
    await loopback?.close();
  }
}

function startUrl(base: string, state: string): string {
  return `${base}${startPath}?${new URLSearchParams({ state }).toString()}`;
}

/** The same for a state that was used, has expired or never was, and for another browser. */
const unknownPage: Page = {
  status: 400,
  title: 'Not logged in',
  text: 'This login is not known: it was used already, it has expired, or it was begun in another browser. Begin it again.',
};

function readClient(text: string | undefined): LoginClient | undefined {
  const client: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isRecord(client)) return undefined;
  const { id, secret, method } = client;
  return {
    id: String(id),
    ...(typeof secret === 'string' && { secret: new Secret(secret) }),
    method: String(method),
  };
}
