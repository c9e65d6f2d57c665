import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { localCaller } from '../../contract/caller/index.ts';
import type { ModelCall } from '../../contract/model/index.ts';
import { createModels as models } from '../create-models.ts';
import { aScriptedModel } from '../testing/scripted-model.ts';

const request = { messages: [{ role: 'user' as const, content: 'Say hello' }] };
const aCall = (more: Partial<ModelCall> = {}): ModelCall => ({
  caller: localCaller,
  signal: new AbortController().signal,
  ...more,
});

describe('a structured call', () => {
  const schema = z.object({ a: z.number() });
  const asking = { ...request, name: 'thing', schema };

  it('asks for the schema by the model’s own means and in words', async () => {
    const model = aScriptedModel('a/m', ['{"a": 1}']);
    const system = { role: 'system' as const, content: 'Be short.' };
    const messages = [system, ...request.messages];
    await models({ configured: [model] }).structured('code', { ...asking, messages }, aCall());
    const [sent] = model.requests;
    expect(sent?.json).toMatchObject({
      name: 'thing',
      schema: { type: 'object', required: ['a'] },
    });
    expect(sent?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(sent?.messages[0]?.content).toMatch(/^Be short\.\n\nAnswer with one JSON value/);
  });

  it('takes the schema that comes with the request', async () => {
    const model = aScriptedModel('a/m', ['{"a": 1}']);
    const jsonSchema = { type: 'object', title: 'mine' };
    await models({ configured: [model] }).structured('code', { ...asking, jsonSchema }, aCall());
    expect(model.requests[0]?.json?.schema).toEqual(jsonSchema);
  });

  it('gives the model its own answer and what is wrong with it, once', async () => {
    const model = aScriptedModel('a/m', ['{"a": "x"}', '{"a": 2}']);
    const prices = { 'a/m': { input: 1, output: 1 } };
    const given = await models({ configured: [model], prices }).structured('code', asking, aCall());
    expect(given).toMatchObject({ value: { a: 2 }, attempts: 2 });
    expect(given.usage.costUsd).toBeGreaterThan(0);
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: '{"a": "x"}' },
      { role: 'user', content: expect.stringMatching(/expected number/) },
    ]);
  });

  it('tells that what was shown is void when the model is asked again', async () => {
    const seen: string[] = [];
    const model = aScriptedModel('a/m', ['{"a": "x"}', '{"a": 2}']);
    const onText = (piece: string): void => void seen.push(piece);
    const onRestart = (): void => void seen.push('(anew)');
    await models({ configured: [model] }).structured('code', asking, aCall({ onText, onRestart }));
    expect(seen).toEqual(['{"a": "x"}', '(anew)', '{"a": 2}']);
  });

  it('fails for the answer, not for the artifact, where that could not be kept', async () => {
    const model = aScriptedModel('a/m', ['no', 'no']);
    const keepText = () => Promise.reject(new Error('the disk is full'));
    const asked = models({ configured: [model], keepText });
    await expect(asked.structured('code', asking, aCall())).rejects.toMatchObject({
      code: 'models.unusable_answer',
      details: { artifact: null },
    });
  });

  it('repeats only the ends of a very long answer', async () => {
    const model = aScriptedModel('a/m', ['x'.repeat(100_000), '{"a": 2}']);
    await models({ configured: [model] }).structured('code', asking, aCall());
    expect(model.requests[1]?.messages.at(-2)?.content.length).toBeLessThan(13_000);
  });

  it('keeps both answers where neither can be used, and names the artifact', async () => {
    const kept: unknown[] = [];
    const model = aScriptedModel('a/m', ['one', 'two']);
    const asked = models({
      configured: [model],
      keepText: async (caller, text, budgets) => {
        kept.push([caller, text, budgets]);
        return 'sha256:abc';
      },
    });
    const failing = asked.structured('code', asking, aCall({ budgets: ['run:1'] }));
    await expect(failing).rejects.toMatchObject({
      code: 'models.unusable_answer',
      details: { artifact: 'sha256:abc', attempts: 2, model: 'a/m', name: 'thing' },
    });
    expect(kept).toEqual([[localCaller, expect.stringMatching(/^one[^]*two$/), ['run:1']]]);
  });

  it('says so where nothing is kept', async () => {
    const asked = models({ configured: [aScriptedModel('a/m', ['one'])] });
    await expect(asked.structured('code', asking, aCall())).rejects.toMatchObject({
      details: { artifact: null },
    });
  });
});
