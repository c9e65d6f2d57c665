import { describe, expect, it } from 'vitest';
import type { ClientPort } from '../../contract/server/index.ts';
import { anAgent, anIntent, someEntries } from '../../../testkit/agent/an-agent.ts';
import { code, fibonacci, says, tools, write } from '../../../testkit/agent/fibonacci.ts';
import { ScriptedModelError } from '../../../testkit/agent/scripted-models.ts';

/** A person at a client who accepts each form with this content. */
function aClient(content: object) {
  const asked: object[] = [];
  const client: ClientPort = {
    id: 'c',
    era: 'handshake',
    capabilities: { elicitation: {} },
    ask: async (request) => {
      asked.push(request);
      return { action: 'accept', content };
    },
    notify: () => {},
  };
  return { client, asked };
}

describe('a plan of the model', () => {
  it('is made anew with what was wrong with it', async () => {
    const unknown = { steps: [{ id: 'a', tool: 'code.write_program', args: {} }] };
    const untyped = { steps: [{ id: 'a', tool: 'code.generate_code', args: {} }] };
    const { ask, models, runs } = anAgent({
      model: says({ intent: fibonacci, plan: [unknown, untyped, write], text: 'Done.' }),
      tools,
    });
    expect(await ask('write a fibonacci function')).toMatchObject({
      kind: 'answer',
      runStatus: 'succeeded',
    });
    const [, second = '', third = ''] = models.promptsOf('plan');
    expect(second).toContain('which this request does not ask for');
    expect(third).toContain('steps[0].args.description: "description" is missing');
    expect(runs.started).toHaveLength(1);
  });

  it('that stays wrong is replaced by one of the planner, which is shown first', async () => {
    const wrong = { steps: [{ id: 'a', tool: 'code.nothing', args: {} }] };
    const { ask, models, runs } = anAgent({
      model: says({ intent: fibonacci, plan: wrong, text: 'Done.' }),
      tools,
      planned: () => ({
        kind: 'plan',
        candidates: [{ plan: { version: 1, ...write }, confidence: 0.8, why: 'you want code' }],
      }),
    });
    expect(await ask('write a fibonacci function')).toMatchObject({
      kind: 'plan',
      madeBy: 'planner',
    });
    expect(models.promptsOf('plan')).toHaveLength(3);
    expect(runs.started).toEqual([]);
  });

  it('that stays wrong is refused where the planner knows nothing either', async () => {
    const { ask, runs } = anAgent({ model: says({ intent: fibonacci, plan: 'no plan' }) });
    const outcome = await ask('write a fibonacci function');
    expect(outcome).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining('Nothing fits.'),
    });
    expect(runs.started).toEqual([]);
  });

  it('with an effect is shown first, and its effect waits for a person after the yes', async () => {
    const send = {
      steps: [{ id: 'send', tool: 'mail.send', args: { to: 'bob@example.org', text: 'hi' } }],
    };
    const { ask, runs, store } = anAgent({
      model: says({ intent: anIntent('Send a mail', ['mail.send']), plan: send, text: 'Sent.' }),
    });
    const shown = await ask('send "hi" to bob@example.org by mail');
    expect(shown).toMatchObject({ kind: 'plan', plan: { steps: [{ approval: true }] } });
    const asked = await ask('yes', { session: 's-1' });
    expect(asked).toMatchObject({ kind: 'question', runId: 'run-1' });
    expect(Object(asked).questions[0]).toContain('tutti runs approve run-1 send');
    expect(asked).not.toHaveProperty('view');
    expect(await ask('yes', { session: 's-1' })).toMatchObject({
      kind: 'question',
      runId: 'run-1',
    });
    expect(runs.called).toEqual([]);
    runs.approved.add('send');
    const done = await ask('continue', { session: 's-1' });
    expect(done).toMatchObject({ kind: 'answer', runStatus: 'succeeded' });
    expect(runs.called).toEqual(['mail.send']);
    expect(store.turns()).toHaveLength(8);
  });

  it('is only shown when that is asked for, or set', async () => {
    const model = says({ intent: fibonacci, plan: write, text: 'Done.' });
    const { ask, runs } = anAgent({ model, tools });
    expect(await ask('write fibonacci', { planOnly: true })).toMatchObject({
      kind: 'plan',
      madeBy: 'model',
    });
    const careful = anAgent({ model, tools, settings: { preview: 'always' } });
    expect(await careful.ask('write fibonacci')).toMatchObject({ kind: 'plan' });
    expect(await careful.ask('write fibonacci', { acceptPreview: true })).toMatchObject({
      kind: 'answer',
    });
    expect(runs.started).toEqual([]);
  });

  it('is confirmed by the person at the client where that can be asked', async () => {
    const args = { to: 'bob@example.org', text: 'hi' };
    const model = says({
      intent: anIntent('Send mails', ['mail.send']),
      plan: { steps: ['send', 'again'].map((id) => ({ id, tool: 'mail.send', args })) },
    });
    const { ask } = anAgent({ model });
    const message = 'send "hi" to bob@example.org by mail, twice';
    const { client } = aClient({ run: true });
    expect(await ask(message, {}, { client })).toMatchObject({ kind: 'question', runId: 'run-1' });
    const refused = await ask(message, {}, { client: aClient({ run: false }).client });
    expect(refused).toMatchObject({
      kind: 'answer',
      answer: expect.stringContaining('Nothing was run'),
    });
  });

  it('of one effect is not confirmed by a client that is asked to approve the effect', async () => {
    const args = { to: 'bob@example.org', text: 'hi' };
    const plan = { steps: [{ id: 'send', tool: 'mail.send', args }] };
    const { ask } = anAgent({ model: says({ intent: anIntent('Send', ['mail.send']), plan }) });
    const { client, asked } = aClient({});
    const outcome = await ask('send "hi" to bob@example.org by mail', {}, { client });
    expect([outcome.kind, asked]).toEqual(['question', []]);
  });

  it.each([
    ['2', ['code.review_code']],
    ['none', []],
    ['7', []],
  ])('among several is chosen by a person at the client: %s', async (number, called) => {
    const review = { steps: [{ id: 'r', tool: 'code.review_code', args: { code } }] };
    const { ask, runs } = anAgent({
      tools,
      planned: () => ({
        kind: 'plan',
        candidates: [write, review].map((steps) => ({
          plan: { version: 1, ...steps },
          confidence: 0.5,
          why: '',
        })),
      }),
    });
    const { client, asked } = aClient({ plan: number });
    await ask('write and review fibonacci', {}, { client });
    expect(runs.called).toEqual(called);
    const { plan } = Object(asked[0]).params.requestedSchema.properties;
    expect(plan.enum).toEqual(['1', '2', 'none']);
    expect(asked).toHaveLength(1);
  });

  it('is corrected by the model where a step asks for repair, twice at most', async () => {
    const plan = { steps: [{ ...write.steps[0], onFailure: 'repair' }] };
    let calls = 0;
    const failing = anAgent({
      model: says({
        intent: fibonacci,
        plan,
        arguments: { args: { description: 'better' } },
        text: 'Done.',
      }),
      tools: { 'code.generate_code': () => ((calls += 1) < 2 ? new Error('too vague') : { code }) },
    });
    expect(await failing.ask('write fibonacci')).toMatchObject({
      kind: 'answer',
      runStatus: 'succeeded',
    });
    expect(failing.runs.repaired).toEqual([{ description: 'better' }]);
    const hopeless = anAgent({
      model: says({ intent: fibonacci, plan, arguments: { args: { description: 'better' } } }),
      tools: { 'code.generate_code': () => new Error('too vague') },
    });
    const outcome = await hopeless.ask('write fibonacci');
    expect(outcome).toMatchObject({ kind: 'answer', runStatus: 'failed' });
    expect(hopeless.runs.repaired).toEqual([
      { description: 'better' },
      { description: 'better' },
      null,
    ]);
  });
});

describe('what goes wrong', () => {
  it('in a run is told as it is, with what to do', async () => {
    const { ask, store } = anAgent({
      model: says({ intent: fibonacci, plan: write }),
      tools: { 'code.generate_code': () => new Error('no space left') },
    });
    const outcome = await ask('write fibonacci');
    expect(outcome).toMatchObject({ kind: 'answer', runStatus: 'failed' });
    expect(Object(outcome).answer).toMatch(
      /It did not work: no space left[^]*tutti runs retry run-1/,
    );
    expect(store.turns().at(-1)).toMatchObject({ outcome: 'failed', runId: 'run-1' });
  });

  it('with the model leads to the planner, and a used-up budget to the end', async () => {
    const down = new ScriptedModelError('models.unreachable', 'nobody answers');
    const { ask, events } = anAgent({ model: () => down });
    expect(await ask('write fibonacci')).toMatchObject({ kind: 'refusal', model: null });
    expect(events).toContainEqual({
      kind: 'notice',
      text: expect.stringContaining('nobody answers'),
    });
    const spent = anAgent({ model: () => new ScriptedModelError('models.budget_exceeded') });
    await expect(spent.ask('write fibonacci')).rejects.toMatchObject({
      code: 'models.budget_exceeded',
    });
    expect(spent.store.turns().at(-1)).toMatchObject({ outcome: 'failed' });
  });

  it('with the words for results leaves the results', async () => {
    const text = new ScriptedModelError('models.timeout', 'too slow');
    const { ask } = anAgent({ model: says({ intent: fibonacci, plan: write, text }), tools });
    const outcome = await ask('write fibonacci');
    expect(Object(outcome).answer).toMatch(
      /^SELF-TESTED, NOT VERIFIED; missing: tests from you\n[^]*def fib/,
    );
  });

  it('by a cancellation cancels the run and ends the turn, not the session', async () => {
    const cancel = new AbortController();
    const { ask, runs, store } = anAgent({
      model: says({ intent: fibonacci, plan: write }),
      tools: { 'code.generate_code': () => (cancel.abort(new Error('enough')), { code }) },
    });
    await expect(ask('write fibonacci', {}, { signal: cancel.signal })).rejects.toThrow('enough');
    expect(runs.cancelled).toEqual(['run-1']);
    expect(store.turns().at(-1)).toMatchObject({ outcome: 'cancelled' });
    expect(store.busy.size).toBe(0);
  });

  it('with a plan that was accepted too late is told', async () => {
    const send = { steps: [{ id: 'send', tool: 'mail.send', args: { to: 'a@b.org', text: 'x' } }] };
    const entries = [...someEntries];
    const model = says({ intent: anIntent('Send', ['mail.send']), plan: send });
    const { ask, runs } = anAgent({ model, entries });
    await ask('mail "x" to a@b.org');
    entries.splice(0, entries.length);
    const outcome = await ask('yes', { session: 's-1' });
    expect(outcome).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining('cannot be run any more'),
    });
    expect(runs.started).toEqual([]);
  });

  it('while a model corrects arguments gives the step up', async () => {
    const plan = { steps: [{ ...write.steps[0], onFailure: 'repair' }] };
    const down = new ScriptedModelError('models.unreachable');
    const { ask, runs } = anAgent({
      model: says({ intent: fibonacci, plan, arguments: down }),
      tools: { 'code.generate_code': () => new Error('too vague') },
    });
    expect(await ask('write fibonacci')).toMatchObject({ kind: 'answer', runStatus: 'failed' });
    expect(runs.repaired).toEqual([null]);
  });

  it('while older turns are summed up changes nothing', async () => {
    const { ask, store } = anAgent({
      model: ({ name, prompt }) =>
        name === 'intent'
          ? anIntent('Chat', [])
          : prompt.includes('You shorten')
            ? new ScriptedModelError('models.timeout')
            : 'Hello.',
      settings: { contextTurns: 0 },
    });
    await ask('hi');
    for (let turn = 0; turn < 5; turn += 1) await ask('hi', { session: 's-1' });
    expect(store.turns()).toHaveLength(12);
    expect(store.sessions.get('s-1')?.summary).toBeNull();
  });
});
