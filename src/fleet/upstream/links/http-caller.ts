import {
  Agent,
  request,
  validateHeaderName,
  validateHeaderValue,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { CallAbort } from '../../../contract/server/index.ts';
import { lookupTable, SignalAbort, type AppError } from '../../../kernel/index.ts';
import {
  BadAnswerError,
  ExchangeBrokenError,
  InvalidEndpointError,
  RedirectRefusedError,
  UnreachableError,
} from '../../errors.ts';
import type { HttpLinkLimits } from './http-limits.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** The same without creating a signal. */
  readonly abort?: CallAbort;
  readonly headLimitMs?: number | undefined;
  /** Redirects are not followed: the request may have been executed before the redirect. */
  readonly isSentOnce?: boolean;
}

/** Authorizes requests to a server behind a login. */
export interface RequestAuthorizer {
  /** The value of the `Authorization` header for the next request; undefined for none. */
  header(): Promise<string | undefined>;
  /** After a 401 or 403, which means that the request was not executed. Throws when the user has to log in. */
  mayRetry(refused: RefusedRequest): Promise<boolean>;
  /** Hides the token in text of the server. */
  redact(text: string): string;
}

export interface RefusedRequest {
  readonly status: number;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
  /** The `Authorization` header that was sent. */
  readonly sent: string | undefined;
  /** 0 for the first one. */
  readonly attempt: number;
}

type SendRequest = typeof request;

const movedSameMethod = [307, 308];
/** How often a refused request is sent again with another token. */
const maxAuthorizationRetries = 2;

/** Sends HTTP requests to one server over keep-alive connections. */
export class HttpCaller {
  readonly #server: string;
  readonly #limits: HttpLinkLimits;
  readonly #agent: Agent;
  readonly #send: SendRequest;
  readonly #connectEvent: 'connect' | 'secureConnect';
  readonly #authorizer: RequestAuthorizer | undefined;
  readonly #endpoints = new WeakMap<URL, Endpoint>();
  /** Caches redirect targets: later requests go there directly. */
  readonly #moved = new WeakMap<URL, URL>();

  static async open(
    { name, authorizer }: CallerOptions,
    url: URL,
    limits: HttpLinkLimits,
  ): Promise<HttpCaller> {
    const secure = url.protocol === 'https:' ? await import('node:https') : undefined;
    return new HttpCaller({ name, authorizer, limits, secure });
  }

  private constructor({ name, authorizer, limits, secure }: CallerParts) {
    this.#server = name;
    this.#limits = limits;
    this.#authorizer = authorizer;
    const OneAgent = secure?.Agent ?? Agent;
    this.#agent = new OneAgent({ keepAlive: true, maxSockets: limits.maxSockets });
    this.#send = secure?.request ?? request;
    this.#connectEvent = secure ? 'secureConnect' : 'connect';
  }

  /** The same with the token of a login, where there is one; refused requests are repeated with a new one. */
  async call(call: HttpCall): Promise<IncomingMessage> {
    const authorizer = this.#authorizer;
    if (!authorizer) return this.#callUnauthorized(call);
    for (let attempt = 0; ; attempt += 1) {
      const sent = await authorizer.header();
      const headers = sent === undefined ? call.headers : { ...call.headers, authorization: sent };
      const response = await this.#callUnauthorized({ ...call, headers });
      const { statusCode: status = 0 } = response;
      if (status !== 401 && status !== 403) return response;
      const challenge = response.headers['www-authenticate'];
      const refused = { status, challenge, sent, attempt };
      let mayRetry = false;
      try {
        mayRetry = attempt < maxAuthorizationRetries && (await authorizer.mayRetry(refused));
      } catch (error) {
        response.destroy();
        throw error;
      }
      if (!mayRetry) return response;
      response.destroy();
    }
  }

  /**
   * The response, whatever its status. Redirects within the origin are followed, others refused, because the
   * request may carry credentials. Rejects with an `AppError` or the signal's reason.
   */
  async #callUnauthorized(call: HttpCall): Promise<IncomingMessage> {
    let url = this.#moved.get(call.url) ?? call.url;
    for (let hop = 0; ; hop += 1) {
      const response = await this.#callOnce(url === call.url ? call : { ...call, url });
      const status = response.statusCode ?? 0;
      if (status < 300 || status >= 400 || status === 304) {
        if (url !== call.url && status < 300) this.#moved.set(call.url, url);
        if (status === 404 || status === 410) this.#moved.delete(call.url);
        return response;
      }
      response.destroy();
      const target = URL.parse(response.headers.location ?? '', url.href);
      const mayFollow =
        call.isSentOnce !== true &&
        movedSameMethod.includes(status) &&
        hop < this.#limits.maxRedirects;
      if (!mayFollow || target?.origin !== url.origin) {
        throw new RedirectRefusedError(this.#server, status, target);
      }
      url = target;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Cached: parsing a url costs as much as sending a small request, and it rarely changes. */
  #endpointOf(url: URL): Endpoint {
    let endpoint = this.#endpoints.get(url);
    if (!endpoint) {
      const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
      const basic = auth ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined;
      endpoint = {
        options: { protocol, hostname, port, path, agent: this.#agent },
        host: url.host,
        basic,
      };
      this.#endpoints.set(url, endpoint);
    }
    return endpoint;
  }

  #callOnce(call: HttpCall): Promise<IncomingMessage> {
    const { method, url, body, signal, headLimitMs } = call;
    const abort = call.abort ?? (signal && new SignalAbort(signal));
    // Rejects with the signal's own reason.
    if (abort?.isAborted) return Promise.reject(abort.reason);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const endpoint = this.#endpointOf(url);
      const sent = this.#send({ ...endpoint.options, method, headers: headerList(call, endpoint) });
      const onAbort = (): void => {
        sent.destroy();
        reject(abort?.reason);
      };
      abort?.watch(onAbort);
      const { connectLimitMs } = this.#limits;
      const connectEvent = this.#connectEvent;
      const timers = limitTimes(sent, { connectEvent, connectLimitMs, headLimitMs });
      sent.on('response', (response) => {
        timers.stop();
        response.on('close', () => abort?.unwatch(onAbort));
        resolve(response);
      });
      sent.on('error', (error) => {
        timers.stop();
        abort?.unwatch(onAbort);
        reject(explainFailure(this.#server, url, { error, wasConnected: timers.wasConnected() }));
      });
      sent.end(body);
    });
  }
}

export interface CallerOptions {
  /** The server's name, for errors. */
  readonly name: string;
  readonly authorizer?: RequestAuthorizer | undefined;
}

interface CallerParts extends CallerOptions {
  readonly limits: HttpLinkLimits;
  readonly secure: { readonly Agent: typeof Agent; readonly request: SendRequest } | undefined;
}

interface Endpoint {
  readonly options: RequestOptions;
  readonly host: string;
  /** The Authorization header for credentials in the url. */
  readonly basic: string | undefined;
}

/**
 * Node writes a raw header list as it is; setting headers one by one costs as much as the rest of the request.
 * A raw list must be complete, so it includes the headers Node adds otherwise.
 */
function headerList({ headers, body }: HttpCall, { host, basic }: Endpoint): string[] {
  const list = ['host', host];
  for (const name in headers) list.push(name, headers[name] ?? '');
  if (basic !== undefined && headers['authorization'] === undefined) {
    list.push('authorization', basic);
  }
  if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)));
  return list;
}

interface TimeLimits {
  readonly connectEvent: 'connect' | 'secureConnect';
  readonly connectLimitMs: number;
  readonly headLimitMs: number | undefined;
}

/** Destroys a request that does not connect, or whose response does not start, in time. */
function limitTimes(sent: ClientRequest, limits: TimeLimits) {
  const { connectEvent, connectLimitMs, headLimitMs } = limits;
  let wasConnected = false;
  let connecting: NodeJS.Timeout | undefined;
  const fail = (code: string): void => {
    sent.destroy(Object.assign(new Error(code), { code }));
  };
  const waiting =
    headLimitMs === undefined ? undefined : setTimeout(fail, headLimitMs, 'HEAD_TIMEOUT');
  sent.on('socket', (socket) => {
    wasConnected = !socket.connecting;
    if (wasConnected) return;
    connecting = setTimeout(fail, connectLimitMs, 'CONNECT_TIMEOUT');
    socket.once(connectEvent, () => {
      wasConnected = true;
      clearTimeout(connecting);
    });
  });
  return {
    wasConnected: () => wasConnected,
    stop: () => {
      if (waiting) clearTimeout(waiting);
      if (connecting) clearTimeout(connecting);
    },
  };
}

interface RequestFailure {
  readonly error: NodeJS.ErrnoException;
  /** Whether the request may have reached the server. */
  readonly wasConnected: boolean;
}

/** User-facing explanations of connection errors, by error code. */
const reasons: Readonly<Record<string, string>> = lookupTable({
  ECONNREFUSED: 'the connection was refused. Check that the server is running, and its port',
  ENOTFOUND: 'its host name is unknown. Check the url and the network',
  EAI_AGAIN: 'its host name could not be resolved. Check the network',
  EHOSTUNREACH: 'there is no route to its host. Check the url and the network',
  ENETUNREACH: 'there is no route to its network. Check the network',
  ETIMEDOUT: 'the connection timed out. Check the url and the network',
  CONNECT_TIMEOUT: 'the connection timed out. Check the url and the network',
  EPROTO: 'it does not speak TLS as expected. Check whether the url should begin with http:',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'it does not speak TLS. Check whether the url should begin with http:',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'it does not speak TLS. Check whether the url should begin with http:',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host. Check the url',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned(),
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned(),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: selfSigned(),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: selfSigned(),
});

function selfSigned(): string {
  return 'its certificate is not trusted. Add its certificate authority to NODE_EXTRA_CA_CERTS';
}

/** Why a request got no response, as an error that says whether it may have been executed. */
function explainFailure(server: string, url: URL, failure: RequestFailure): AppError {
  const { error, wasConnected } = failure;
  const code = error.code ?? 'unknown';
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new BadAnswerError(server, 'the response headers are too large');
  }
  if (code.startsWith('HPE_')) return new BadAnswerError(server, 'it is not HTTP');
  const reason = reasons[code];
  if (!wasConnected) {
    return new UnreachableError(server, url.origin, reason ?? `the connection failed (${code})`);
  }
  if (code === 'HEAD_TIMEOUT') return new ExchangeBrokenError(server, 'it did not respond in time');
  return new ExchangeBrokenError(server, `the connection broke (${code})`);
}

export function checkedUrl(server: string, text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidEndpointError(server, 'its url must begin with http: or https:');
}

/** With lower-case names, so that later headers replace them. Values are never shown in errors. */
export function checkedHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new InvalidEndpointError(
        server,
        `its header ${JSON.stringify(name)} contains characters that HTTP does not allow`,
      );
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
