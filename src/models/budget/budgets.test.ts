import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ModelCall } from '../../contract/model/index.ts';
import { countTokens } from '../../kernel/index.ts';
import { createModels, type ModelsOptions } from '../create-models.ts';
import { ModelCallError } from '../errors.ts';
import { aScriptedModel, type Turn } from '../../../testkit/models/scripted-model.ts';
import { MemorySpendingStore } from './spending-store.ts';

const request = { messages: [{ role: 'user' as const, content: 'Say hello' }] };
const call: ModelCall = {
  caller: localCaller,
  signal: new AbortController().signal,
  budgets: ['run:1'],
};
const used =
  (inputTokens: number, outputTokens: number): Turn =>
  async () => ({
    text: 'Hello',
    finish: 'stop',
    usage: { inputTokens, outputTokens },
  });

function aBudget(turns: readonly Turn[], options: Partial<ModelsOptions> = {}) {
  const model = aScriptedModel('a/m', turns);
  const spending = new MemorySpendingStore();
  const limits = { attempts: 1 };
  const models = createModels({ configured: [model], spending, limits, ...options });
  const spent = async (scope: string) => (await spending.spentBy(localCaller, [scope]))[0];
  return { model, models, spending, spent };
}

describe('a budget', () => {
  it('counts what the model says it used, for the run and for its session', async () => {
    const { models, spent } = aBudget([used(100, 50)], {
      prices: { 'a/m': { input: 10, output: 20 } },
    });
    await models.linkBudgets(localCaller, 'run:1', 'session:1');
    await models.text('code', request, call);
    await models.text('code', request, call);
    expect(await spent('run:1')).toEqual({ scope: 'run:1', tokens: 300, usd: 0.004 });
    expect(await spent('session:1')).toMatchObject({ tokens: 300 });
  });

  it('refuses a request that would pass it, without sending it', async () => {
    const { model, models } = aBudget([used(100, 50)], { budget: { runTokens: 155 } });
    await models.text('code', request, call);
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      code: 'models.budget_exceeded',
      details: { scope: 'run:1', unit: 'tokens', limit: 155, setting: 'models.budget.run_tokens' },
    });
    expect(model.requests.length).toBe(1);
  });

  it('stops what belongs to a task when the task has used up what it may', async () => {
    const { models } = aBudget([used(100, 50)], { budget: { runTokens: 10_000, taskTokens: 155 } });
    await models.linkBudgets(localCaller, 'run:1', 'task:s:1');
    await models.text('code', request, call);
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      details: { scope: 'task:s:1', unit: 'tokens', limit: 155, setting: 'agent.max_tokens' },
    });
  });

  it('stops a run when its session has used up what it may', async () => {
    const { models } = aBudget([used(100, 50)], {
      budget: { runTokens: 10_000, sessionTokens: 155 },
    });
    await models.linkBudgets(localCaller, 'run:1', 'session:1');
    await models.linkBudgets(localCaller, 'run:2', 'session:1');
    await models.text('code', request, call);
    const other = models.text('code', request, { ...call, budgets: ['run:2'] });
    await expect(other).rejects.toMatchObject({ details: { scope: 'session:1' } });
  });

  it.each([
    ['runUsd', 'run:1', 'models.budget.run_usd'],
    ['sessionUsd', 'session:1', 'models.budget.session_usd'],
  ] as const)('counts dollars where prices are known: %s', async (limit, scope, setting) => {
    const prices = { 'a/m': { input: 1_000, output: 1_000 } };
    const { models } = aBudget([used(100, 50)], { prices, budget: { [limit]: 0.151 } });
    await models.linkBudgets(localCaller, 'run:1', 'session:1');
    await models.text('code', request, call);
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      details: { unit: 'US dollars', scope, setting },
    });
  });

  it('cuts an answer in the middle when it passes the limit, and counts what came', async () => {
    let pieces = 0;
    let isStopped = false;
    const endless: Turn = async (_request, { signal, onText }) => {
      while (!signal.aborted && pieces < 1_000) {
        onText?.('word word word word ');
        pieces += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      isStopped = signal.aborted;
      throw signal.reason;
    };
    const { models, spent } = aBudget([endless], { budget: { runTokens: 200 } });
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      code: 'models.budget_exceeded',
    });
    await expect.poll(() => isStopped).toBe(true);
    expect(pieces).toBeLessThan(100);
    expect((await spent('run:1'))?.tokens).toBeGreaterThan(190);
    expect((await spent('run:1'))?.tokens).toBeLessThan(230);
  });

  it('counts what a model only thinks', async () => {
    const thinking: Turn = async (_request, { signal, onThought }) => {
      for (let index = 0; index < 100 && !signal.aborted; index += 1) onThought?.('hm hm hm hm ');
      signal.throwIfAborted();
      return { text: 'Hello', finish: 'stop', usage: null };
    };
    const { models } = aBudget([thinking], { budget: { runTokens: 100 } });
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      code: 'models.budget_exceeded',
    });
  });

  it('has counted what a model thought when it is done, also where the model does not count', async () => {
    const { models, spent } = aBudget([
      async (_request, { onText, onThought }) => {
        for (let index = 0; index < 100; index += 1) onThought?.('hm hm ');
        onText?.('Hello');
        return { text: 'Hello', finish: 'stop', usage: null };
      },
    ]);
    const { usage } = await models.text('code', request, call);
    expect(usage.outputTokens).toBeGreaterThan(200);
    expect((await spent('run:1'))?.tokens).toBe(usage.inputTokens + usage.outputTokens);
  });

  it('does not believe numbers of tokens that cannot be', async () => {
    const { models, spent } = aBudget([used(1e300, 5), used(-3, 5), used(3, 0)]);
    for (let index = 0; index < 3; index += 1) {
      const { usage } = await models.text('code', request, call);
      expect(usage.isEstimated).toBe(true);
    }
    expect((await spent('run:1'))?.tokens).toBeLessThan(100);
  });

  it('holds for calls at the same time together', async () => {
    const slow: Turn = async (_request, { signal, onText }) => {
      for (let index = 0; index < 50; index += 1) {
        signal.throwIfAborted();
        onText?.('word word ');
        await new Promise((resolve) => setImmediate(resolve));
      }
      signal.throwIfAborted();
      return { text: 'Hello', finish: 'stop', usage: null };
    };
    const { models, spent } = aBudget([slow], { budget: { runTokens: 250 } });
    const calls = Array.from({ length: 4 }, () => models.text('code', request, call));
    const results = await Promise.allSettled(calls);
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(2);
    expect((await spent('run:1'))?.tokens).toBeLessThan(300);
  });

  it('counts what a request used while that is still being stored', async () => {
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    class SlowStore extends MemorySpendingStore {
      adds = 0;
      override async add(...what: Parameters<MemorySpendingStore['add']>): Promise<void> {
        this.adds += 1;
        if (this.adds === 2) {
          storing.resolve();
          await stored.promise;
        }
        return super.add(...what);
      }
    }
    const spending = new SlowStore();
    const { models } = aBudget([used(90, 9)], { budget: { runTokens: 100 }, spending });
    const first = models.text('code', request, call);
    await storing.promise;
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      code: 'models.budget_exceeded',
    });
    stored.resolve();
    await first;
  });

  it('does not count a question that could not be stored and was not sent', async () => {
    class FailingStore extends MemorySpendingStore {
      isFailing = false;
      override async add(...what: Parameters<MemorySpendingStore['add']>): Promise<void> {
        if (this.isFailing) throw new Error('the disk is full');
        return super.add(...what);
      }
    }
    const spending = new FailingStore();
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const waiting: Turn = async () => {
      begun.resolve();
      await done.promise;
      return { text: 'Hello', finish: 'stop', usage: { inputTokens: 2, outputTokens: 1 } };
    };
    // Enough for two such questions at once, not for three.
    const runTokens = 2 * (countTokens('Say hello') + 4);
    const options = { budget: { runTokens }, spending };
    const { models } = aBudget([waiting, used(2, 1)], options);
    const first = models.text('code', request, call);
    await begun.promise;
    spending.isFailing = true;
    await expect(models.text('code', request, call)).rejects.toThrow('the disk is full');
    spending.isFailing = false;
    expect(await models.text('code', request, call)).toMatchObject({ text: 'Hello' });
    done.resolve();
    await first;
  });

  it('has counted the question before the model got it', async () => {
    let before = 0;
    const { models, spent } = aBudget([
      async () => {
        before = (await spent('run:1'))?.tokens ?? 0;
        return { text: 'Hello', finish: 'stop', usage: { inputTokens: 2, outputTokens: 1 } };
      },
    ]);
    await models.text('code', request, call);
    expect(before).toBeGreaterThan(2);
    expect(await spent('run:1')).toMatchObject({ tokens: 3 });
  });

  it('takes back what a model that was not reached did not use', async () => {
    const off = new ModelCallError('models.unreachable', { model: 'a/m', reason: 'off' });
    const { models, spent } = aBudget([off]);
    await expect(models.text('code', request, call)).rejects.toThrow('off');
    expect(await spent('run:1')).toMatchObject({ tokens: 0 });
  });

  it('keeps what a model used that broke off', async () => {
    const { models, spent } = aBudget([
      new ModelCallError('models.cut_off', { model: 'a/m', reason: 'gone' }),
    ]);
    await expect(models.text('code', request, call)).rejects.toThrow('gone');
    expect((await spent('run:1'))?.tokens).toBeGreaterThan(0);
  });

  it('counts scopes that it does not know, and limits none of them', async () => {
    const { models, spent } = aBudget([used(100, 50)], { budget: { runTokens: 1 } });
    await models.text('code', request, { ...call, budgets: ['team:1'] });
    expect(await spent('team:1')).toMatchObject({ tokens: 150 });
  });
});
