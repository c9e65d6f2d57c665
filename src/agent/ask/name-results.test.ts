import { describe, expect, it } from 'vitest';
import { anAgent } from '../../../testkit/agent/an-agent.ts';

const files = [
  'src/cart.py',
  'src/web/page.py',
  'tests/test_cart.py',
  'tests/test_page.py',
  'tests/web/test_form.py',
];
const tests = [
  { name: 'test_sum', file: 'tests/test_cart.py', status: 'failed', message: 'assert 1 == 2' },
  { name: 'test_add', file: 'tests/test_page.py', status: 'passed' },
];

/** A conversation in which a tool worked on a path, with what the planner was asked since. */
async function after(output: object, path: string) {
  const asked: string[] = [];
  const plan = {
    version: 1 as const,
    steps: [{ id: 'review', tool: 'code.review_code', args: { code: 'x', path } }],
  };
  const { ask } = anAgent({
    tools: { 'code.review_code': () => Object(output) },
    files: { kind: async () => 'file', list: async () => files },
    planned: ({ message }) => {
      asked.push(message);
      return { kind: 'plan', candidates: [{ plan, why: '', confidence: 1 }] };
    },
  });
  await ask('do it', { acceptPreview: true });
  return async (message: string) => {
    const outcome = await ask(message, { session: 's-1' });
    return asked.length > 1 ? asked.at(-1) : Object(outcome).answer;
  };
}

describe('after tests were run', () => {
  it.each([
    ['show me that test', 'show me the contents of tests/test_cart.py'],
    ['please open the failing test', 'show me the contents of tests/test_cart.py'],
    ['run only that one', 'run the tests in tests/test_cart.py -k "test_sum"'],
    ['rerun the failed tests', 'run the tests in tests/test_cart.py -k "test_sum"'],
    ['now the web ones', 'and tests/web'],
    ['and the page tests?', '1 of 2:\ntests/test_page.py passed: test_add'],
    ['and the form tests?', 'and tests/web/test_form.py'],
  ])('"%s" is "%s"', async (message, meant) => {
    const say = await after({ tests }, '.');
    expect(await say(message)).toBe(meant);
  });

  it('"the failed ones" and "run it" are no names of files', async () => {
    const say = await after({ tests }, '.');
    expect(await say('only the failed ones')).toContain('test_sum');
    expect(await say('which one is broken?')).toContain('test_sum');
    expect(await say('run it')).toBe('run it');
  });
});

describe('after a file was reviewed', () => {
  const issues = [
    { severity: 'info', file: 'src/cart.py', line: 30, message: 'one' },
    { severity: 'info', file: 'src/cart.py', line: 2, message: 'two' },
  ];

  it.each([
    ['run its tests', 'run the tests in tests/test_cart.py'],
    ['show me that line', 'show lines 20-40 of src/cart.py'],
    ['and the page one?', 'and src/web/page.py'],
  ])('"%s" is "%s"', async (message, meant) => {
    const say = await after({ issues }, 'src/cart.py');
    expect(await say(message)).toBe(meant);
  });

  it('"the other one" is what was not picked before, and hints are not serious', async () => {
    const say = await after({ issues }, 'src/cart.py');
    expect(await say('show me the first one')).toContain('one');
    expect(await say('and the other one?')).toContain('two');
    expect(await say('only the serious ones')).toBe('None of the 2 fits that.');
  });

  it('the diff that a step made is shown again, until it is written', async () => {
    const say = await after({ files: [], diff: '--- a\n+++ b\n' }, 'src');
    expect(await say('show me the diff')).toBe('--- a\n+++ b');
    const written = await after({ change_id: '1', diff: '--- a\n+++ b\n' }, 'src');
    expect(await written('show me the diff')).toBe('show me the diff');
  });
});
