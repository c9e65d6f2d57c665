import { randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import type { LoginRequest, LoginStatus, LogoutReport } from '../../contract/fleet/index.ts';
import type { CallContext, ClientPort } from '../../contract/server/index.ts';
import { AppError, orAborted, Sealer, Secret, type Clock, type Log } from '../../kernel/index.ts';
import { answerBrowser, type BrowserAnswer, type BrowserRequest } from './answer-browser.ts';
import { refusalOf, withServerName } from '../upstream/client-capabilities.ts';
import type { RequestAuthorizer, RefusedRequest } from '../upstream/links/http-caller.ts';
import { LoginFailedError, LoginRequiredError } from './errors.ts';
import { fetchInZone, zoneOfHost, type CheckedFetch } from './fetch-in-zone.ts';
import { LoginFlows, type Flow } from './login-flows.ts';
import type { LoginStore } from './login-store.ts';
import { readChallenge } from './read-challenge.ts';
import { TokenKeeper, type LoginTarget } from './token-keeper.ts';

export interface LoginsOptions {
  readonly store: LoginStore;
  readonly fetch: CheckedFetch;
  /** Secrets from which the keys for stored tokens are derived, the current one first; called on first use. */
  readonly secrets: () => readonly [Secret, ...Secret[]];
  /** URL of our client id metadata document. */
  readonly metadataUrl?: string | undefined;
  /** Where browsers reach our HTTP listener; undefined when there is none. */
  readonly callbackBase: () => string | undefined;
  /** How long a user has to log in. */
  readonly limitMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const sealingPurpose = 'tutti login tokens';
const logoutLimitMs = 15_000;
const maxKnownNeeds = 10_000;

/** Logins of callers to remote servers. */
export class Logins {
  readonly #flows: LoginFlows;
  readonly #tokens: TokenKeeper;
  readonly #callbackBase: () => string | undefined;
  /** One login per caller and server at a time; calls that need it wait for it. */
  readonly #running = new Map<string, Promise<void>>();
  /** Servers that asked for a login, by caller and server. */
  readonly #needs = new Set<string>();

  constructor(options: LoginsOptions) {
    const fetchFor = async (server: string) => {
      const zone = await zoneOfHost(new URL(server));
      return fetchInZone(options.fetch, { zone });
    };
    this.#callbackBase = options.callbackBase;
    let opened: Sealer | undefined;
    const sealer = (): Sealer => (opened ??= new Sealer(options.secrets(), sealingPurpose));
    this.#tokens = new TokenKeeper({ ...options, fetchFor, sealer });
    this.#flows = new LoginFlows({ ...options, fetchFor, sealer, tokens: this.#tokens });
  }

  /** Adds the caller's token to requests to one server. */
  authorizer(caller: Caller, target: LoginTarget): RequestAuthorizer {
    const { server } = target;
    const tokens = this.#tokens;
    let latest: Secret | undefined;
    return {
      header: async () => {
        latest = await tokens.token(caller.id, target);
        return latest && `Bearer ${latest.reveal()}`;
      },
      mayRetry: async (refused) => {
        const required = requirementOf(server, refused);
        if (!required) return false;
        const isScope = required.challenge.error === 'insufficient_scope';
        const sent = refused.sent === undefined ? undefined : bearerOf(refused.sent);
        if (sent && !isScope && refused.attempt === 0) {
          if (await tokens.replace(caller.id, target, sent)) return true;
        }
        if (this.#needs.size >= maxKnownNeeds) this.#needs.clear();
        this.#needs.add(keyOf(caller, server));
        throw required;
      },
      redact: (text) => (latest ? text.replaceAll(latest.reveal(), '[hidden]') : text),
    };
  }

  /**
   * Logs the caller in through the client of its call: the client is asked to open a URL, and this resolves when
   * the browser has come back. Throws `required` when that client cannot be asked.
   */
  async obtain(
    context: CallContext,
    target: LoginTarget,
    required: LoginRequiredError,
  ): Promise<void> {
    const { client, caller, signal } = context;
    if (!client || target.login?.exchange || !canOpenUrls(client)) throw required;
    const key = keyOf(caller, target.server);
    for (;;) {
      const running = this.#running.get(key);
      if (!running) break;
      // Of several calls the first one asks. If that was cancelled, the next one does.
      const isOver = await orAborted(running, signal).then(
        () => true,
        (error: unknown) => {
          if (signal.aborted || error instanceof AppError) throw error;
          return false;
        },
      );
      if (isOver) return;
    }
    const login = this.#ask(context, client, { target, required });
    this.#running.set(key, login);
    try {
      await login;
    } finally {
      this.#running.delete(key);
    }
  }

  /** With a browser on this machine. */
  async login(target: LoginTarget, { caller, onUrl, signal }: LoginRequest): Promise<LoginStatus> {
    const { server, login } = target;
    if (login?.exchange) {
      throw new LoginFailedError(
        server,
        'its entry sets login.exchange, so tokens are obtained without a browser',
      );
    }
    const flow = await this.#flows.begin({ caller, target, challenge: {}, signal });
    try {
      onUrl(flow.url);
      await orAborted(flow.done, signal);
    } finally {
      flow.cancel();
    }
    this.#needs.delete(keyOf(caller, server));
    const status = await this.status(caller, target);
    if (!status) throw new LoginFailedError(server, 'the tokens were not stored');
    return status;
  }

  logout(server: string, caller: Caller): Promise<LogoutReport> {
    const signal = AbortSignal.timeout(logoutLimitMs);
    return this.#tokens.remove({ callerId: caller.id, server }, signal);
  }

  /** Null when, as far as is known, none is needed. */
  async status(caller: Caller, target: LoginTarget): Promise<LoginStatus | null> {
    const status = await this.#tokens.status(caller.id, target);
    if (status) return status;
    if (!this.#needs.has(keyOf(caller, target.server))) return null;
    return { state: 'needed', callerId: caller.id, ...noLogin };
  }

  /** A request of a browser to our HTTP listener. */
  answerBrowser(request: BrowserRequest): Promise<BrowserAnswer> {
    const isSecure = this.#callbackBase()?.startsWith('https:') === true;
    return answerBrowser(this.#flows, request, isSecure);
  }

  close(): void {
    this.#flows.close();
  }

  async #ask(
    context: CallContext,
    client: ClientPort,
    { target, required }: { readonly target: LoginTarget; readonly required: LoginRequiredError },
  ): Promise<void> {
    const { caller, signal } = context;
    const { server } = target;
    const callbackBase = this.#callbackBase();
    const { challenge } = required;
    const flow = await this.#flows.begin({ caller, target, challenge, callbackBase, signal });
    const elicitationId = randomUUID();
    // Some clients answer at once, others when the page was opened, and the browser may be faster than either.
    const asking = new AbortController();
    const ended = AbortSignal.any([signal, asking.signal]);
    try {
      const asked = client.ask(elicitation(server, flow, elicitationId), ended);
      const answer = asked.then(({ action }) => {
        if (action !== 'accept') throw new LoginRequiredError(server, 'the user declined');
      });
      answer.catch(() => {});
      await Promise.race([answer, flow.done]);
      const wait = orAborted(flow.done, signal);
      await (context.suspendLimit?.(wait) ?? wait);
      if (client.era === 'handshake') {
        client.notify('notifications/elicitation/complete', { elicitationId });
      }
      this.#needs.delete(keyOf(caller, server));
    } finally {
      asking.abort();
      flow.cancel();
    }
  }
}

const noLogin = {
  account: null,
  issuer: null,
  scopes: [],
  expiresAt: null,
  isRenewable: false,
} as const;

function keyOf({ id }: Caller, server: string): string {
  return JSON.stringify([id, server]);
}

function canOpenUrls(client: ClientPort): boolean {
  return refusalOf(client, 'elicitation/create', { mode: 'url' }) === undefined;
}

function elicitation(server: string, { url, host }: Flow, elicitationId: string) {
  const message = `log in at ${host} to go on. Open the page in a browser`;
  return withServerName(server, {
    method: 'elicitation/create',
    params: { mode: 'url', message, url, elicitationId },
  });
}

/** What a refusal means; undefined when it is not about a login. */
function requirementOf(server: string, refused: RefusedRequest): LoginRequiredError | undefined {
  const { status, challenge: header, sent } = refused;
  const challenge = readChallenge(header);
  if (status === 403) {
    if (challenge?.error !== 'insufficient_scope') return undefined;
    const scopes = challenge.scopes?.join(' ');
    const reason = scopes === undefined ? 'it asks for more consent' : `it asks for "${scopes}"`;
    return new LoginRequiredError(server, reason, challenge);
  }
  // Without a challenge it may as well want a header that the entry lacks.
  if (!challenge && sent === undefined) return undefined;
  const reason =
    sent === undefined ? 'it refused a request without a token' : 'it refused the token';
  return new LoginRequiredError(server, reason, challenge ?? {});
}

function bearerOf(header: string): Secret {
  return new Secret(header.replace(/^Bearer /, ''));
}
