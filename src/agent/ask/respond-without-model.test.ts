import { describe, expect, it } from 'vitest';
import type { ClientPort } from '../../contract/server/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import { needsModelMetaKey } from '../../contract/tool/index.ts';
import type { PlanningAnswer } from '../planner/index.ts';
import { anAgent, anEntry, readOnly, someEntries } from '../../../testkit/agent/an-agent.ts';
import { tools, write } from '../../../testkit/agent/fibonacci.ts';
import { ScriptedModelError } from '../../../testkit/agent/scripted-models.ts';

describe('without a model', () => {
  const version = 1 as const;
  const review = {
    version,
    name: 'Review',
    steps: [{ id: 'review', tool: 'code.review_code', args: { code: 'x' } }],
  };
  const made = { version, ...write };
  const candidates = [
    { plan: made, confidence: 0.8, why: 'you want code' },
    { plan: review, confidence: 0.4, why: 'you want a review' },
  ];

  it('a plan of the planner is shown, run after a yes, and the answer says that no model took part', async () => {
    const { ask, runs, events } = anAgent({
      tools,
      planned: () => ({ kind: 'plan', candidates }),
    });
    const shown = await ask('write fibonacci');
    expect(shown).toMatchObject({
      kind: 'plan',
      madeBy: 'planner',
      model: null,
      candidates,
    });
    expect(Object(shown).preview).toMatchInlineSnapshot(`
      "Which of these do you mean? (Plans made without a model)
      1. "Fibonacci" you want code
         1. code: code.generate_code(description=n-th Fibonacci number)
      2. "Review" you want a review
         1. review: code.review_code(code=x)
      Run it? Answer with a number from 1 to 2, or no."
    `);
    expect(runs.started).toEqual([]);
    const outcome = await ask('yes', { session: 's-1' });
    expect(events).toContainEqual({ kind: 'notice', text: 'Running the first of 2 plans.' });
    expect(outcome).toMatchObject({ kind: 'answer', runStatus: 'succeeded', model: null });
    expect(Object(outcome).answer).toMatch(/def fib[^]*No model took part/);
  });

  it('a yes before the plan was seen tells what runs where it is in doubt', async () => {
    const lookup = { ...readOnly, idempotentHint: true };
    const entries = someEntries.map((entry) =>
      entry.name === 'code.generate_code' ? anEntry(entry.name, lookup) : entry,
    );
    const doubtful = anAgent({ tools, entries, planned: () => ({ kind: 'plan', candidates }) });
    await doubtful.ask('write fibonacci', { acceptPreview: true });
    expect(doubtful.events).toContainEqual({
      kind: 'notice',
      text: expect.stringMatching(/the first of 2 readings[^]*code\.generate_code\(description=/),
    });
    const sure = anAgent({
      tools,
      planned: () => ({ kind: 'plan', candidates: candidates.slice(0, 1) }),
    });
    await sure.ask('write fibonacci', { acceptPreview: true });
    expect(sure.events.map(({ kind }) => kind)).not.toContain('notice');
  });

  it.each([{}, readOnly])(
    'a yes before the plan was seen runs nothing in doubt that does more than look: %j',
    async (annotations) => {
      const entries = [...someEntries, anEntry('x.y', annotations)];
      const steps = [{ id: 'deed', tool: 'x.y', args: {} }];
      const deed = { plan: { version, steps }, confidence: 0.5, why: '' };
      const planned = (): PlanningAnswer => ({ kind: 'plan', candidates: [deed, deed] });
      const { ask, runs, events } = anAgent({ entries, planned });
      expect(await ask('do it', { acceptPreview: true })).toMatchObject({ kind: 'plan' });
      expect(runs.started).toEqual([]);
      expect(events).toContainEqual({
        kind: 'notice',
        text: expect.stringContaining('Not run') as string,
      });
    },
  );

  it('a schedule is not used, and the plan says that it runs once', async () => {
    const seen: string[] = [];
    const { ask } = anAgent({
      tools,
      planned: ({ message }) => {
        seen.push(message);
        return { kind: 'plan', candidates: candidates.slice(0, 1) };
      },
    });
    const { preview } = Object(await ask('every friday at 9, review it'));
    expect(seen).toEqual(['review it']);
    expect(preview).toContain('no scheduler, so "every friday at 9" is not used: this runs once');
  });

  it('a secret in pasted code is hidden in the preview, also where the value is cut', async () => {
    const args = { code: `${'x = 1; '.repeat(8)}PASSWORD = "hunter2"` };
    const plan = { version, steps: [{ id: 'review', tool: 'code.review_code', args }] };
    const { ask } = anAgent({
      tools,
      hideSecrets: true,
      planned: () => ({ kind: 'plan', candidates: [{ plan, why: '', confidence: 1 }] }),
    });
    const shown = await ask('review it');
    expect(Object(shown).preview).not.toContain('hunter');
    expect(shown).toMatchObject({ plan: { steps: [{ args }] } });
  });

  it.each(['file', 'folder'] as const)(
    'a result goes back only to a file it was made of: %s',
    async (kind) => {
      const seen: unknown[] = [];
      const [step] = write.steps;
      const steps = [{ ...step, id: 'code', args: { ...step?.args, path: 'a.py' } }];
      const { ask } = anAgent({
        tools,
        files: { kind: async () => kind, list: async () => ['a.py'] },
        planned: ({ remembered }) => {
          seen.push(remembered.find((one) => one.kind === 'code')?.path);
          const plan = { version, steps };
          return { kind: 'plan', candidates: [{ plan, confidence: 0.9, why: 'clear' }] };
        },
      });
      await ask('change a.py');
      await ask('yes', { session: 's-1' });
      await ask('apply it', { session: 's-1' });
      expect(seen.at(-1)).toBe(kind === 'file' ? 'a.py' : undefined);
    },
  );

  it('a result without a change is not offered to be applied to its file', async () => {
    const seen: number[] = [];
    const steps = [{ ...write.steps[0], id: 'code', args: { description: 'x', path: 'a.py' } }];
    const { ask } = anAgent({
      tools: { 'code.generate_code': () => ({ formatted_code: 'x = 1', changes_made: 0 }) },
      files: { kind: async () => 'file', list: async () => ['a.py'] },
      planned: ({ remembered }) => {
        seen.push(remembered.length);
        const plan = { version, steps };
        return { kind: 'plan', candidates: [{ plan, confidence: 0.9, why: 'clear' }] };
      },
    });
    await ask('format a.py');
    await ask('yes', { session: 's-1' });
    await ask('apply it', { session: 's-1' });
    expect(seen.at(-1)).toBe(0);
  });

  it('what is said of a plan is said of the one that is shown, each thing on its own line', async () => {
    const wrong = { version, steps: [{ id: 'x', tool: 'code.nothing', args: {} }] };
    const titled = {
      ...write.steps[0],
      id: 'code',
      title: 'safe\n  2. mail: nothing',
      when: 'a\nb',
    };
    const good = { version, name: 'a\nb', steps: [titled] };
    const seen: string[] = [];
    const { ask } = anAgent({
      planned: ({ message }) => {
        seen.push(message);
        const first = { plan: wrong, confidence: 0.9, why: 'wrong' };
        return { kind: 'plan', candidates: [first, { plan: good, confidence: 0.8, why: 'good' }] };
      },
    });
    const shown = await ask('write this\n```\nx\n```', { attachments: [] });
    expect(seen).toEqual(['write this']);
    expect(Object(shown).preview).toMatchInlineSnapshot(`
      "Plan "a b" (made without a model): good
        1. code: code.generate_code(description=n-th Fibonacci number) — safe 2. mail: nothing [when a b]
      Run it? Answer yes or no."
    `);
  });

  it('a plan that needs a model says how to connect one, where none is', async () => {
    const entries = someEntries.map((entry) => {
      const isWriter = entry.name === 'code.generate_code';
      const _meta = isWriter ? { [needsModelMetaKey]: true } : {};
      return { ...entry, tool: { ...entry.tool, _meta } };
    });
    const planned = (plan: Plan): PlanningAnswer => ({
      kind: 'plan',
      candidates: [{ plan, confidence: 0.8, why: '' }],
    });
    const shown = await anAgent({ entries, planned: () => planned(made) }).ask('write fibonacci');
    expect(Object(shown).preview).toMatch(
      /No model is connected; "tutti models" tells[^\n]*\nRun it/,
    );
    const other = await anAgent({ entries, planned: () => planned(review) }).ask('review x');
    expect(Object(other).preview).not.toContain('tutti models');
    const down = anAgent({
      entries,
      planned: () => planned(made),
      model: () => new ScriptedModelError('models.unreachable', 'nothing there'),
    });
    expect(Object(await down.ask('write fibonacci')).preview).toContain(
      'The model cannot be used: nothing there\nRun it',
    );
  });

  it('another plan is chosen by its number, and none by no', async () => {
    const { ask, runs } = anAgent({ tools, planned: () => ({ kind: 'plan', candidates }) });
    await ask('write fibonacci');
    expect(await ask('no', { session: 's-1' })).toMatchObject({ kind: 'answer' });
    await ask('write fibonacci', { session: 's-1' });
    const outcome = await ask('2', { session: 's-1' });
    expect(Object(outcome).answer).toMatch(/^line 1 minor: No docstring\n/);
    expect(runs.called).toEqual(['code.review_code']);
  });

  it('a question with candidates is answered by a number or in words', async () => {
    const seen: string[] = [];
    const { ask, runs } = anAgent({
      tools,
      planned: ({ message }) => {
        seen.push(message);
        return { kind: 'question', questions: ['Which of these?'], candidates };
      },
    });
    expect(await ask('do something with code')).toMatchObject({
      kind: 'question',
      candidates,
    });
    await ask('the review', { session: 's-1' });
    expect(seen).toEqual(['do something with code', 'do something with code\nthe review']);
    expect(await ask('1', { session: 's-1' })).toMatchObject({ kind: 'answer' });
    expect(runs.called).toEqual(['code.generate_code']);
  });

  it('a refusal says how to connect a model', async () => {
    const { ask } = anAgent({
      planned: () => ({ kind: 'refusal', reason: 'No tool books flights.' }),
    });
    expect(await ask('book a flight')).toMatchObject({
      kind: 'refusal',
      reason: expect.stringMatching(/No tool books flights\. No model is connected/),
    });
  });

  it('a refusal names the model that failed, and does not say there is none', async () => {
    const { ask } = anAgent({
      model: () => new ScriptedModelError('models.unreachable', 'nobody answers'),
      planned: () => ({ kind: 'refusal', reason: 'No tool books flights.' }),
    });
    expect(await ask('book a flight')).toMatchObject({
      kind: 'refusal',
      reason: 'No tool books flights. The model cannot be used: nobody answers',
    });
  });

  it('candidates that do not pass the check are left out', async () => {
    const bad = { version, steps: [{ id: 'x', tool: 'code.nothing', args: {} }] };
    const { ask } = anAgent({
      planned: () => ({
        kind: 'plan',
        candidates: [{ plan: bad, confidence: 0.9, why: '' }, ...candidates],
      }),
    });
    expect(await ask('write fibonacci')).toMatchObject({
      kind: 'plan',
      plan: { name: 'Fibonacci' },
    });
    const none = anAgent({
      planned: () => ({ kind: 'plan', candidates: [{ plan: bad, confidence: 0.9, why: '' }] }),
    });
    expect(await none.ask('write fibonacci')).toMatchObject({ kind: 'refusal' });
  });
});

describe('a plan that lacks values', () => {
  const lacking = {
    version: 1 as const,
    input: {
      code: { type: 'string', description: 'The code to review.' },
      limit: { type: 'integer' },
    },
    steps: [{ id: 'review', tool: 'code.review_code', args: { code: '${input.code}' } }],
  };
  const planned = () => ({
    kind: 'plan' as const,
    candidates: [{ plan: lacking, confidence: 0.8, why: 'you want a review' }],
  });

  it('asks for them, takes files and words for them, and is shown before it runs', async () => {
    const { ask, runs } = anAgent({ tools, planned });
    const asked = await ask('review my code', { acceptPreview: true });
    expect(asked).toMatchObject({
      kind: 'question',
      questions: ['What is the code to review?', 'Which limit?'],
    });
    const more = await ask('```\nx = 1\n```', { session: 's-1' });
    expect(more).toMatchObject({ kind: 'question', questions: ['Which limit?'] });
    const shown = await ask('7', { session: 's-1' });
    expect(shown).toMatchObject({
      kind: 'plan',
      plan: { input: { code: { default: 'x = 1' }, limit: { default: 7 } } },
    });
    expect(await ask('yes', { session: 's-1' })).toMatchObject({ kind: 'answer' });
    expect(runs.called).toEqual(['code.review_code']);
  });

  it('is dropped by a no, and asks the person at the client where it can', async () => {
    const { ask } = anAgent({ tools, planned });
    await ask('review my code');
    expect(await ask('no', { session: 's-1' })).toMatchObject({ kind: 'answer' });
    const answers = [{ answer_1: 'x = 1', answer_2: '3' }, { run: true }];
    const client: ClientPort = {
      id: 'c',
      era: 'handshake',
      capabilities: { elicitation: {} },
      ask: async () => ({ action: 'accept', content: answers.shift() }),
      notify: () => {},
    };
    expect(await ask('review my code', {}, { client })).toMatchObject({
      kind: 'answer',
      runStatus: 'succeeded',
    });
  });
});
