import { describe, expect, it } from 'vitest';
import { anAgent, anEntry, someEntries } from '../../../testkit/agent/an-agent.ts';
import type { PlanningAnswer, PlanningRequest } from '../planner/index.ts';
import { readSave } from './save-shown.ts';

describe('a request to save what was shown', () => {
  it.each([
    ['store this in logs/today.log', 'logs/today.log', undefined],
    ['please write them into "a-b.md".', 'a-b.md', undefined],
    ['dump the output to out.txt', 'out.txt', undefined],
    ['export the issues as a file called issues.md', 'issues.md', undefined],
    ['keep the scan results in scan.txt', 'scan.txt', 'scan'],
    ['put the results of the tests into t.txt', 't.txt', 'tests'],
    ['save the review under docs/review.md please', 'docs/review.md', 'review'],
  ])('is "%s"', (words, path, of) => {
    expect(readSave(words)).toEqual({ path, ...(of !== undefined && { of }) });
  });

  it.each([
    'write tests for it in test_cart.py',
    'write a review tool in review.py',
    'save that as a.md and commit it',
    'save it',
    'review the output in out.txt',
    'put the class Cart into cart.py',
  ])('is not "%s"', (words) => {
    expect(readSave(words)).toBeUndefined();
  });
});

describe('saving in a conversation', () => {
  const planned = ({ message }: PlanningRequest): PlanningAnswer => {
    const tool = /^(?:scan|review)/u.exec(message)?.[0];
    if (tool === undefined) return { kind: 'question', questions: ['Save what?'], candidates: [] };
    const steps = [{ id: tool, tool: `code.${tool}_code`, args: { code: 'x' } }];
    const plan = { version: 1 as const, goal: message, steps };
    return { kind: 'plan', candidates: [{ plan, why: '', confidence: 1 }] };
  };
  const aTalk = () => {
    const agent = anAgent({
      planned,
      entries: [...someEntries, anEntry('code.scan_code'), anEntry('workspace.apply_changes', {})],
      tools: {
        'code.scan_code': () => ({ text: '3 leaks, hunter2' }),
        'code.review_code': () => ({ text: 'Score ${input.a} of 5' }),
      },
      hideSecrets: true,
    });
    let session: string | undefined;
    const say = async (message: string) => {
      const outcome = await agent.ask(message, session === undefined ? {} : { session });
      session = outcome.sessionId;
      return outcome;
    };
    const run = async (message: string) => {
      await say(message);
      await say('yes');
    };
    return { say, run };
  };
  const contentOf = (outcome: object): unknown =>
    'plan' in outcome && JSON.parse(JSON.stringify(outcome.plan)).input?.shown_text.default;

  it('writes the text of the last result, as it is', async () => {
    const { say, run } = aTalk();
    await run('scan x');
    await run('review x');
    const outcome = await say('store that as last.md');
    expect(outcome).toMatchObject({
      kind: 'plan',
      plan: { steps: [{ tool: 'workspace.apply_changes', args: { path: 'last.md' } }] },
    });
    expect(contentOf(outcome)).toBe('Score ${input.a} of 5\n');
  });

  it('writes the result that is named, without its secrets', async () => {
    const { say, run } = aTalk();
    await run('scan x');
    await run('review x');
    expect(contentOf(await say('write the scan results to s.txt'))).toContain('3 leaks, [hidden');
  });

  it('also after a question about something else', async () => {
    const { say, run } = aTalk();
    await run('review x');
    await say('something unclear');
    expect(contentOf(await say('put the findings into f.md'))).toContain('Score');
  });

  it('is left to the planner where nothing was shown', async () => {
    const { say } = aTalk();
    expect(await say('save that as a.md')).toMatchObject({ questions: ['Save what?'] });
  });
});
