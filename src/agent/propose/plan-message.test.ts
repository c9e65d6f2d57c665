import { describe, expect, it } from 'vitest';
import { ask, firstPlan } from '../../../testkit/agent/ask-planner.ts';

const tree = [
  'src/cart.ts',
  'src/report.ts',
  'data/keys.txt',
  'tests/cart.test.ts',
  'README.md',
  'src/money.py',
];

describe('what a message leaves out', () => {
  it.each([
    ['find injections but not in data', { path: '.', exclude: ['data'] }],
    ['format src but skip report.ts', { path: 'src', exclude: ['report.ts'] }],
    ['review everything except the tests', { path: '.', exclude: ['tests/'] }],
    ['review this repo, ignoring markdown files', { path: '.', exclude: ['*.md'] }],
  ])('is no target, and an argument of the tool: "%s"', async (message, args) => {
    const plan = await firstPlan(message, { tree });
    expect(plan).toHaveLength(1);
    expect(plan).toMatchObject([{ args }]);
  });

  it('says what is left out, and keeps the words of the user', async () => {
    expect(await ask('format src but skip report.ts', { tree })).toMatchObject({
      candidates: [
        {
          why: expect.stringContaining('Leaves out report.ts.') as string,
          plan: { goal: 'format src but skip report.ts' },
        },
      ],
    });
  });

  it.each([
    [
      'run the tests but not tests/cart.test.ts',
      '"exec.run_tests" cannot leave out tests/cart.test.ts',
    ],
    ['review everything except the old parts', 'is called "the old parts"'],
  ])('is asked about where no tool can: "%s"', async (message, question) => {
    expect(await ask(message, { tree })).toMatchObject({
      kind: 'question',
      questions: [expect.stringContaining(question) as string],
    });
    expect(JSON.stringify(await ask(message, { tree }))).not.toContain(
      '"path":"tests/cart.test.ts"',
    );
  });

  it.each([
    ['review src/cart.ts, skip the tests', { path: 'src/cart.ts' }],
    ['create notes.txt with: all except the tests', { content: 'all except the tests\n' }],
  ])('is nothing for one file or a text: "%s"', async (message, args) => {
    expect(await firstPlan(message, { tree })).toMatchObject([{ args }]);
  });
});
