import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { localCaller } from '../../contract/caller/index.ts';
import type { ModelCall } from '../../contract/model/index.ts';
import { createModels as models } from '../create-models.ts';
import { aScriptedModel } from '../../../testkit/models/scripted-model.ts';
import { fitAnswer } from './ask-structured.ts';

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

const schema = z.object({ goal: z.string(), steps: z.array(z.string()) });
const plan = { goal: 'g', steps: ['a'] };
const json = JSON.stringify(plan);
const fit = (text: string, mayClose = true) => fitAnswer(text, schema, { mayClose });

describe('finding the answer in what a model wrote', () => {
  it.each([
    ['alone', json],
    ['between spaces', `\n  ${json}\n`],
    ['in a fence', `Here:\n\`\`\`json\n${json}\n\`\`\`\nBye.`],
    ['in a fence of one line', `\`\`\`json ${json}\`\`\``],
    ['in a fence without a language', `\`\`\`\n${json}\n\`\`\``],
    ['in the second of two fences', `\`\`\`\nls\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
    ['in prose with brackets', `I use {this} and [that]: ${json}.`],
    ['behind thinking', `<think>{"goal":"x","steps":[]}</think>${json}`],
    ['in a JSON string', JSON.stringify(json)],
    ['in a JSON string in a JSON string', JSON.stringify(JSON.stringify(json))],
    ['with escaped quotes', json.replaceAll('"', String.raw`\"`)],
    ['with escaped quotes and line breaks', `${json.replaceAll('"', String.raw`\"`)}\n`],
    ['under a name', `{"answer": ${json}}`],
    ['as text under a name', JSON.stringify({ answer: json })],
    ['in a list of one', `[${json}]`],
    ['after a draft', `{"goal":"draft","steps":[]} better: ${json}`],
    ['before something that does not fit', `${json} {"note": true}`],
  ])('finds it %s', (_where, text) => {
    expect(fit(text)).toEqual({ kind: 'fits', value: plan });
  });

  it('finds it where the end of thinking is part of what it says', () => {
    const said = { goal: 'explain what </think> is', steps: ['a'] };
    expect(fit(JSON.stringify(said))).toEqual({ kind: 'fits', value: said });
  });

  it('closes brackets only where the model ended by itself', () => {
    const open = '{"goal": "g", "steps": ["a"]';
    expect(fit(open, true)).toMatchObject({ kind: 'fits' });
    expect(fit(open, false)).toEqual({
      kind: 'unfit',
      problem: 'The JSON in it is broken or cut off.',
    });
  });

  it.each([
    ['cut off', '{"goal": "outer", "steps": [], "inner": {"goal": "g", "steps": ["a"]}, "x": "'],
    ['broken', '{"goal": "say "hi"", "steps": [{"goal": "g", "steps": ["a"]}]}'],
    ['open', '{"goal": 5, "inner": [{"goal": "g", "steps": ["a"]}'],
  ])('does not take a part of a value that is %s for the answer', (_how, text) => {
    expect(fit(text, false)).toMatchObject({ kind: 'unfit' });
  });

  it('finds the answer behind a sketch of its shape', () => {
    expect(fit(`Format: {goal: string, steps: string[]}\n${json}`)).toMatchObject({ kind: 'fits' });
  });

  it('takes a list where a list is wanted, also from under a name', () => {
    const list = z.array(z.number());
    expect(fitAnswer('[1, 2]', list, { mayClose: true })).toMatchObject({ value: [1, 2] });
    expect(fitAnswer('{"items": [1, 2]}', list, { mayClose: true })).toMatchObject({
      value: [1, 2],
    });
  });

  it('says of what fits best what is wrong with it', () => {
    const { problem } = fit('{"x": 1} {"goal": "g", "steps": "a"}') as { problem: string };
    expect(problem).toContain('steps');
    expect(problem).not.toContain('goal');
  });

  it('says when there is no JSON at all', () => {
    expect(fit('Sorry.')).toEqual({ kind: 'unfit', problem: 'There is no JSON in it.' });
  });

  it('says when a value is nested too deeply for a schema that refers to itself', () => {
    const tree: z.ZodType = z.lazy(() => z.object({ child: tree.optional() }));
    const deep = `${'{"child":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
    expect(fitAnswer(deep, tree, { mayClose: true })).toMatchObject({ kind: 'unfit' });
  });

  it.each([
    ['opened lists', '['],
    ['opened objects', '{'],
    ['objects in lists', '{"a":['],
    ['strings that do not end', '{"a":"'],
    ['comments that do not end', '{/*'],
    ['fences', '```'],
    ['ends of thinking', '</think>'],
    ['small values', '{"a":1} '],
    ['backslashes', '{"\\'],
  ])('takes time that grows with the text and not with its square: %s', (_what, part) => {
    const startedAt = performance.now();
    expect(fit(part.repeat(200_000 / part.length))).toMatchObject({ kind: 'unfit' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});
