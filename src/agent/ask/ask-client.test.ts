import { describe, expect, it } from 'vitest';
import type { ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { ScriptedModelError } from '../../../testkit/agent/scripted-models.ts';
import { askQuestions, canBeAsked, confirmPlan } from './ask-client.ts';

const { signal } = new AbortController();

function aClient(answer: object | Error) {
  const asked: ClientRequest[] = [];
  const client: ClientPort = {
    id: 'c',
    era: 'handshake',
    capabilities: { elicitation: {} },
    ask: async (request) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return { ...answer };
    },
    notify: () => {},
  };
  return { client, asked };
}

describe('a person at a client', () => {
  it('is asked all questions at once, each with a field of its own', async () => {
    const { client, asked } = aClient({
      action: 'accept',
      content: { answer_2: 'go', answer_1: 7 },
    });
    expect(await askQuestions(client, ['A?', 'B?'], signal)).toEqual(['', 'go']);
    expect(asked[0]).toMatchObject({
      method: 'elicitation/create',
      params: {
        message: 'Before I begin:\nA?\nB?',
        requestedSchema: { properties: { answer_1: { title: 'A?' }, answer_2: { title: 'B?' } } },
      },
    });
  });

  it.each<[string, object | Error]>([
    ['closes the question', { action: 'cancel' }],
    ['declines', { action: 'decline' }],
    ['says nothing', { action: 'accept', content: { answer_1: ' ' } }],
    ['is not reached', new ScriptedModelError('gateway.client_refused')],
  ])('who %s has not answered', async (_what, answer) => {
    expect(await askQuestions(aClient(answer).client, ['A?'], signal)).toBeUndefined();
  });

  it.each<[string, object, boolean | undefined]>([
    ['accepts with run', { action: 'accept', content: { run: true } }, true],
    ['accepts without', { action: 'accept', content: {} }, false],
    ['declines', { action: 'decline', content: { run: true } }, false],
    ['closes it', { action: 'cancel' }, undefined],
  ])('who %s decides about a plan: %s', async (_what, answer, verdict) => {
    expect(await confirmPlan(aClient(answer).client, 'Plan', signal)).toBe(verdict);
  });

  it('is left alone where the client cannot ask, and a bug is not an answer', async () => {
    const { client } = aClient(new TypeError('bug'));
    expect(canBeAsked(undefined)).toBe(false);
    expect(canBeAsked({ ...client, capabilities: {} })).toBe(false);
    await expect(confirmPlan(client, 'Plan', signal)).rejects.toThrow('bug');
  });
});
