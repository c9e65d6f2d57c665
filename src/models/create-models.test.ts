import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { ModelCall } from '../contract/model/index.ts';
import type { ClientPort } from '../contract/server/index.ts';
import { createModels, type ModelsOptions } from './create-models.ts';
import { ModelCallError } from './errors.ts';
import { GgufFailedError } from './gguf-model.ts';
import { aScriptedModel } from '../../testkit/models/scripted-model.ts';

const request = { messages: [{ role: 'user' as const, content: 'Say hello' }] };
const aCall = (more: Partial<ModelCall> = {}): ModelCall => ({
  caller: localCaller,
  signal: new AbortController().signal,
  ...more,
});
const unreachable = (model: string) =>
  new ModelCallError('models.unreachable', { model, reason: 'it is off' });

function aClient(capabilities: object): ClientPort {
  return {
    id: 'c',
    era: 'handshake',
    capabilities: { ...capabilities },
    ask: async () => ({}),
    notify: () => undefined,
  };
}

function models(options: Partial<ModelsOptions> = {}) {
  const limits = { attempts: 3, retryDelayMs: 0, callMs: 5_000, ...options.limits };
  return createModels({ configured: [], random: () => 0, ...options, limits });
}

describe('the order of models', () => {
  it('asks the next model when one fails, and says which one answered', async () => {
    const first = aScriptedModel('first/m', [
      new ModelCallError('models.refused_key', { model: 'first/m', reason: 'no' }),
    ]);
    const second = aScriptedModel('second/m', ['Hello']);
    const answer = await models({ configured: [first, second] }).text('code', request, aCall());
    expect(answer).toMatchObject({ text: 'Hello', model: 'second/m' });
    expect(first.requests.length).toBe(1);
  });

  it('goes on after the failure of a model that is no server', async () => {
    const first = aScriptedModel('file', [new GgufFailedError('x.gguf', 'Loading', 'damaged')]);
    const second = aScriptedModel('second/m', ['Hello']);
    const answer = await models({ configured: [first, second] }).text('code', request, aCall());
    expect(answer.model).toBe('second/m');
  });

  it('does not hide a bug behind another model', async () => {
    const first = aScriptedModel('first/m', [new TypeError('undefined is no function')]);
    const second = aScriptedModel('second/m', ['Hello']);
    const asking = models({ configured: [first, second] }).text('code', request, aCall());
    await expect(asking).rejects.toThrow('undefined is no function');
    expect(second.requests.length).toBe(0);
  });

  it('names every model and its reason when all failed', async () => {
    const both = ['first/m', 'second/m'].map((name) => aScriptedModel(name, [unreachable(name)]));
    const asking = models({ configured: both }).text('code', request, aCall());
    await expect(asking).rejects.toMatchObject({
      code: 'models.all_failed',
      retryable: true,
      details: {
        failures: [{ model: 'first/m', code: 'models.unreachable' }, { model: 'second/m' }],
      },
    });
  });

  it('asks just the models that a role names, in that order', async () => {
    const all = ['a/m', 'b/m', 'c/m'].map((name) => aScriptedModel(name, [unreachable(name)]));
    const roles = { code: { names: ['c', 'a/m'], withOthers: false } };
    const asked = models({ configured: all, roles });
    await expect(asked.text('code', request, aCall())).rejects.toMatchObject({
      details: { failures: [{ model: 'c/m' }, { model: 'a/m' }] },
    });
    const listed = await asked.list();
    expect(listed.map(({ roles: places }) => places)).toEqual([
      { code: 2, agent: 1 },
      { agent: 2 },
      { code: 1, agent: 3 },
    ]);
  });

  it('takes the name of a role as a whole, also where a model has no further name', async () => {
    const all = ['gpt', 'gpt4'].map((name) => aScriptedModel(name, [unreachable(name)]));
    const roles = { code: { names: ['gpt'], withOthers: false } };
    const listed = await models({ configured: all, roles }).list();
    expect(listed.map(({ roles: places }) => places.code)).toEqual([1, undefined]);
  });

  it('asks a model that is down after the others, once, until it has cooled down', async () => {
    let now = 0;
    const dead = aScriptedModel('dead/m', [
      unreachable('dead/m'),
      unreachable('dead/m'),
      unreachable('dead/m'),
      'back',
    ]);
    const alive = aScriptedModel('alive/m', ['Hello']);
    const asked = models({
      configured: [dead, alive],
      clock: { now: () => now },
      limits: { coolDownMs: 1_000 },
    });
    await asked.text('code', request, aCall());
    await asked.text('code', request, aCall());
    expect(dead.requests.length).toBe(3);
    expect(await asked.find('code')).toMatchObject({ name: 'alive/m', isReachable: true });
    now = 1_001;
    expect(await asked.text('code', request, aCall())).toMatchObject({ text: 'back' });
  });

  it('tries the only model again although it was down, but once', async () => {
    const dead = aScriptedModel('dead/m', [unreachable('dead/m')]);
    const asked = models({ configured: [dead] });
    await expect(asked.text('code', request, aCall())).rejects.toMatchObject({
      code: 'models.unreachable',
    });
    expect(await asked.find('code')).toMatchObject({
      isReachable: false,
      problem: expect.stringContaining('off'),
    });
    await expect(asked.text('code', request, aCall())).rejects.toMatchObject({
      code: 'models.unreachable',
    });
    expect(dead.requests.length).toBe(4);
  });

  it('looks for local models only when the configured ones did not answer, and believes it for a while', async () => {
    let now = 0;
    let looked = 0;
    const local = aScriptedModel('ollama/m', ['Hi']);
    const named = aScriptedModel('first/m', [
      'Hello',
      new ModelCallError('models.refused_key', { model: 'first/m', reason: 'no' }),
    ]);
    const detect = async () => {
      looked += 1;
      return [local];
    };
    const asked = models({
      configured: [named],
      detect,
      clock: { now: () => now },
      limits: { detectionMs: 10, coolDownMs: 5 },
    });
    await asked.text('code', request, aCall());
    expect(looked).toBe(0);
    expect(await asked.text('code', request, aCall())).toMatchObject({ model: 'ollama/m' });
    await asked.text('code', request, aCall());
    expect(looked).toBe(1);
    now = 20;
    await asked.text('code', request, aCall());
    expect(looked).toBe(2);
    await asked.close();
    expect([named.closed, local.closed]).toEqual([1, 1]);
  });

  it('does not find a server that the settings name, and survives a search that fails', async () => {
    const named = aScriptedModel('mine/m', ['Hello'], { url: 'http://127.0.0.1:11434' });
    const found = aScriptedModel('ollama/m', ['Hi'], { url: 'http://127.0.0.1:11434/v1' });
    const asked = models({ configured: [named], detect: async () => [found] });
    expect((await asked.list()).map(({ name }) => name)).toEqual(['mine/m']);
    const failing = models({ detect: () => Promise.reject(new Error('no network')) });
    expect(await failing.find('code')).toBeNull();
  });

  it('finds a server of this machine once, whatever the settings call the machine', async () => {
    const named = aScriptedModel('mine/m', ['Hello'], { url: 'http://localhost:11434' });
    const found = aScriptedModel('ollama/m', ['Hi'], { url: 'http://127.0.0.1:11434/v1' });
    const asked = models({ configured: [named], detect: async () => [found] });
    expect((await asked.list()).map(({ name }) => name)).toEqual(['mine/m']);
  });

  it('goes on with a local model it knows when it looks again', async () => {
    let now = 0;
    const found: ReturnType<typeof aScriptedModel>[] = [];
    const detect = async () => {
      const model = aScriptedModel('ollama/m', ['Hi']);
      found.push(model);
      return [model];
    };
    const clock = { now: () => now };
    const asked = models({ detect, clock, limits: { detectionMs: 10 } });
    for (now = 0; now < 100; now += 20) await asked.text('code', request, aCall());
    expect(found.map(({ requests }) => requests.length)).toEqual([5, 0, 0, 0, 0]);
    await asked.close();
    expect(found[0]?.closed).toBe(1);
  });

  it('does not hold the failure of one client against another', async () => {
    const broken = aScriptedModel('client', [
      new ModelCallError('models.unreachable', { model: 'client', reason: 'the user said no' }),
    ]);
    const asked = models({ clientModel: () => broken });
    const client = aClient({ sampling: {} });
    await expect(asked.text('agent', request, aCall({ client }))).rejects.toThrow('said no');
    expect(await asked.find('agent', aClient({ sampling: {} }))).toMatchObject({
      isReachable: true,
    });
  });

  it('asks the model of the calling client last, and only where it has one', async () => {
    const own = aScriptedModel('client', ['Hi']);
    const asked = models({ clientModel: () => own });
    expect(await asked.find('agent', aClient({}))).toBeNull();
    expect(await asked.find('agent', aClient({ sampling: {} }))).toMatchObject({
      name: 'client',
      source: 'client',
    });
    const named = aScriptedModel('first/m', [
      new ModelCallError('models.refused_key', { model: 'first/m', reason: 'no' }),
    ]);
    const both = models({ configured: [named], clientModel: () => own });
    const answer = await both.text('agent', request, aCall({ client: aClient({ sampling: {} }) }));
    expect(answer.model).toBe('client');
  });

  it('says what to do when there is no model', async () => {
    expect(await models().find('agent')).toBeNull();
    await expect(models().text('agent', request, aCall())).rejects.toMatchObject({
      code: 'models.none_connected',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  it('says which name of a role no model has', async () => {
    const roles = { agent: { names: ['typo'], withOthers: false } };
    const asked = models({ configured: [aScriptedModel('local/m', ['Hello'])], roles });
    expect((await asked.list()).slice(1)).toMatchObject([
      {
        name: 'typo',
        provider: null,
        isReachable: false,
        problem: expect.stringMatching(/models\.roles\.agent/),
      },
    ]);
    await expect(asked.text('agent', request, aCall())).rejects.toMatchObject({
      code: 'models.none_connected',
      message: expect.stringMatching(/models\.roles\.agent.*"typo".*tutti models/),
    });
  });
});

describe('the list of models', () => {
  it('tells of each whether it is there, and ends although one never says', async () => {
    const asked = models({
      configured: [
        aScriptedModel('a/m', []),
        aScriptedModel('b/m', [], { probe: async () => ({ problem: 'no key' }) }),
        aScriptedModel('c/m', [], { probe: () => new Promise(() => undefined) }),
        aScriptedModel('d/m', [], { probe: () => Promise.reject(new Error('broken')) }),
      ],
      limits: { probeMs: 20 },
    });
    const listed = await asked.list();
    expect(listed.map(({ isReachable, problem }) => [isReachable, problem])).toEqual([
      [true, undefined],
      [false, 'no key'],
      [false, 'it did not respond within 20 ms'],
      [false, 'broken'],
    ]);
  });

  it('counts tokens', () => {
    expect(models().countTokens('Hello')).toBe(2);
  });
});
