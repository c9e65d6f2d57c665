import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import type { ModelCall, Models } from '../src/contract/model/index.ts';
import { reportError, Secret } from '../src/kernel/index.ts';
import { createConfiguredModel, createModels, defaultModelLimits } from '../src/models/index.ts';
import { answerBehaviours } from './support/models/answer-behaviours.ts';
import { planShape, shortLimits, type Behaviour } from './support/models/behaviour.ts';
import { chatBehaviours } from './support/models/chat-behaviours.ts';
import { jsonBehaviours } from './support/models/json-behaviours.ts';
import { startWireServer, type WireServer } from './support/models/wire-server.ts';
import { wireBehaviours } from './support/models/wire-behaviours.ts';

const secret = 'sk-test-secret-key';
/** Everything has to end, also what is expected to fail. */
const maxMs = 6_000;

async function behave(behaviour: Behaviour): Promise<{ outcome: object; server: WireServer }> {
  const server = await startWireServer(behaviour.serve);
  onTestFinished(() => server.close());
  const limits = { ...defaultModelLimits, ...shortLimits, ...behaviour.limits };
  const kind = behaviour.kind ?? 'openai';
  const url = behaviour.url?.(server.url) ?? server.url;
  const entry = { name: 'it', kind, url, model: 'm', key: new Secret(secret) };
  const models = createModels({
    configured: [createConfiguredModel(entry, limits)],
    limits,
    temperature: 0.1,
    random: () => 0.5,
    keepText: async () => 'sha256:kept',
  });
  onTestFinished(() => models.close());
  return { outcome: await outcomeOf(models, behaviour), server };
}

async function outcomeOf(models: Models, behaviour: Behaviour): Promise<object> {
  const cancel = new AbortController();
  const shown: string[] = [];
  const call: ModelCall = {
    caller: localCaller,
    signal: cancel.signal,
    onText: (piece) => {
      shown.push(piece);
      if (behaviour.isCancelled) cancel.abort(new Error('cancelled'));
    },
    onRestart: () => shown.splice(0),
  };
  const request = {
    messages: [{ role: 'user' as const, content: 'Say hello' }],
    maxOutputTokens: 50,
  };
  try {
    if (behaviour.ask === 'plan') {
      const { value, attempts } = await models.structured(
        'agent',
        { ...request, name: 'plan', schema: planShape },
        call,
      );
      return { value, attempts };
    }
    const { text, finish } = await models.text('agent', request, call);
    // What was shown piece by piece is the answer, whatever was shown and taken back before.
    expect(shown.join('')).toBe(text);
    return { text, finish };
  } catch (error) {
    if (cancel.signal.aborted) {
      expect(error).toBe(cancel.signal.reason);
      return { code: 'cancelled', says: '' };
    }
    const { code, message, details } = reportError(error);
    expect(JSON.stringify([message, details])).not.toContain(secret);
    return { code, says: message };
  }
}

const behaviours = [...wireBehaviours, ...answerBehaviours, ...jsonBehaviours, ...chatBehaviours];

// Loading them takes longer than some of the limits here.
beforeAll(() => Promise.all([import('@ai-sdk/openai-compatible'), import('@ai-sdk/anthropic')]));

describe('a model whose server gives', () => {
  it.each(behaviours.map((behaviour) => [behaviour.name, behaviour] as const))(
    '%s',
    async (_name, behaviour) => {
      const startedAt = performance.now();
      const { outcome, server } = await behave(behaviour);
      const { says, ...expected } = { says: undefined, ...behaviour.outcome };
      expect(outcome).toMatchObject(expected);
      if (says !== undefined) expect(outcome).toMatchObject({ says: expect.stringMatching(says) });
      if (behaviour.requests !== undefined) {
        expect(server.exchanges.length).toBe(behaviour.requests);
      }
      expect(performance.now() - startedAt).toBeLessThan(maxMs);
    },
  );
});
