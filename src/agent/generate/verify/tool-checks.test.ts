import { expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import type { ToolCaller } from '../tool-caller.ts';
import { runPlainly } from './tool-checks.ts';

type Said = (files: Readonly<Record<string, string>>, sign: string) => string;

/** A sandbox that runs nothing: the program says what it is told to say. */
function sandbox(said: Said, stderr = ''): ToolCaller & { readonly runs: string[] } {
  const runs: string[] = [];
  return {
    runs,
    call: async (_name, args) => {
      const files = Object.fromEntries(
        Object.entries(Object(Object(args).files)).map(([path, text]) => [path, String(text)]),
      );
      const sign = /([0-9a-f]{24}) passed/.exec(Object.values(files).join('\n'))?.[1] ?? '';
      runs.push(Object.keys(files).sort().join(' '));
      return {
        content: [],
        structuredContent: {
          status: 'exited',
          exitCode: 0,
          reason: null,
          stdout: said(files, sign),
          stderr,
        },
      };
    },
  };
}

const python = {
  language: 'python',
  codeFile: 'solution.py',
  code: 'x = 1\n',
  wallMs: 1_000,
} as const;
const script = {
  language: 'javascript',
  codeFile: 'solution.mjs',
  code: '',
  wallMs: 1_000,
} as const;
const simple = "import { test } from 'node:test';\ntest('a', () => {});\n";

it('is content with tests that pass in an ordinary program, in which no file is named like tests', async () => {
  const tools = sandbox((_files, sign) => `${sign} passed`);
  const tests = 'def test_a():\n    assert True\n';
  expect(await runPlainly(tools, { ...python, tests }, aCallContext())).toEqual([]);
  expect(await runPlainly(tools, { ...script, tests: simple }, aCallContext())).toEqual([]);
  expect(tools.runs).toEqual(['app.py solution.py', 'app.mjs order.mjs solution.mjs']);
});

it('names the tests that fail there', async () => {
  const tools = sandbox((_files, sign) => `${sign} failed: test_a, test_b\n`);
  const [doubt] = await runPlainly(tools, { ...python, tests: 'x = 1\n' }, aCallContext());
  expect(doubt).toContain('the tests do not pass: test_a, test_b.');
});

it('does not believe a program that ends without a word', async () => {
  const doubts = await runPlainly(
    sandbox(() => ''),
    { ...script, tests: simple },
    aCallContext(),
  );
  expect(doubts).toHaveLength(1);
});

it.each([
  ['fixtures for all', { ...python, tests: '@pytest.fixture(autouse=True)\ndef f(): pass\n' }],
  ['mocks', { ...script, tests: `${simple}t.mock.fn();\n` }],
  ['a compiler', { ...python, language: 'go', codeFile: 'solution.go', tests: '' } as const],
])('leaves out tests that need %s', async (_what, program) => {
  const tools = sandbox(() => '');
  expect(await runPlainly(tools, program, aCallContext())).toEqual([]);
  expect(tools.runs).toEqual([]);
});

it('says nothing where pytest is missing', async () => {
  const tools = sandbox(() => '', "ModuleNotFoundError: No module named 'pytest'");
  expect(await runPlainly(tools, { ...python, tests: 'import pytest\n' }, aCallContext())).toEqual(
    [],
  );
});

it('starts no tests by their own main', async () => {
  const tests = 'x = 1\n\nif __name__ == "__main__":\n    unittest.main()\n';
  const tools = sandbox(
    (files, sign) =>
      `${sign} ${files['app.py']?.includes('unittest.main()') ? 'failed: main' : 'passed'}`,
  );
  expect(await runPlainly(tools, { ...python, tests }, aCallContext())).toEqual([]);
});
