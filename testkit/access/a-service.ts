import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSystem, type System } from '../../src/compose/index.ts';
import type { NewApiKey } from '../../src/contract/access/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import { statelessMeta, type Json } from '../gateway/stdio-peer.ts';
import { anUpstream, type AnUpstream } from './an-upstream.ts';

/** One answer: the HTTP status and the JSON of it, or of the last event of its stream. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Members of a result that tests look at. */
  readonly result: {
    readonly isError?: boolean;
    readonly structuredContent?: Json;
    readonly tools?: readonly { readonly name: string }[];
  };
  /** Our code of an error or of a failed tool; empty for what succeeded. */
  readonly errorCode: string;
}

export type Era = '2025-11-25' | '2026-07-28';

/** `tutti serve` in this process, with the servers `alpha` and `beta` behind it. */
export interface AService {
  readonly system: System;
  readonly url: string;
  readonly home: string;
  readonly folder: string;
  readonly alpha: AnUpstream;
  readonly beta: AnUpstream;
  readonly ownToken: string;
  /** The secret of a new key. */
  key(wanted: NewApiKey): Promise<string>;
  /** A client with this token, or none. */
  client(token: string | undefined): AClient;
  /** All that was logged. */
  logged(): string;
  close(): Promise<void>;
}

export async function aService(settings: Json = {}): Promise<AService> {
  const [alpha, beta] = [await anUpstream('alpha'), await anUpstream('beta')];
  const folder = mkdtempSync(join(tmpdir(), 'tutti-service-'));
  const home = join(folder, 'home');
  mkdirSync(join(folder, 'tutti'));
  const mcpServers = {
    alpha: { url: alpha.url, trustAnnotations: true },
    beta: { url: beta.url, trustAnnotations: true },
  };
  const file = { mcpServers, ...settings };
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify(file));
  const system = await openSystem({
    flags: { home, 'server.port': 0, 'logging.level': 'debug' },
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, HOME: folder },
    cwd: folder,
  });
  const listener = await system.serveHttp();
  const { url } = listener;
  await system.catalogue.listTools();
  return {
    system,
    url,
    home,
    folder,
    alpha,
    beta,
    ownToken: readFileSync(join(home, 'serve-token'), 'utf8').trim(),
    key: async (wanted) => (await system.keys.create(localCaller, wanted)).secret,
    client: (token) => new AClient(url, token),
    logged: () =>
      (existsSync(join(home, 'logs')) ? readdirSync(join(home, 'logs')) : [])
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFileSync(join(home, 'logs', name), 'utf8'))
        .join('\n'),
    close: async () => {
      await listener.close();
      await system.close();
      alpha.close();
      beta.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const accept = 'application/json, text/event-stream';

/** Says anything to `/mcp` in either era. */
export class AClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #session: Promise<string> | undefined;
  #lastId = 0;

  constructor(url: string, token: string | undefined) {
    this.#url = url;
    this.#headers = {
      accept,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  ask(era: Era, method: string, params: Json = {}): Promise<Answer> {
    return era === '2026-07-28' ? this.stateless(method, params) : this.inSession(method, params);
  }

  stateless(method: string, params: Json = {}): Promise<Answer> {
    const name = params['name'] ?? params['uri'];
    return this.post(
      { jsonrpc: '2.0', id: 1, method, params: { _meta: statelessMeta, ...params } },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      },
    );
  }

  async inSession(method: string, params: Json = {}): Promise<Answer> {
    const session = await this.session();
    // Ids are unique in a session; other clients use the same ones.
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params }, sessionHeaders(session));
    return { ...answer, text: answer.text.replaceAll(`"id":${id},`, '"id":1,') };
  }

  /** The id of its session; opened once. */
  session(): Promise<string> {
    this.#session ??= this.#open();
    return this.#session;
  }

  async #open(): Promise<string> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const answer = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    return answer.headers.get('mcp-session-id') ?? 'none';
  }

  async post(body: Json, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(`${this.#url}/mcp`, {
      method: 'POST',
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    const { result = {}, error } = Object(lastJson(text));
    const code = error?.data?.code ?? error?.code ?? result['_meta']?.['tutti/error']?.code;
    const errorCode = String(code ?? '');
    return { status, headers: answered, text, result, errorCode };
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string>) };
    return fetch(`${this.#url}${path}`, { ...init, headers });
  }
}

export function sessionHeaders(session: string): Readonly<Record<string, string>> {
  return { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
}

function lastJson(text: string): Json {
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  const last = events.at(-1)?.slice('data: '.length) ?? text;
  try {
    return JSON.parse(last);
  } catch {
    return {};
  }
}
