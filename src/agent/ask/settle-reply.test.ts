import { describe, expect, it } from 'vitest';
import type { PlanningAnswer, PlanningRequest } from '../planner/index.ts';
import { anAgent, type AnAgentParts } from '../../../testkit/agent/an-agent.ts';

const planOf = (tool: string, path: string) => ({
  version: 1 as const,
  goal: `${tool} ${path}`,
  steps: [{ id: 'a', tool: `code.${tool}_code`, args: { code: path } }],
});

/** A planner that plans "review PATH" and asks for the path where there is none. */
function planned({ message }: PlanningRequest): PlanningAnswer {
  const [, path] = /review[^]*?\b(\w+\.\w+|\w+\/)/.exec(message) ?? [];
  const question = { kind: 'question', questions: ['Which file?'], candidates: [] } as const;
  if (path === undefined) return message.includes('weather') ? noTool : question;
  return { kind: 'plan', candidates: [{ plan: planOf('review', path), why: '', confidence: 1 }] };
}

const noTool: PlanningAnswer = { kind: 'refusal', reason: 'No tool is for that.' };

function aTalk(parts: AnAgentParts = {}) {
  const agent = anAgent({ planned, tools: { 'code.review_code': () => ({ ok: true }) }, ...parts });
  let session: string | undefined;
  const say = async (message: string) => {
    const outcome = await agent.ask(message, session === undefined ? {} : { session });
    session = outcome.sessionId;
    return outcome;
  };
  return { ...agent, say };
}

describe('with a question open', () => {
  it.each(['a.py', 'the file a.py', 'in a.py', '"a.py"'])('%s answers it', async (answer) => {
    const { say } = aTalk();
    expect(await say('review it')).toMatchObject({ kind: 'question' });
    expect(await say(answer)).toMatchObject({ kind: 'plan', plan: planOf('review', 'a.py') });
  });

  it('a path stands for the name that was asked about', async () => {
    const { say } = aTalk({
      planned: ({ message }) =>
        message.includes('lost.py')
          ? { kind: 'question', questions: ['There is no "lost.py" here.'], candidates: [] }
          : planned({ message } as PlanningRequest),
    });
    expect(await say('review lost.py')).toMatchObject({ kind: 'question' });
    expect(await say('found.py')).toMatchObject({ plan: planOf('review', 'found.py') });
  });

  it.each(['help', 'Help!', '?'])('%s is not taken as its answer', async (message) => {
    const seen: string[] = [];
    const { say } = aTalk({
      planned: (request) => {
        seen.push(request.message);
        const isHelp = request.message === message;
        return isHelp ? { kind: 'about', topic: 'capabilities' } : planned(request);
      },
    });
    await say('review it');
    expect(await say(message)).toMatchObject({ kind: 'answer' });
    expect(seen.at(-1)).toBe(message);
  });

  it('a request that can be planned by itself is a new one', async () => {
    const { say, store } = aTalk();
    await say('write something strange');
    expect(await say('please review b.py')).toMatchObject({ plan: planOf('review', 'b.py') });
    expect(await say('yes')).toMatchObject({ kind: 'answer' });
    expect(store.turns()).toHaveLength(6);
  });

  it('what no tool can do is told, and the question is over', async () => {
    const { say } = aTalk();
    await say('review it');
    expect(await say('what is the weather like today')).toMatchObject({ kind: 'refusal' });
    expect(await say('a.py')).not.toMatchObject({ kind: 'plan' });
  });

  it('the second miss says how to begin anew, and drops it', async () => {
    const { say, events } = aTalk();
    await say('review it');
    expect(await say('hm hm hm')).toMatchObject({ kind: 'question' });
    expect(events).toContainEqual({
      kind: 'notice',
      text: expect.stringContaining('does not answer the question'),
    });
    expect(await say('yes')).toMatchObject({
      kind: 'refusal',
      reason: expect.stringContaining('the question is dropped'),
    });
    expect(await say('review c.py')).toMatchObject({ plan: planOf('review', 'c.py') });
  });

  it('no drops it', async () => {
    const { say } = aTalk();
    await say('review it');
    expect(await say('never mind')).toMatchObject({
      kind: 'answer',
      answer: expect.stringContaining('Nothing was run'),
    });
  });
});

describe('with a preview open', () => {
  it('another request takes its place, and a few words change it', async () => {
    const { say, runs } = aTalk();
    await say('review a.py');
    expect(await say('review the file b.py instead of it')).toMatchObject({
      plan: planOf('review', 'b.py'),
    });
    expect(await say('only c.py')).toMatchObject({ kind: 'plan' });
    expect(runs.started).toEqual([]);
  });

  it('a number that there is not shows it once more', async () => {
    const { say } = aTalk();
    await say('review a.py');
    expect(await say('2')).toMatchObject({ kind: 'plan', plan: planOf('review', 'a.py') });
    expect(await say('1')).toMatchObject({ kind: 'answer' });
  });
});
