import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clusterApi, type ClusterApi } from '../../../src/sandbox/kubernetes/cluster-api.ts';

/** How the one pod of a job fares on this server. */
export interface PodStory {
  /** Pieces of the program's log, in the order in which they are sent. */
  readonly log?: readonly (string | Buffer)[];
  /** Keeps the log open until the job is removed. */
  readonly neverEnds?: boolean;
  /** `terminated` of the program's container. */
  readonly terminated?: object;
  /** What the pod says of itself at the end. */
  readonly podStatus?: object;
  /** The program's container waits with this for ever. */
  readonly waiting?: object;
  readonly collectorLog?: string;
  /** What is there already. */
  readonly jobs?: readonly object[];
  readonly secrets?: readonly object[];
  /** Answers every request with this. */
  readonly refusal?: { readonly status: number; readonly message: string };
}

export interface AnApiServer {
  readonly url: string;
  readonly api: ClusterApi;
  /** What was created, by kind and in order. */
  readonly created: Record<string, unknown>[];
  readonly removed: string[];
  readonly requests: string[];
  close(): Promise<void>;
}

/** A small API server on a real socket: keeps what is created, tells one story about its pod. */
export async function anApiServer(story: PodStory = {}): Promise<AnApiServer> {
  const state: ServerState = { story, created: [], removed: [], requests: [], open: new Set() };
  const server = createServer((request, response) => void answer(request, response, state));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const access = { server: url, namespace: 'work', token: 'secret', skipsVerification: false };
  return {
    ...state,
    url,
    api: clusterApi(access),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface ServerState {
  readonly story: PodStory;
  readonly created: Record<string, unknown>[];
  readonly removed: string[];
  readonly requests: string[];
  readonly open: Set<ServerResponse>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  const { method = '', url = '' } = request;
  state.requests.push(`${method} ${url} ${request.headers.authorization ?? ''}`.trim());
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const { refusal } = state.story;
  if (refusal) return send(response, refusal.status, { message: refusal.message });
  const path = url.split('?')[0] ?? '';
  if (method === 'POST') {
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(pieces).toString());
    const isKnown = state.created.some(
      (known) => known['kind'] === body['kind'] && known['kind'] === 'NetworkPolicy',
    );
    if (isKnown) return send(response, 409, { message: 'already exists' });
    state.created.push(body);
    return send(response, 201, body);
  }
  if (method === 'DELETE') {
    state.removed.push(path);
    for (const log of state.open) log.end();
    return send(response, 200, {});
  }
  if (path === '/version') return send(response, 200, { gitVersion: 'v1.34.0' });
  if (path.endsWith('/log')) return sendLog(url, response, state);
  const { jobs = [], secrets = [] } = state.story;
  if (path.endsWith('/jobs')) return send(response, 200, { items: jobs });
  if (path.endsWith('/secrets')) return send(response, 200, { items: secrets });
  if (path.endsWith('/pods')) return send(response, 200, { items: [podOf(state)] });
  return send(response, 404, { message: `no ${path}` });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendLog(url: string, response: ServerResponse, { story, open }: ServerState): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
  if (url.includes('container=collector')) return void response.end(story.collectorLog ?? '');
  const pieces = [...(story.log ?? ['tutti-ready\n'])];
  const next = (): void => {
    const piece = pieces.shift();
    if (piece !== undefined) response.write(piece, () => setImmediate(next));
    else if (story.neverEnds) open.add(response);
    else response.end();
  };
  next();
}

function podOf({ story, removed }: ServerState): object {
  const isOver = !story.neverEnds || removed.length > 0;
  const terminated = story.terminated ?? { exitCode: 0, reason: 'Completed', message: '0 1048576' };
  const state = story.waiting
    ? { waiting: story.waiting }
    : isOver
      ? { terminated }
      : { running: { startedAt: new Date().toISOString() } };
  return {
    metadata: { name: 'the-pod' },
    status: {
      phase: isOver && !story.waiting ? 'Succeeded' : 'Pending',
      initContainerStatuses: [{ name: 'program', state }],
      containerStatuses: [
        { name: 'collector', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      ],
      ...story.podStatus,
    },
  };
}
