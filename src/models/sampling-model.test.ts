import { describe, expect, it } from 'vitest';
import type { ClientPort, ClientRequest } from '../contract/server/index.ts';
import { createSamplingModel } from './sampling-model.ts';

function aClient(answer: Record<string, unknown>, capabilities: object = { sampling: {} }) {
  const asked: ClientRequest[] = [];
  const client: ClientPort = {
    id: 'c1',
    era: 'handshake',
    capabilities: { ...capabilities },
    ask: async (request) => {
      asked.push(request);
      return answer;
    },
    notify: () => {},
  };
  return { client, asked };
}

const { signal } = new AbortController();
const text = { type: 'text', text: 'hello' };

describe('the model of a client', () => {
  it('is asked in the words of the protocol', async () => {
    const { client, asked } = aClient({ role: 'assistant', content: text, stopReason: 'endTurn' });
    const pieces: string[] = [];
    const answer = await createSamplingModel(client)?.ask(
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Yes?' },
          { role: 'user', content: 'Bye' },
        ],
        temperature: 0.1,
        stopSequences: ['```'],
        maxOutputTokens: 9,
        json: { name: 'greeting', schema: { type: 'object' } },
      },
      { signal, onText: (piece) => pieces.push(piece) },
    );
    expect(answer).toEqual({ text: 'hello', finish: 'stop', usage: null });
    expect(pieces).toEqual(['hello']);
    expect(asked).toEqual([
      {
        method: 'sampling/createMessage',
        params: {
          messages: [
            { role: 'user', content: { type: 'text', text: 'Hi' } },
            { role: 'assistant', content: { type: 'text', text: 'Yes?' } },
            { role: 'user', content: { type: 'text', text: 'Bye' } },
          ],
          systemPrompt: expect.stringMatching(/^Be short\.[^]*"greeting"[^]*\{"type":"object"\}$/),
          temperature: 0.1,
          stopSequences: ['```'],
          maxTokens: 9,
        },
      },
    ]);
  });

  it.each([
    [{ content: [text, { type: 'image' }, text] }, 'hellohello', 'stop'],
    [{ content: text, stopReason: 'maxTokens' }, 'hello', 'length'],
    [{ content: text, stopReason: 'toolUse' }, 'hello', 'other'],
    [{ content: { type: 'image', data: 'x' } }, '', 'stop'],
  ])('gives the texts of %j', async (given, said, finish) => {
    const model = createSamplingModel(aClient(given).client);
    const answer = await model?.ask({ messages: [] }, { signal });
    expect(answer).toMatchObject({ text: said, finish });
  });

  it('is none where the client has no sampling', () => {
    expect(createSamplingModel(aClient({}, { elicitation: {} }).client)).toBeNull();
  });

  it('says so when the client gives something else', async () => {
    const model = createSamplingModel(aClient({ text: 'hello' }).client);
    await expect(model?.ask({ messages: [] }, { signal })).rejects.toMatchObject({
      code: 'models.bad_sample',
    });
  });
});
