import { describe, expect, it } from 'vitest';
import type { AskOutcome } from '../../contract/agent/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import { anAgent } from '../../../testkit/agent/an-agent.ts';

const plan = {
  version: 1 as const,
  steps: [{ id: 'review', tool: 'code.review_code', args: { code: 'x' } }],
};

const issues = Array.from({ length: 30 }, (_, line) => ({
  severity: line < 3 ? 'critical' : 'minor',
  file: line % 2 === 0 ? 'src/a.py' : 'tests/b.py',
  line,
  message: `finding ${line}`,
}));

/** A conversation without a model in which a review was run. */
async function aReviewed(output: Json = { issues }) {
  const agent = anAgent({
    tools: { 'code.review_code': () => output },
    planned: () => ({ kind: 'plan', candidates: [{ plan, why: '', confidence: 1 }] }),
  });
  await agent.ask('review it', { acceptPreview: true });
  const say = async (message: string): Promise<AskOutcome> =>
    agent.ask(message, { session: 's-1' });
  const answer = async (message: string): Promise<string> => Object(await say(message)).answer;
  return { ...agent, say, answer };
}

describe('after results', () => {
  it('"just the critical ones" is answered from them, without another run', async () => {
    const { answer, runs } = await aReviewed();
    expect(await answer('just the critical ones')).toBe(
      '3 of 30:\nsrc/a.py:0 critical: finding 0\ntests/b.py:1 critical: finding 1\nsrc/a.py:2 critical: finding 2',
    );
    expect(runs.started).toHaveLength(1);
  });

  it('each follow-up is about what was shown last', async () => {
    const { answer } = await aReviewed();
    await answer('only the critical ones');
    expect(await answer('only in src')).toMatch(/^2 of 30:\nsrc\/a\.py:0 .*\nsrc\/a\.py:2 [^\n]*$/);
    expect(await answer('how many are there?')).toBe('2 of 30 in 1 file: 2 critical.');
    expect(await answer('and the minor ones?')).toMatch(/^27 of 30:/);
    expect(await answer('show all')).toMatch(/^src\/a\.py:0 [^]*tests\/b\.py:29 [^\n]*$/);
  });

  it('the findings of all files are one list, whatever else a clean file lists', async () => {
    const steps = ['a', 'b'].map((id) => ({ id, tool: 'code.review_code', args: { code: id } }));
    const found = { issues: issues.slice(0, 2), counts: { critical: 2, minor: 0 } };
    const clean = {
      issues: [],
      counts: { critical: 0, minor: 0 },
      engines: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
    };
    const agent = anAgent({
      tools: { 'code.review_code': ({ code }) => (code === 'a' ? found : clean) },
      planned: () => ({
        kind: 'plan',
        candidates: [{ plan: { version: 1, steps }, why: '', confidence: 1 }],
      }),
    });
    await agent.ask('review both', { acceptPreview: true });
    const told = await agent.ask('how many are there?', { session: 's-1' });
    expect(Object(told).answer).toMatch(/^2 in 2 files: 2 critical/);
  });

  it('a long list comes page by page', async () => {
    const { answer } = await aReviewed();
    const first = await answer('list them');
    expect(first).toMatch(/finding 19\n… 10 more: say "more" or "show all"\.$/);
    expect(await answer('more')).toMatch(/^src\/a\.py:20 [^]*finding 29$/);
    expect(await answer('show me more')).toBe('That was all: 30 in 2 files: 3 critical, 27 minor.');
  });

  it('positions are those of the list that was narrowed to, not of the last pick', async () => {
    const { answer } = await aReviewed();
    await answer('just the critical ones');
    expect(await answer('only the first two')).toMatch(/^2 of 30:\n[^]*finding 1$/);
    expect(await answer('the second one')).toMatch(/^1 of 30:\n[^\n]*finding 1$/);
    expect(await answer('and the last one?')).toMatch(/^1 of 30:\n[^\n]*finding 2$/);
    expect(await answer('where exactly?')).toMatch(/^1 of 30:\nsrc\/a\.py:2 /);
    expect(await answer('how many are there?')).toBe('3 of 30 in 2 files: 3 critical.');
    expect(await answer('the blocker ones')).toBe('None of the 30 fits that.');
    expect(await answer('list them')).toMatch(/^3 of 30:/);
  });

  it('where nothing failed it is said so', async () => {
    const tests = [{ name: 'adds', status: 'passed', path: 'test/a.py' }];
    const { answer } = await aReviewed({ tests });
    expect(await answer('which one failed?')).toBe('None failed.');
  });

  it('counts include what the tool did not list', async () => {
    const counts = { critical: 3, minor: 27, info: 28 };
    const { answer } = await aReviewed({ issues, issues_omitted: 28, counts });
    expect(await answer('how many are there?')).toBe(
      '58: 3 critical, 27 minor, 28 info. The result lists 30 of them.',
    );
    expect(await answer('just the critical ones')).toMatch(/^3 of 58:/);
    expect(await answer('only the info ones')).toMatch(
      /^None of the 30 fits that\. 28 more are not/,
    );
    expect(await answer('show all')).toMatch(/\n28 more are not listed in the result: /);
  });

  it('they are still meant after a plan that was not run, a refusal or help', async () => {
    const { answer, say } = await aReviewed();
    expect(await say('review another')).toMatchObject({ kind: 'plan' });
    expect(await answer('only the first two')).toMatch(/^2 of 30:/);
    expect(await say('review another')).toMatchObject({ kind: 'plan' });
    expect(await say('only src/api')).toMatchObject({ kind: 'plan' });
    expect(await answer('how many critical ones?')).toBe('3 of 30 in 2 files: 3 critical.');
  });

  it('"show all" of what is no list is the whole text', async () => {
    const text = Array.from({ length: 90 }, (_, line) => `line ${line}`).join('\n');
    const { answer } = await aReviewed({ content: [], text });
    expect(await answer('show all')).toBe(text);
  });

  it('results of several steps are one list, and an empty one does not hide them', async () => {
    const linters = [{ name: 'eslint' }, { name: 'stylelint' }];
    const issue = { severity: 'critical', file: 'a.js', line: 4, message: 'eval' };
    const step = plan.steps[0];
    const steps = [step, { ...step, id: 'second', args: { code: 'y' } }].flatMap(
      (one) => one ?? [],
    );
    const agent = anAgent({
      tools: {
        'code.review_code': ({ code }) =>
          code === 'x'
            ? { issues: [issue], linters, counts: { critical: 1 } }
            : { issues: [], linters: [...linters, { name: 'tsc' }], counts: { critical: 0 } },
      },
      planned: () => ({
        kind: 'plan',
        candidates: [{ plan: { version: 1, steps }, why: '', confidence: 1 }],
      }),
    });
    await agent.ask('review both', { acceptPreview: true });
    const say = (message: string) => agent.ask(message, { session: 's-1' });
    expect(await say('how many are there?')).toMatchObject({
      answer: '1 in 1 file: 1 critical.',
    });
    expect(await say('the first one')).toMatchObject({ answer: expect.stringContaining('a.js:4') });
  });

  it('a request of its own is planned, also when nothing was shown before', async () => {
    const { say } = await aReviewed();
    expect(await say('review src/a.py')).toMatchObject({ kind: 'plan' });
    expect(await anAgent().ask('just the critical ones')).toMatchObject({ kind: 'refusal' });
  });
});
