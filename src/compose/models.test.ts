import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { aSetup } from '../../testkit/artifacts/an-artifact-room.ts';
import { loadSettings, type Settings } from '../config/index.ts';
import type { Artifacts, NewArtifact } from '../contract/artifact/index.ts';
import { localCaller } from '../contract/caller/index.ts';
import { silentLog } from '../kernel/index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import { modelEntries, roleModels } from './model-entries.ts';
import { keepAnswersIn, modelsHere } from './models.ts';

async function settingsOf(
  env: Readonly<Record<string, string>>,
  models: Readonly<Record<string, unknown>> = {},
): Promise<Settings> {
  const cwd = aDirectory();
  const flags = Object.fromEntries(
    Object.entries(models).map(([key, value]) => [`models.${key}`, value]),
  );
  const loaded = await loadSettings({
    cwd,
    env: { ...env, HOME: cwd },
    platform: 'linux',
    homeDirectory: cwd,
    flags,
  });
  return loaded.values;
}

const names = ({ models }: Settings): readonly string[] =>
  modelEntries(models).map((one) => (one.kind === 'http' ? one.entry.name : one.name));

describe('the models of the settings', () => {
  it('are none where nothing is set', async () => {
    expect(names(await settingsOf({}))).toEqual([]);
  });

  it('are those of the vendors for a key alone', async () => {
    const settings = await settingsOf({ OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2' });
    expect(modelEntries(settings.models)).toMatchObject([
      { entry: { name: 'openai', kind: 'openai' } },
      { entry: { name: 'anthropic', kind: 'anthropic' } },
    ]);
  });

  it('send the key of a vendor to that vendor alone', async () => {
    const providers = {
      own: { kind: 'openai', model: 'x', input_price: 1, output_price: 2 },
      local: { kind: 'openai', url: 'http://127.0.0.1:1234/v1' },
      keyed: { kind: 'openai', url: 'http://127.0.0.1:1235/v1', api_key: 'k' },
    };
    const settings = await settingsOf({ OPENAI_API_KEY: 'sk-1' }, { providers });
    const entries = modelEntries(settings.models).map((one) => one.kind === 'http' && one);
    expect(entries.map((one) => one && one.entry.key?.reveal())).toEqual(['sk-1', undefined, 'k']);
    expect(entries[0]).toMatchObject({ price: { input: 1, output: 2 } });
    expect(JSON.stringify(entries)).not.toContain('sk-1');
  });

  it('are asked for a role by its endpoint first, and by the other’s last', async () => {
    const settings = await settingsOf({
      STARCODER_ENDPOINT: 'http://127.0.0.1:8000/chat',
      MISTRAL_ENDPOINT: 'http://127.0.0.1:8001',
      OPENAI_API_KEY: 'sk-1',
    });
    expect(names(settings)).toEqual(['openai', 'code_endpoint', 'agent_endpoint']);
    expect(roleModels(settings.models)).toEqual({
      code: { names: ['code_endpoint'], withOthers: true },
      agent: { names: ['agent_endpoint'], withOthers: true },
    });
  });

  it('are just those that a role names', async () => {
    const settings = await settingsOf({}, { 'roles.code': ['a', 'b'] });
    expect(roleModels(settings.models).code).toEqual({ names: ['a', 'b'], withOthers: false });
  });

  it('may be files', async () => {
    const providers = { file: { kind: 'gguf', path: '/models/x.gguf', context_tokens: 2_048 } };
    const settings = await settingsOf({}, { providers });
    expect(modelEntries(settings.models)).toMatchObject([
      { kind: 'gguf', name: 'file', path: '/models/x.gguf', contextTokens: 2_048 },
    ]);
  });
});

describe('models of this data directory', () => {
  const parts = async (url: string, more: object = {}) => {
    const kept: NewArtifact[] = [];
    const providers = {
      it: { kind: 'openai', url, model: 'm' },
      file: { kind: 'gguf', path: '/no/x.gguf' },
    };
    const settings = await settingsOf(
      {},
      { providers, autodetect: false, retry_attempts: 1, 'roles.code': ['it'], ...more },
    );
    const artifacts = {
      put: async (_caller: unknown, artifact: NewArtifact) => {
        kept.push(artifact);
        return { id: 'sha256:1', bytes: 1, mediaType: artifact.mediaType };
      },
      release: async () => {},
    };
    return { kept, store: aStore(), settings, artifacts: async () => artifacts, log: silentLog };
  };

  it('answer, keep what cannot be used with its run, and stop at the budget', async () => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 30, completion_tokens: 20 },
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const given = await parts(`http://127.0.0.1:${port}/v1`, { 'budget.run_tokens': 400 });
    const models = modelsHere(given);
    onTestFinished(() => models.close());
    const call = { caller: localCaller, signal: new AbortController().signal, budgets: ['run:1'] };
    const request = { messages: [{ role: 'user' as const, content: 'Hi' }] };
    await models.linkBudgets(localCaller, 'run:1', 'session:1');
    expect(await models.find('code')).toMatchObject({ name: 'it/m' });
    expect(await models.text('code', request, call)).toMatchObject({
      text: 'Hello',
      model: 'it/m',
    });
    const schema = z.object({ a: z.number() });
    const asking = models.structured('code', { ...request, name: 'x', schema }, call);
    await expect(asking).rejects.toMatchObject({ details: { artifact: 'sha256:1' } });
    expect(given.kept).toMatchObject([{ lineage: { runId: '1' } }]);
    expect(await given.store.spending.spentBy(localCaller, ['session:1'])).toMatchObject([
      { tokens: 150 },
    ]);
    for (let calls = 0; calls < 5; calls += 1) await models.text('code', request, call);
    await expect(models.text('code', request, call)).rejects.toMatchObject({
      code: 'models.budget_exceeded',
    });
    expect((await models.list()).map(({ name, isReachable }) => [name, isReachable])).toEqual([
      ['it/m', true],
      ['file', false],
    ]);
  });

  it('count tokens without being opened, and close where they were not', async () => {
    const models = modelsHere(await parts('http://127.0.0.1:59'));
    expect(models.countTokens('Hello')).toBe(2);
    await models.close();
  });
});

const other = { id: 'other' };

it('keeps answers with their run or session, and those outside of both for two more months', async () => {
  const { artifacts, clock } = aSetup();
  const failing = { isOn: false };
  const room: Pick<Artifacts, 'put' | 'release'> = {
    put: (...put) => artifacts.put(...put),
    release: async (...release) => {
      if (failing.isOn) throw new Error('busy');
      await artifacts.release(...release);
    },
  };
  const keep = keepAnswersIn({ artifacts: async () => room, clock, log: silentLog });
  const isKept = (id: string, caller = localCaller): Promise<boolean> =>
    artifacts.get(caller, id).then(
      () => true,
      () => false,
    );
  const at = (day: string): void => void (clock.nowMs = Date.parse(day));
  at('2026-01-31');
  const ofRun = await keep(localCaller, 'of a run', ['session:s', 'run:r']);
  const january = await keep(localCaller, 'of January', []);
  const theirs = await keep(other, 'of January', []);
  at('2026-02-28');
  const february = await keep(localCaller, 'of February', []);
  expect([await isKept(january), await isKept(february)]).toEqual([true, true]);
  at('2026-03-31');
  await keep(localCaller, 'of March', []);
  expect([await isKept(january), await isKept(february)]).toEqual([true, true]);
  at('2026-04-01');
  failing.isOn = true;
  const april = await keep(localCaller, 'of April', []);
  expect([await isKept(january), await isKept(april)]).toEqual([true, true]);
  failing.isOn = false;
  await keep(localCaller, 'of April, too', []);
  expect([await isKept(january), await isKept(february)]).toEqual([false, true]);
  expect([await isKept(ofRun), await isKept(theirs, other)]).toEqual([true, true]);
  await artifacts.release(localCaller, ['r']);
  expect(await isKept(ofRun)).toBe(false);
});
