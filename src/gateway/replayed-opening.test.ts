import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { OpeningRequest } from '../contract/opening/index.ts';
import { StdioPeer } from '../../testkit/gateway/stdio-peer.ts';

const clientInfo = { name: 'test', version: '1' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
const listTools = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const toText = (messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** What the gateway itself answers to these messages, as lines. */
async function linesFor(messages: readonly object[]): Promise<ReadonlyMap<number, string>> {
  const peer = new StdioPeer();
  let text = '';
  peer.output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  for (const message of messages) peer.write(message);
  peer.input.end();
  await peer.gateway.closed;
  const lines = text.split('\n').slice(0, -1);
  return new Map(lines.map((line) => [(JSON.parse(line) as { id: number }).id, line]));
}

function aPeer(received: string, answered: ReadonlyMap<number, string>) {
  const told: [OpeningRequest, string | undefined][] = [];
  const opening = {
    received: Buffer.from(received),
    answered,
    onAnswer: (request: OpeningRequest, line: string | undefined) => told.push([request, line]),
  };
  const input = new PassThrough();
  const peer = new StdioPeer({ opening, input: input.pause() });
  return { peer, input, told };
}

it('answers nothing twice, and serves on as if it had answered itself', async () => {
  const answered = await linesFor([initialize, listTools]);
  const { peer, input, told } = aPeer(toText([initialize, listTools]), answered);
  input.write(toText([{ jsonrpc: '2.0', id: 3, method: 'ping' }]));
  expect(await peer.take()).toEqual({ jsonrpc: '2.0', id: 3, result: {} });
  // It is initialized: only then it hears of changes.
  peer.server.change({ kind: 'prompts' });
  expect(await peer.take()).toMatchObject({ method: 'notifications/prompts/list_changed' });
  expect(new Map(told.map(([{ id }, line]) => [id, line]))).toEqual(
    new Map([...answered, [3, '{"jsonrpc":"2.0","id":3,"result":{}}']]),
  );
});

it('says that a list changed when the client was given another one', async () => {
  const answered = new Map(await linesFor([initialize, listTools]));
  answered.set(2, '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}');
  const { peer } = aPeer(toText([initialize, listTools]), answered);
  expect(await peer.take()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
  });
});

it('goes on in the middle of a line', async () => {
  const answered = await linesFor([initialize]);
  const text = toText([initialize, listTools]);
  const { peer, input } = aPeer(text.slice(0, -20), answered);
  input.write(text.slice(-20));
  expect(await peer.take()).toMatchObject({ id: 2, result: { tools: expect.any(Array) } });
});

it('answers an id that is used again', async () => {
  const answered = await linesFor([initialize]);
  const { peer, input } = aPeer(toText([initialize]), answered);
  input.write(toText([{ jsonrpc: '2.0', id: 3, method: 'ping' }]));
  await peer.take();
  input.write(toText([{ ...listTools, id: 1 }]));
  expect(await peer.take()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
});

it('ends when the input ended before it was handed over', async () => {
  const input = new PassThrough();
  input.resume().end();
  await once(input, 'end');
  const opening = { received: new Uint8Array(), answered: new Map(), onAnswer: () => {} };
  const { gateway } = new StdioPeer({ opening, input });
  await expect(gateway.closed).resolves.toBeUndefined();
});

it('tells of the first answers only', async () => {
  const { peer, input, told } = aPeer('', new Map());
  for (let id = 1; id <= 20; id += 1) input.write(toText([{ jsonrpc: '2.0', id, method: 'ping' }]));
  await peer.take(({ id }) => id === 20);
  expect(told).toHaveLength(16);
});
