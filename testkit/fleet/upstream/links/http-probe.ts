import { onTestFinished } from 'vitest';
import {
  openHttpLink,
  type HttpLink,
  type HttpLinkOptions,
} from '../../../../src/fleet/upstream/links/http-link.ts';
import type { HttpLinkLimits } from '../../../../src/fleet/upstream/links/http-limits.ts';
import { startHttpFixture, type HttpFixture, type SeenRequest } from './http-fixture.ts';
import { recordingListener, type Recording } from './recording-listener.ts';

const quick: Partial<HttpLinkLimits> = {
  firstReconnectDelayMs: 5,
  closeLimitMs: 300,
  lingerMs: 50,
};

export interface HttpProbe extends Recording {
  readonly link: HttpLink;
}

/** A link whose words are recorded; closed when the test ends. */
export async function connect(
  url: string,
  options: Partial<HttpLinkOptions> = {},
): Promise<HttpProbe> {
  const recording = recordingListener();
  const link = await openHttpLink(
    { name: 'probe', url, headers: {}, ...options, limits: { ...quick, ...options.limits } },
    recording.listener,
  );
  onTestFinished(async () => await link.close());
  return { ...recording, link };
}

/** A server, and a link to it; both are closed when the test ends. */
export async function serve(
  answer: (request: SeenRequest, rpc: { id?: number; method?: string }) => void,
  options: Partial<HttpLinkOptions> = {},
): Promise<HttpProbe & { readonly server: HttpFixture }> {
  const server = await startHttpFixture((request) => {
    answer(request, request.body === '' ? {} : (JSON.parse(request.body) as { id?: number }));
  });
  onTestFinished(async () => await server.close());
  return { ...(await connect(server.url, options)), server };
}

export const ask = (id: number, method = 'tools/call') => ({
  id,
  method,
  text: JSON.stringify({ jsonrpc: '2.0', id, method }),
});
export const notify = (method: string) => ({
  method,
  text: JSON.stringify({ jsonrpc: '2.0', method }),
});
export const answerTo = (id: number | undefined, result: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  result,
});
export const event = (value: unknown, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
export const progress = (step: number) => ({
  jsonrpc: '2.0',
  method: 'progress',
  params: { step },
});
