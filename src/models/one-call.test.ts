import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { ModelCall } from '../contract/model/index.ts';
import { createModels, type ModelsOptions } from './create-models.ts';
import { ModelCallError } from './errors.ts';
import { aScriptedModel } from '../../testkit/models/scripted-model.ts';

const request = { messages: [{ role: 'user' as const, content: 'Say hello' }] };
const aCall = (more: Partial<ModelCall> = {}): ModelCall => ({
  caller: localCaller,
  signal: new AbortController().signal,
  ...more,
});

function models(options: Partial<ModelsOptions> = {}) {
  const limits = { attempts: 3, retryDelayMs: 0, callMs: 5_000, ...options.limits };
  return createModels({ configured: [], random: () => 0, ...options, limits });
}

describe('one call', () => {
  it('takes the temperature of the settings unless the request has its own', async () => {
    const model = aScriptedModel('a/m', ['Hello']);
    const asked = models({ configured: [model], temperature: 0.1 });
    await asked.text('code', request, aCall());
    await asked.text('code', { ...request, temperature: 0.9, stopSequences: ['.'] }, aCall());
    expect(model.requests).toMatchObject([
      { temperature: 0.1 },
      { temperature: 0.9, stopSequences: ['.'] },
    ]);
  });

  it('waits as long as a model asks, and no longer than the limit', async () => {
    const busy = new ModelCallError('models.rate_limited', {
      model: 'a/m',
      reason: 'busy',
      retryAfterMs: 30,
    });
    const model = aScriptedModel('a/m', [busy, 'Hello']);
    const startedAt = performance.now();
    await models({ configured: [model] }).text('code', request, aCall());
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
    const patient = aScriptedModel('a/m', [busy, 'Hello']);
    const asking = models({ configured: [patient], limits: { maxRetryDelayMs: 20 } }).text(
      'code',
      request,
      aCall(),
    );
    await expect(asking).rejects.toMatchObject({ code: 'models.rate_limited' });
    expect(patient.requests.length).toBe(1);
  });

  it('ends in time although the model ignores that it was stopped', async () => {
    const deaf = aScriptedModel('deaf/m', [() => new Promise(() => undefined)]);
    const asking = models({ configured: [deaf], limits: { callMs: 30 } }).text(
      'code',
      request,
      aCall(),
    );
    await expect(asking).rejects.toMatchObject({ code: 'models.timeout' });
  });

  it('throws the reason of the caller when it is cancelled, before, during and between attempts', async () => {
    const reason = new Error('enough');
    const before = models({ configured: [aScriptedModel('a/m', ['Hello'])] });
    await expect(
      before.text('code', request, aCall({ signal: AbortSignal.abort(reason) })),
    ).rejects.toBe(reason);
    const cancel = new AbortController();
    const failing = aScriptedModel('a/m', [
      async () => {
        setTimeout(() => cancel.abort(reason), 5);
        throw new ModelCallError('models.overloaded', { model: 'a/m', reason: 'busy' });
      },
    ]);
    const between = models({
      configured: [failing],
      limits: { retryDelayMs: 10_000, maxRetryDelayMs: 20_000 },
    });
    await expect(between.text('code', request, aCall({ signal: cancel.signal }))).rejects.toBe(
      reason,
    );
    expect(failing.requests.length).toBe(1);
  });

  it('tells that an answer starts anew, only where pieces of it were shown', async () => {
    const seen: string[] = [];
    const model = aScriptedModel('a/m', [
      new ModelCallError('models.bad_answer', { model: 'a/m', reason: 'broken' }),
      async (_request, { onText }) => {
        onText?.('Hel');
        throw new ModelCallError('models.bad_answer', { model: 'a/m', reason: 'broken' });
      },
      'Hello',
    ]);
    const call = aCall({
      onText: (piece) => seen.push(piece),
      onRestart: () => seen.push('(anew)'),
    });
    await models({ configured: [model] }).text('code', request, call);
    expect(seen).toEqual(['Hel', '(anew)', 'Hello']);
  });

  it('fails with what whoever gets the pieces threw', async () => {
    const call = aCall({
      onText: () => {
        throw new Error('the screen is gone');
      },
    });
    const asking = models({ configured: [aScriptedModel('a/m', ['Hello'])] }).text(
      'code',
      request,
      call,
    );
    await expect(asking).rejects.toThrow('the screen is gone');
  });

  it('does not send what surely does not fit', async () => {
    const small = aScriptedModel('small/m', ['Hello'], { contextTokens: 100 });
    const long = { messages: [{ role: 'user' as const, content: 'word '.repeat(500) }] };
    const asking = models({ configured: [small] }).text('code', long, aCall());
    await expect(asking).rejects.toMatchObject({ code: 'models.too_long' });
    expect(small.requests.length).toBe(0);
  });

  it('lets as many requests run at once as it may', async () => {
    let running = 0;
    let most = 0;
    const slow = aScriptedModel('a/m', [
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        return { text: 'Hello', finish: 'stop', usage: null };
      },
    ]);
    const asked = models({ configured: [slow], limits: { maxConcurrent: 2 } });
    await Promise.all(Array.from({ length: 8 }, () => asked.text('code', request, aCall())));
    expect(most).toBe(2);
  });

  it('estimates tokens where the model does not count, and knows what they cost', async () => {
    const counting = aScriptedModel('a/m', [
      async () => ({
        text: 'Hello',
        finish: 'stop',
        usage: { inputTokens: 1_000_000, outputTokens: 500_000 },
      }),
    ]);
    const prices = { 'a/m': { input: 2, output: 4 } };
    const exact = await models({ configured: [counting], prices }).text('code', request, aCall());
    expect(exact.usage).toEqual({
      inputTokens: 1_000_000,
      outputTokens: 500_000,
      isEstimated: false,
      costUsd: 4,
    });
    const zeros = aScriptedModel('a/m', [
      async () => ({ text: 'Hello', finish: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }),
    ]);
    const doubted = await models({ configured: [zeros] }).text('code', request, aCall());
    expect(doubted.usage).toMatchObject({ isEstimated: true });
    const guessed = await models({ configured: [aScriptedModel('b/m', ['Hello'])] }).text(
      'code',
      request,
      aCall(),
    );
    expect(guessed.usage).toMatchObject({ isEstimated: true, costUsd: null });
    expect(guessed.usage.outputTokens).toBeGreaterThan(0);
  });
});
