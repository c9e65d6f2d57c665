import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../src/kernel/index.ts';
import { createConfiguredModel, defaultModelLimits, type ModelEntry } from '../src/models/index.ts';
import {
  answers,
  event,
  hangs,
  sends,
  startWireServer,
  streams,
  type Serve,
} from './support/models/wire-server.ts';

const { signal } = new AbortController();
const request = { messages: [{ role: 'user' as const, content: 'Say hello' }] };

async function aModel(serve: Serve, entry: Partial<ModelEntry> & { path?: string } = {}) {
  const server = await startWireServer(serve);
  onTestFinished(() => server.close());
  const { path = '', ...more } = entry;
  const url = `${server.url}${path}`;
  const model = createConfiguredModel(
    { name: 'it', kind: 'openai', url, ...more },
    defaultModelLimits,
  );
  return { model, server };
}

const lists = (...ids: readonly string[]): Serve => sends(200, { data: ids.map((id) => ({ id })) });

describe('whether a model is there', () => {
  it.each<[string, ModelEntry['kind'], Serve, RegExp | null]>([
    ['it is listed', 'openai', lists('other', 'm'), null],
    ['it is listed with the tag that Ollama adds', 'ollama', lists('m:latest'), null],
    ['it is not listed', 'openai', lists('a', 'b'), /no model "m"; it has a, b/],
    ['nothing is listed', 'ollama', lists(), /no model "m"/],
    ['there is no list', 'llama-server', sends(404, ''), null],
    ['the list is something else', 'openai', sends(200, { models: [] }), null],
    ['the list is no JSON', 'openai', sends(200, 'ok'), null],
    ['the key is refused', 'openai', sends(401, ''), /key/],
    ['the server fails', 'openai', sends(500, ''), /500/],
    ['Anthropic lists it', 'anthropic', lists('m'), null],
    ['Anthropic refuses the key', 'anthropic', sends(401, ''), /key/],
    ['a chat endpoint answers anything', 'chat', sends(404, ''), null],
    ['a chat endpoint refuses the key', 'chat', sends(403, ''), /key/],
    ['a chat endpoint answers', 'chat', sends(200, 'ok'), null],
  ])('is told: %s', async (_name, kind, serve, problem) => {
    const { model } = await aModel(serve, { kind, model: 'm' });
    const probed = await model.probe(signal);
    if (problem === null) expect(probed.problem).toBeNull();
    else expect(probed.problem).toMatch(problem);
  });

  it('is asked with the key, also of a chat endpoint', async () => {
    const { model } = await aModel(
      (exchange) =>
        sends(exchange.request.headers.authorization === 'Bearer k' ? 200 : 401, '')(exchange),
      { kind: 'chat', key: new Secret('k') },
    );
    expect(await model.probe(signal)).toEqual({ problem: null });
  });

  it.each(['openai', 'chat'] as const)('is told where nothing listens: %s', async (kind) => {
    const model = createConfiguredModel(
      { name: 'it', kind, url: 'http://127.0.0.1:59', model: 'm' },
      defaultModelLimits,
    );
    expect((await model.probe(signal)).problem).toMatch(/nothing listens/);
    await model.close();
  });

  it('ends when it is cancelled', async () => {
    const { model } = await aModel(hangs, { model: 'm' });
    const reason = new Error('enough');
    await expect(model.probe(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a model that the settings do not name', () => {
  it('is the first one that the server lists', async () => {
    const { model, server } = await aModel((exchange) =>
      (exchange.request.method === 'GET' ? lists('first', 'second') : answers('Hello'))(exchange),
    );
    await model.ask(request, { signal });
    await model.ask(request, { signal });
    expect(server.exchanges.map(({ body }) => body['model'])).toEqual([
      undefined,
      'first',
      'first',
    ]);
    expect(model).toMatchObject({ name: 'it', model: null });
  });

  it('is one that writes, where the server lists others before it', async () => {
    const { model, server } = await aModel((exchange) =>
      (exchange.request.method === 'GET' ? lists('nomic-embed-text', 'qwen') : answers('Hello'))(
        exchange,
      ),
    );
    await model.ask(request, { signal });
    expect(server.exchanges.at(-1)?.body['model']).toBe('qwen');
  });

  it('is another one when that is gone', async () => {
    let there = 'first';
    const { model, server } = await aModel((exchange) => {
      if (exchange.request.method === 'GET') return lists(there)(exchange);
      return (exchange.body['model'] === there ? answers('Hello') : sends(404, ''))(exchange);
    });
    await model.ask(request, { signal });
    there = 'second';
    await expect(model.ask(request, { signal })).rejects.toMatchObject({
      code: 'models.not_found',
    });
    await model.ask(request, { signal });
    expect(server.exchanges.at(-1)?.body['model']).toBe('second');
  });

  it('is a certain one of each vendor', () => {
    const named = (entry: Pick<ModelEntry, 'kind' | 'url'>) =>
      createConfiguredModel({ name: 'it', ...entry }, defaultModelLimits).name;
    const url = 'https://models.example.org';
    expect(named({ kind: 'openai' })).toMatch(/^it\/gpt/);
    expect(named({ kind: 'openai', url })).toBe('it');
    expect(named({ kind: 'anthropic' })).toMatch(/^it\/claude/);
    expect(named({ kind: 'anthropic', url })).toBe(named({ kind: 'anthropic' }));
  });

  it('is left to a server without a list', async () => {
    const { model, server } = await aModel((exchange) =>
      (exchange.request.method === 'GET' ? sends(404, '') : answers('Hello'))(exchange),
    );
    await model.ask(request, { signal });
    expect(server.exchanges[1]?.body['model']).toBe('default');
  });

  it('is missing where the server has none', async () => {
    const { model } = await aModel(lists());
    await expect(model.ask(request, { signal })).rejects.toMatchObject({
      code: 'models.not_found',
    });
  });
});

describe('the address of a model', () => {
  it.each([
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/api/openai/v1', '/api/openai/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/deploy/x?api-version=1', '/deploy/x/chat/completions?api-version=1'],
  ])('may be written as %j', async (path, asked) => {
    const { model, server } = await aModel(answers('Hello'), { path, model: 'm' });
    await model.ask(request, { signal });
    expect(server.exchanges[0]?.request.url).toBe(asked);
  });

  it('is tried with /chat for a chat endpoint, and what answered is kept', async () => {
    const { model, server } = await aModel(
      (exchange) =>
        (exchange.request.url === '/x?k=1' ? sends(200, { text: 'Hi' }) : sends(404, ''))(exchange),
      { kind: 'chat', path: '/x?k=1' },
    );
    await model.ask(request, { signal });
    await model.ask(request, { signal });
    expect(server.exchanges.map(({ request: sent }) => sent.url)).toEqual([
      '/x/chat?k=1',
      '/x?k=1',
      '/x?k=1',
    ]);
  });

  it.each(['openai', 'chat'] as const)(
    'may hold a name and a password, which go along and are in no error: %s',
    async (kind) => {
      const server = await startWireServer(sends(400, { error: { message: 'no' } }));
      onTestFinished(() => server.close());
      const url = `${server.url.replace('//', '//me:pass%20word@')}/chat`;
      const model = createConfiguredModel(
        { name: 'it', kind, url, model: 'm' },
        defaultModelLimits,
      );
      const asking = model.ask(request, { signal });
      await expect(asking).rejects.toMatchObject({ code: 'models.refused_request' });
      await expect(asking).rejects.not.toThrow(/pass/);
      const sent = server.exchanges[0]?.request.headers.authorization;
      expect(sent).toBe(`Basic ${Buffer.from('me:pass word').toString('base64')}`);
    },
  );

  it('has a usual value for every kind', () => {
    const kinds = ['openai', 'anthropic', 'ollama', 'llama-server', 'chat'] as const;
    const urls = kinds.map(
      (kind) => createConfiguredModel({ name: 'it', kind }, defaultModelLimits).url,
    );
    expect(urls.every((url) => url !== null && URL.canParse(url))).toBe(true);
  });
});

describe('what is sent', () => {
  it('to a chat endpoint is what its contract says', async () => {
    const { model, server } = await aModel(sends(200, { response: 'Hi' }), {
      kind: 'chat',
      key: new Secret('k'),
      model: 'm',
    });
    await model.ask(
      { ...request, maxOutputTokens: 5, temperature: 0.2, stopSequences: ['.'] },
      { signal },
    );
    const [sent] = server.exchanges;
    expect(sent?.body).toEqual({
      ...request,
      model: 'm',
      max_tokens: 5,
      temperature: 0.2,
      stop: ['.'],
    });
    expect(sent?.request.headers.authorization).toBe('Bearer k');
  });

  it('once refused is not offered again', async () => {
    const { model, server } = await aModel(
      (exchange) =>
        ('response_format' in exchange.body
          ? sends(400, { error: { message: 'json_schema is not supported' } })
          : answers('{}'))(exchange),
      { model: 'm' },
    );
    const json = { name: 'x', schema: { type: 'object' as const } };
    await model.ask({ ...request, json }, { signal });
    await model.ask({ ...request, json }, { signal });
    expect(server.exchanges.map(({ body }) => 'response_format' in body)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('refused for what it says is offered in full the next time', async () => {
    const { model, server } = await aModel(
      (exchange) =>
        (JSON.stringify(exchange.body).includes('forbidden')
          ? sends(400, { error: { message: 'this content is not allowed' } })
          : answers('{}'))(exchange),
      { model: 'm' },
    );
    const json = { name: 'x', schema: { type: 'object' as const } };
    const messages = [{ role: 'user' as const, content: 'forbidden' }];
    await expect(model.ask({ messages, json }, { signal })).rejects.toThrow('not allowed');
    await model.ask({ ...request, json }, { signal });
    expect('response_format' in (server.exchanges.at(-1)?.body ?? {})).toBe(true);
  });

  it('to Anthropic goes without the schema where that is refused', async () => {
    const hello = [
      {
        type: 'message_start',
        message: {
          id: 'x',
          model: 'm',
          role: 'assistant',
          content: [],
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '{}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    const { model, server } = await aModel(
      (exchange) => {
        const hasSchema = 'tools' in exchange.body || 'output_config' in exchange.body;
        const refuse = sends(400, { error: { message: 'schema not supported' } });
        (hasSchema ? refuse : streams(hello.map(event), (response) => response.end()))(exchange);
      },
      { kind: 'anthropic', model: 'm', key: new Secret('k') },
    );
    const json = { name: 'x', schema: { type: 'object' as const } };
    expect(await model.ask({ ...request, json }, { signal })).toEqual({
      text: '{}',
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 2 },
    });
    await model.ask({ ...request, json }, { signal });
    expect(server.exchanges.length).toBe(3);
  });
});
