import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  event,
  openAiChunk,
  openAiEnd,
  startWireServer,
  type Serve,
} from './support/models/wire-server.ts';
import { commands } from '../src/cli/command-table.ts';
import { aFolder, runTutti, serveTutti, startTutti } from './support/run-tutti.ts';

/**
 * What ships, once through: the bundles in `dist/` are made by other rules than the sources that unit tests run. Every model
 * provider, both faces, and every command up to its help.
 */
const timeout = 120_000;

const intent = {
  primary_goal: 'Greet the user',
  tools_needed: [],
  parameters: {},
  needs_clarification: false,
  unclear_aspects: [],
  confidence: 0.95,
  steps: [],
};

/** First the intent, then the answer. */
const textFor = (number: number): string =>
  number === 1 ? JSON.stringify(intent) : 'Greetings from the model.';

const openAi: Serve = ({ number, response }) => {
  response.setHeader('content-type', 'text/event-stream');
  response.end(`${openAiChunk(textFor(number))}${openAiEnd()}`);
};

const anthropic: Serve = ({ number, response }) => {
  const named = (type: string, data: object): string =>
    `event: ${type}\n${event({ type, ...data })}`;
  const usage = { input_tokens: 11, output_tokens: 7 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  const delta = { type: 'text_delta', text: textFor(number) };
  response.setHeader('content-type', 'text/event-stream');
  response.end(
    [
      named('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      named('content_block_delta', { index: 0, delta }),
      named('content_block_stop', { index: 0 }),
      named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
      named('message_stop', {}),
    ].join(''),
  );
};

const chat: Serve = ({ number, response }) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ response: textFor(number) }));
};

describe('every model provider', () => {
  it.each<[string, Serve, string]>([
    ['openai', openAi, '/v1'],
    ['ollama', openAi, ''],
    ['llama-server', openAi, ''],
    ['anthropic', anthropic, '/v1'],
    ['chat', chat, '/chat'],
  ])('%s answers `tutti ask`', { timeout }, async (kind, serve, path) => {
    const server = await startWireServer(serve);
    onTestFinished(() => server.close());
    const provider = { kind, url: `${server.url}${path}`, model: 'm', api_key: 'key' };
    const env = { TUTTI_MODELS_PROVIDERS: JSON.stringify({ it: provider }) };
    const ran = await runTutti(['ask', 'Hello there, model', '--json'], { cwd: aFolder(), env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'answer' });
    expect(ran.stdout).toContain('Greetings from the model.');
    expect(server.exchanges).toHaveLength(2);
  });

  it('gguf names the package it needs, or the file it lacks', { timeout }, async () => {
    const provider = { kind: 'gguf', path: '/nowhere/model.gguf' };
    const env = { TUTTI_MODELS_PROVIDERS: JSON.stringify({ it: provider }) };
    const ran = await runTutti(['models', '--json'], { cwd: aFolder(), env });
    expect(JSON.parse(ran.stdout)).toMatchObject([{ provider: 'gguf', isReachable: false }]);
    expect(ran.stdout).toMatch(/no file|node-llama-cpp/);
  });
});

const listed = z.object({
  result: z.object({ tools: z.array(z.looseObject({ name: z.string() })) }),
});
const clientInfo = { name: 'smoke', version: '1' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };

describe('both faces list the tools', () => {
  it('on standard input and output', { timeout }, async () => {
    const child = startTutti(['mcp'], { cwd: aFolder() });
    child.stderr.resume();
    for (const message of [
      initialize,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      list,
    ]) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    }
    for await (const line of createInterface(child.stdout)) {
      const response = JSON.parse(line) as { id?: number };
      if (response.id !== 2) continue;
      expect(listed.parse(response).result.tools.length).toBeGreaterThan(5);
      break;
    }
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('over HTTP', { timeout }, async () => {
    const { child, url, headers } = await serveTutti({ cwd: aFolder() });
    const post = async (message: object, session?: string): Promise<Response> =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify(message),
      });
    const opened = await post(initialize);
    await opened.text();
    const text = await (await post(list, opened.headers.get('mcp-session-id') ?? '')).text();
    const [, json = ''] = /(?:^|data: )(\{.*\})/m.exec(text) ?? [];
    expect(listed.parse(JSON.parse(json)).result.tools.length).toBeGreaterThan(5);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

it('every command prints its help', { timeout }, async () => {
  const cwd = aFolder();
  for (const { name, summary } of commands) {
    const { exitCode, stdout } = await runTutti(['help', name], { cwd });
    expect([exitCode, stdout.replaceAll(/\s+/g, ' ')], name).toEqual([
      0,
      expect.stringContaining(summary),
    ]);
  }
});
