import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { ModelCall } from '../src/contract/model/index.ts';
import { Secret } from '../src/kernel/index.ts';
import {
  createConfiguredModel,
  createModels,
  defaultModelLimits,
  type ModelEntry,
} from '../src/models/index.ts';
import { aPlan, planShape, shortLimits } from './support/models/behaviour.ts';

const vendors: readonly ModelEntry['kind'][] = ['openai', 'anthropic', 'ollama', 'llama-server'];
const limits = { ...defaultModelLimits, ...shortLimits, callMs: 5_000, idleMs: 2_000 };

/** A server that speaks the protocols of the vendors, with answers that were set before. */
let mock: LLMock;

beforeAll(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', latency: 0, chunkSize: 4, logLevel: 'silent' });
  mock.onMessage(/say hello/i, { content: 'Hello there, how are you?' });
  mock.onMessage(/think first/i, { content: 'Done.', reasoning: 'Let me see what there is.' });
  mock.onMessage(/make a plan/i, { content: JSON.stringify(aPlan) });
  mock.onMessage(/wrap a plan/i, {
    content: `Sure:\n\`\`\`json\n${JSON.stringify(aPlan)}\n\`\`\``,
  });
  mock.onMessage(/be slow down/i, {
    error: { message: 'slow down', type: 'rate_limit_error' },
    status: 429,
    retryAfter: 0,
  });
  mock.onMessage(/have no key/i, {
    error: { message: 'invalid x-api-key', type: 'authentication_error' },
    status: 401,
  });
  mock.onMessage(
    /break off/i,
    { content: 'This answer is going to break off.' },
    { truncateAfterChunks: 3, latency: 5 },
  );
  await mock.start();
});

afterAll(() => mock.stop());

const asking = (content: string) => ({
  messages: [
    { role: 'system' as const, content: 'Be kind.' },
    { role: 'user' as const, content },
  ],
  maxOutputTokens: 200,
});

describe.each(vendors)('a model of the kind %s', (kind) => {
  const ask = (call: Partial<ModelCall> = {}) => {
    const key = new Secret('sk-test');
    const entry = { name: 'it', kind, url: mock.url, model: 'test-model', key };
    const models = createModels({ configured: [createConfiguredModel(entry, limits)], limits });
    const full = { caller: localCaller, signal: new AbortController().signal, ...call };
    return {
      text: (content: string) => models.text('agent', asking(content), full),
      plan: (content: string) =>
        models.structured('agent', { ...asking(content), name: 'plan', schema: planShape }, full),
    };
  };

  it('answers in pieces that make up the whole', async () => {
    const pieces: string[] = [];
    const answer = await ask({ onText: (piece) => pieces.push(piece) }).text('Say hello');
    expect(answer).toMatchObject({ text: 'Hello there, how are you?', finish: 'stop' });
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe(answer.text);
  });

  it('counts its tokens', async () => {
    const { usage } = await ask().text('Say hello');
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it('keeps what it thinks out of the answer', async () => {
    expect(await ask().text('Think first')).toMatchObject({ text: 'Done.' });
  });

  it('gives a value of the shape it is asked for', async () => {
    expect(await ask().plan('Make a plan')).toMatchObject({ value: aPlan, attempts: 1 });
    expect(await ask().plan('Wrap a plan')).toMatchObject({ value: aPlan });
  });

  it('reports a limit, a refused key and an answer that breaks off by their codes', async () => {
    await expect(ask().text('Be slow down')).rejects.toMatchObject({ code: 'models.rate_limited' });
    await expect(ask().text('Have no key')).rejects.toMatchObject({ code: 'models.refused_key' });
    await expect(ask().text('Break off')).rejects.toMatchObject({ code: 'models.cut_off' });
  });

  it('names the schema in the request', async () => {
    mock.clearRequests();
    await ask().plan('Make a plan');
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('steps');
  });
});
