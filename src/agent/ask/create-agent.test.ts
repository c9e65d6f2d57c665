import { describe, expect, it } from 'vitest';
import type { ClientPort } from '../../contract/server/index.ts';
import { anAgent, anIntent } from '../../../testkit/agent/an-agent.ts';
import { code, fibonacci, says, tools, write } from '../../../testkit/agent/fibonacci.ts';

describe('a message', () => {
  it('becomes a checked plan, a run and an answer told piece by piece, all of it recorded', async () => {
    const { ask, runs, store, models, events, told } = anAgent({
      model: says({ intent: fibonacci, plan: write, text: 'I wrote the function.' }),
      tools,
    });
    const outcome = await ask('write a fibonacci function');
    expect(outcome).toMatchObject({
      kind: 'answer',
      runStatus: 'succeeded',
      model: 'test/scripted',
    });
    expect(outcome).toHaveProperty('answer', expect.stringContaining(code.trim()));
    expect(told()).toBe(Object(outcome).answer);
    expect(runs.checked).toHaveLength(1);
    expect(runs.started).toHaveLength(1);
    expect(models.links).toEqual(['run:run-1 → session:s-1']);
    expect(models.asked.every(({ call }) => call.budgets?.includes('session:s-1'))).toBe(true);
    expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'session',
      'intent',
      'plan',
      'run',
    ]);
    const [user, assistant] = store.turns();
    expect(user).toMatchObject({ role: 'user', text: 'write a fibonacci function' });
    expect(assistant).toMatchObject({
      outcome: 'answer',
      runId: 'run-1',
      remembered: [{ kind: 'code', content: code }],
    });
    expect(store.busy.size).toBe(0);
  });

  it('is answered with its context in sight, which plans get by reference; it is no part of planning', async () => {
    const withIt = {
      steps: [{ id: 'code', tool: 'generate_code', args: { description: '${input.context}' } }],
    };
    const { ask, runs, store, models } = anAgent({
      model: says({ intent: fibonacci, plan: withIt, text: 'Done.' }),
      tools,
    });
    const context = `ctx-${'ab'.repeat(32)}`;
    await ask('write a fibonacci function as the notes say', { context });
    const planning = [...models.promptsOf('intent'), ...models.promptsOf('plan')].join('\n');
    expect(planning).toContain('input.context: text, context ctx-abababababab');
    expect(planning).not.toContain(`text of ${context}`);
    expect(runs.started[0]?.plan.input).toEqual({
      context: { type: 'string', default: `text of ${context}` },
    });
    expect(models.asked.at(-1)?.prompt).toContain(`text of ${context}`);
    expect(store.turns()[0]).toMatchObject({ context });
  });

  it('that says "it" means the last code, which goes into the plan by reference', async () => {
    const testIt = {
      steps: [{ id: 'tests', tool: 'generate_tests', args: { code: '${input.last_code}' } }],
    };
    const { ask, runs, store, models } = anAgent({
      model: says({
        intent: [fibonacci, anIntent('Write tests for the function', ['generate_tests'])],
        plan: [write, testIt],
        text: 'Done.',
      }),
      tools,
    });
    await ask('write a fibonacci function');
    const outcome = await ask('write tests for it', { session: 's-1' });
    expect(outcome).toMatchObject({ kind: 'answer', runStatus: 'succeeded' });
    expect(runs.started[1]?.plan).toMatchObject({
      input: { last_code: { type: 'string', default: code } },
      steps: [{ tool: 'code.generate_tests' }],
    });
    expect(models.promptsOf('plan')[1]).toContain('input.last_code: code, python');
    expect(models.promptsOf('plan')[1]).not.toContain('def fib');
    expect(store.turns().at(-1)?.remembered).toMatchObject([{ kind: 'tests' }]);
  });

  it('that only tells of a preference ends with that being noted', async () => {
    const { ask, told, runs, events } = anAgent({ model: null });
    const outcome = await ask('I prefer tabs.');
    expect(outcome).toMatchObject({ kind: 'answer', answer: 'Noted for later: I prefer tabs.' });
    expect(told()).toBe('Noted for later: I prefer tabs.');
    expect(runs.started).toEqual([]);
    const both = await ask('I prefer tabs. Review src/a.py');
    expect(both).toMatchObject({ kind: 'refusal' });
    expect(events.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
  });

  it('with small talk is answered at once, without tools', async () => {
    const model = says({ intent: anIntent('Say hello', []), text: 'Hello! I can write code.' });
    const { ask, runs } = anAgent({ model });
    expect(await ask('hi')).toMatchObject({ kind: 'answer', answer: 'Hello! I can write code.' });
    expect(runs.started).toEqual([]);
  });

  it('keeps pasted code and files out of what is planned, and at hand for the plan', async () => {
    const review = {
      steps: [{ id: 'review', tool: 'code.review_code', args: { code: '${input.file_2}' } }],
    };
    const { ask, models, runs, store } = anAgent({
      model: says({
        intent: anIntent('Review the pasted code', ['code.review_code']),
        plan: review,
        text: 'Good.',
      }),
      tools,
    });
    const attachments = [{ name: 'a.py', content: 'x = 1' }];
    const outcome = await ask('review this\n```python\nsecret_word = 1\n```', { attachments });
    expect(outcome).toMatchObject({ kind: 'answer', runStatus: 'succeeded' });
    const before = [...models.promptsOf('intent'), ...models.promptsOf('plan')].join();
    expect(before).not.toContain('secret_word');
    expect(before).toContain('input.file_2: file, python, pasted code 1');
    expect(runs.started[0]?.plan.input).toMatchObject({ file_2: { default: 'secret_word = 1\n' } });
    expect(store.turns()[0]?.remembered).toMatchObject([{ title: 'a.py' }, { language: 'python' }]);
  });

  it('is refused when it is empty or too long', async () => {
    const { ask } = anAgent();
    await expect(ask(' ')).rejects.toMatchObject({ code: 'agent.invalid_message' });
    await expect(ask('x'.repeat(200_001))).rejects.toMatchObject({ code: 'agent.invalid_message' });
    const attachments = [{ name: 'big', content: 'x'.repeat(400_001) }];
    await expect(ask('x', { attachments })).rejects.toMatchObject({
      code: 'agent.invalid_message',
    });
  });
});

describe('a message that is not clear', () => {
  const unclear = anIntent('Write something', ['code.generate_code'], {
    confidence: 0.5,
    unclear_aspects: ['Which language?', 'what it computes', 'a', 'b'],
  });

  it('is asked about with at most three questions, and planned with the answer', async () => {
    const { ask, models, store } = anAgent({
      model: says({ intent: [unclear, fibonacci], plan: write, text: 'Done.' }),
      tools,
    });
    const outcome = await ask('write something');
    expect(outcome).toMatchObject({ kind: 'question', confidence: 0.5 });
    expect(Object(outcome).questions).toHaveLength(3);
    expect(store.turns()[1]).toMatchObject({
      outcome: 'question',
      questions: ['Which language?', 'What about this: what it computes?', 'What about this: a?'],
    });
    expect(await ask('python, fibonacci', { session: 's-1' })).toMatchObject({ kind: 'answer' });
    expect(models.promptsOf('intent')[1]).toContain(
      "The user's message: write something\npython, fibonacci",
    );
  });

  it('is put to the person at the client where that can be asked', async () => {
    const asked: unknown[] = [];
    const client: ClientPort = {
      id: 'c',
      era: 'handshake',
      capabilities: { elicitation: {} },
      ask: async ({ params }) => {
        asked.push(params['message']);
        return { action: 'accept', content: { answer_1: 'python', answer_2: 'fibonacci' } };
      },
      notify: () => {},
    };
    const { ask, store } = anAgent({
      model: says({ intent: [unclear, fibonacci], plan: write, text: 'Done.' }),
      tools,
    });
    expect(await ask('write something', {}, { client })).toMatchObject({ kind: 'answer' });
    expect(asked).toHaveLength(1);
    expect(store.turns().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('is guessed at where questions are turned off', async () => {
    const clarification = {
      enabled: false,
      maxQuestions: 3,
      confidenceThreshold: 0.7,
      askWhenAmbiguous: true,
    };
    const { ask } = anAgent({
      model: says({ intent: unclear, plan: write, text: 'Done.' }),
      tools,
      settings: { clarification },
    });
    expect(await ask('write something')).toMatchObject({ kind: 'answer' });
  });
});

describe('a message that needs an earlier answer to be understood', () => {
  it('is read with it, and what is planned then is shown before it runs', async () => {
    const vague = anIntent('Do the second one', [], { confidence: 0.3 });
    const { ask, models, runs } = anAgent({
      model: says({
        intent: [anIntent('Chat', []), vague, fibonacci],
        plan: write,
        text: 'You could 1. rest or 2. write fibonacci.',
      }),
      tools,
    });
    await ask('what could I do?');
    expect(await ask('do the second', { session: 's-1' })).toMatchObject({
      kind: 'plan',
      madeBy: 'model',
    });
    const [, clean, whole] = models.promptsOf('intent');
    expect(clean).not.toContain('2. write fibonacci');
    expect(whole).toContain('2. write fibonacci');
    expect(runs.started).toEqual([]);
  });
});

describe('a long conversation', () => {
  it('has its older turns summed up from the words of the user and what was done', async () => {
    const { ask, store, models } = anAgent({
      model: ({ name, prompt }) =>
        name === 'intent'
          ? anIntent('Chat', [])
          : prompt.includes('You shorten')
            ? 'They said numbers.'
            : 'ANSWER TEXT',
      settings: { contextTurns: 4 },
    });
    await ask('number 1');
    for (let n = 2; n <= 8; n += 1) await ask(`number ${n}`, { session: 's-1' });
    expect(store.sessions.get('s-1')?.summary).toEqual({ text: 'They said numbers.', turn: 10 });
    const made = models.promptsOf('text').find((prompt) => prompt.includes('You shorten')) ?? '';
    expect(made).toMatch(/User: number 1\nAssistant: answered\nUser: number 2/);
    expect(made).not.toContain('ANSWER TEXT');
    await ask('I prefer tabs', { session: 's-1' });
    expect(models.promptsOf('intent').at(-1)).toContain('Before: They said numbers.');
  });
});
