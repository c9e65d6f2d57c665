import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import {
  openSandboxedTests,
  type SandboxedTests,
  type TestsResult,
} from './support/sandboxed-tests.ts';

const limitMs = 180_000;
let tests: SandboxedTests;

beforeAll(() => {
  if (!bubblewrapMissing) tests = openSandboxedTests();
});
afterAll(() => tests?.close());

function statuses(result: TestsResult): Record<string, string> {
  return Object.fromEntries(result.tests.map(({ name, status }) => [name, status]));
}

const python = {
  'sums.py': 'def add(a, b):\n    if a == 99:\n        return 0\n    return a + b\n',
};

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`run_tests in a sandbox${whyNoBubblewrap}`, () => {
  describe('with pytest', () => {
    it(
      'runs the sample project and finds the line that no test reaches',
      async (context) => {
        await tests.needs('python:pytest,coverage', context, true);
        const result = await tests.run({ path: 'examples/sample-python' });
        expect(result).toMatchObject({ ok: true, framework: 'pytest', passed: 9, failed: 0 });
        expect(result.coverageNote).toMatch(/^measured by coverage \d/);
        expect(result.coverage?.files).toContainEqual({
          path: 'loans/schedule.py',
          percent: 92.3,
          missing: [20],
        });
        expect(result.tests.every(({ durationMs }) => durationMs !== null)).toBe(true);
      },
      limitMs,
    );

    it(
      'tells failures, errors, skips, expected failures and files that do not load',
      async (context) => {
        await tests.needs('python:pytest', context, true);
        const files = {
          ...python,
          'test_sums.py': [
            'import pytest, sums',
            'def test_right(): assert sums.add(1, 2) == 3',
            'def test_wrong(): assert sums.add(1, 2) == 4',
            '@pytest.mark.skip(reason="later")',
            'def test_later(): pass',
            '@pytest.mark.xfail(reason="known")',
            'def test_known(): assert False',
            '@pytest.fixture',
            'def broken(): raise RuntimeError("no fixture")',
            'def test_fixture(broken): pass',
          ].join('\n'),
          'test_syntax.py': 'def test_x(:\n',
        };
        const result = await tests.run({ files });
        expect(result).toMatchObject({ ok: false, exitCode: 2 });
        expect(result.tests[0]).toMatchObject({ name: 'test_syntax.py', status: 'error' });
        const { 'test_syntax.py': _broken, ...whole } = files;
        const rest = await tests.run({ files: whole, coverage: false });
        expect(statuses(rest)).toEqual({
          test_right: 'passed',
          test_wrong: 'failed',
          test_later: 'skipped',
          test_known: 'skipped',
          test_fixture: 'error',
        });
        const wrong = rest.tests.find(({ name }) => name === 'test_wrong');
        expect(wrong?.message).toContain('assert 3 == 4');
        expect(wrong?.message).toContain('(test_sums.py:3)');
        expect(rest.coverage).toBeNull();
      },
      limitMs,
    );

    it(
      'runs the tests that the filter names',
      async (context) => {
        await tests.needs('python:pytest', context, true);
        const files = { 'test_a.py': 'def test_one(): pass\ndef test_two(): assert 0\n' };
        const result = await tests.run({ files, filter: 'one' });
        expect(result).toMatchObject({ ok: true, passed: 1, failed: 0 });
      },
      limitMs,
    );
  });

  describe('with unittest', () => {
    const files = {
      ...python,
      'tests/test_sums.py': [
        'import unittest, sums',
        'class Sums(unittest.TestCase):',
        '    def test_right(self): self.assertEqual(sums.add(1, 2), 3)',
        '    def test_wrong(self): self.assertEqual(sums.add(1, 2), 4)',
        '    @unittest.skip("later")',
        '    def test_later(self): pass',
      ].join('\n'),
    };

    it(
      'tells tests and coverage',
      async (context) => {
        await tests.needs('python:coverage', context, true);
        const result = await tests.run({ files });
        expect(result).toMatchObject({
          ok: false,
          framework: 'unittest',
          passed: 1,
          failed: 1,
          skipped: 1,
        });
        expect(result.tests.find(({ status }) => status === 'failed')).toMatchObject({
          name: 'test_sums.Sums.test_wrong',
          file: 'tests/test_sums.py',
          message: 'AssertionError: 3 != 4\n(tests/test_sums.py:4)',
        });
        expect(result.coverage).toEqual({
          percent: 75,
          files: [{ path: 'sums.py', percent: 75, missing: [3] }],
        });
      },
      limitMs,
    );

    it(
      'counts the same lines by itself where the package coverage cannot be had',
      async (context) => {
        await tests.needs('python', context, true);
        // A module of the project that hides the package.
        const result = await tests.run({ files: { ...files, 'coverage.py': '' } });
        expect(result.coverageNote).toContain('tracer of our own');
        expect(result.coverage?.files.find(({ path }) => path === 'sums.py')).toEqual({
          path: 'sums.py',
          percent: 75,
          missing: [3],
        });
      },
      limitMs,
    );
  });

  describe('with node:test', () => {
    it(
      'runs JavaScript and TypeScript and tells coverage of both',
      async () => {
        const result = await tests.run({
          files: {
            'add.js':
              'exports.add = (a, b) => {\n  if (a === 99) {\n    return 0;\n  }\n  return a + b;\n};\n',
            'sub.ts': 'export function sub(a: number, b: number): number {\n  return a - b;\n}\n',
            'lib/untested.ts': 'export const one: number = 1;\n\nexport const two = 2;\n',
            'lib/types.ts': '// Nothing to run.\nexport interface Sum {\n  a: number;\n}\n',
            'eslint.config.js': 'module.exports = [];\n',
            'test/add.test.js':
              "const { describe, it } = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('../add.js');\ndescribe('add', () => {\n  it('adds', () => assert.equal(add(1, 2), 3));\n  it('fails', () => assert.equal(add(1, 2), 4));\n  it.skip('later', () => {});\n});\n",
            'test/sub.test.ts':
              "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { sub } from '../sub.ts';\ntest('subtracts', () => assert.equal(sub(3, 1), 2));\n",
            'test/broken.test.mjs': "import 'node:test';\nthrow new Error('at load');\n",
            'test/early.test.mjs': "import 'node:test';\nprocess.exit(0);\n",
          },
        });
        expect(statuses(result)).toEqual({
          'add > adds': 'passed',
          'add > fails': 'failed',
          'add > later': 'skipped',
          subtracts: 'passed',
          'test/broken.test.mjs': 'error',
          'test/early.test.mjs': 'error',
        });
        expect(result.tests.find(({ name }) => name === 'add > fails')?.message).toContain(
          '3 == 4',
        );
        expect(result.tests.find(({ file }) => file.includes('broken'))?.message).toContain(
          'at load',
        );
        expect(result.coverage?.files).toMatchObject([
          { path: 'add.js', missing: [3, 4] },
          { path: 'lib/untested.ts', percent: 0, missing: [1, 2, 3] },
          { path: 'sub.ts', percent: 100, missing: [] },
        ]);
      },
      limitMs,
    );
  });

  it(
    'runs vitest as it is installed in the project',
    async () => {
      const files = {
        'package.json': '{"type": "module", "devDependencies": {"vitest": "*"}}',
        'vitest.config.ts':
          "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { testTimeout: 5_000 } });\n",
        'add.ts':
          'export function add(a: number, b: number): number {\n  if (a === 99) {\n    return 0;\n  }\n  return a + b;\n}\n',
        'lib/untested.ts': 'export function half(n: number): number {\n  return n / 2;\n}\n',
        'lib/types.ts': 'export interface Sum {\n  a: number;\n}\n',
        'add.test.ts':
          "import { expect, it } from 'vitest';\nimport { add } from './add.ts';\nit('adds', () => expect(add(1, 2)).toBe(3));\nit('fails', () => expect(add(1, 2)).toBe(4));\n",
      };
      tests.write('vitest', files);
      symlinkSync(
        join(import.meta.dirname, '../node_modules'),
        join(tests.root, 'vitest/node_modules'),
      );
      const result = await tests.run({ path: 'vitest' });
      expect(result).toMatchObject({ ok: false, framework: 'vitest', passed: 1, failed: 1 });
      expect(result.tests[1]).toMatchObject({
        file: 'add.test.ts',
        message: 'AssertionError: expected 3 to be 4 // Object.is equality\n(add.test.ts:4)',
      });
      expect(result.coverage?.files).toMatchObject([
        { path: 'add.ts', missing: [3] },
        { path: 'lib/types.ts', percent: 100 },
        { path: 'lib/untested.ts', percent: 0, missing: [2] },
      ]);
    },
    limitMs,
  );

  it(
    'runs Go tests and tells the package that does not compile',
    async (context) => {
      await tests.needs('go', context, true);
      const result = await tests.run({
        files: {
          'go.mod': 'module example.com/sums\n\ngo 1.18\n',
          'sums.go':
            'package sums\n\nfunc Add(a, b int) int {\n\tif a == 99 {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n',
          'sums_test.go':
            'package sums\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n\nfunc TestWrong(t *testing.T) {\n\tt.Errorf("Add(1, 2) = %d, want 4", Add(1, 2))\n}\n\nfunc TestLater(t *testing.T) { t.Skip("later") }\n',
          'broken/broken_test.go':
            'package broken\n\nimport "testing"\n\nfunc TestX(t *testing.T) { undefined() }\n',
        },
      });
      expect(statuses(result)).toEqual({
        TestAdd: 'passed',
        TestWrong: 'failed',
        TestLater: 'skipped',
        'example.com/sums/broken': 'error',
      });
      expect(result.tests.find(({ name }) => name === 'TestWrong')).toMatchObject({
        file: 'sums_test.go',
        message: 'sums_test.go:12: Add(1, 2) = 3, want 4',
      });
      expect(result.coverage?.files).toMatchObject([{ path: 'sums.go', percent: 66.7 }]);
      expect(result.stderr).toContain('undefined');
    },
    limitMs,
  );

  it(
    'runs Rust tests, those in the documentation too',
    async (context) => {
      await tests.needs('rust', context, false);
      const result = await tests.run({
        files: {
          'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
          'src/lib.rs':
            '/// ```\n/// assert_eq!(sums::add(1, 2), 3);\n/// ```\npub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n    #[test]\n    fn wrong() {\n        assert_eq!(super::add(1, 2), 4);\n    }\n    #[test]\n    #[ignore = "slow"]\n    fn slow() {}\n}\n',
        },
      });
      expect(statuses(result)).toEqual({
        'tests::adds': 'passed',
        'tests::wrong': 'failed',
        'tests::slow': 'skipped',
        'src/lib.rs - add (line 1)': 'passed',
      });
      expect(result.tests.find(({ status }) => status === 'failed')?.message).toContain('right: 4');
    },
    limitMs,
  );

  it.for([
    ['JUnit 4', 'org.junit.Test', 'org.junit.Assert'],
    ['JUnit 5', 'org.junit.jupiter.api.Test', 'org.junit.jupiter.api.Assertions'],
  ] as const)(
    'runs tests of %s',
    { timeout: limitMs },
    async ([_name, annotation, assertions], context) => {
      await tests.needs('java', context, false);
      const result = await tests.run({
        files: {
          'src/shop/Sum.java':
            'package shop;\npublic class Sum { static int add(int a, int b) { return a + b; } }\n',
          'src/shop/SumTest.java': `package shop;\nimport ${annotation};\nimport static ${assertions}.assertEquals;\npublic class SumTest {\n  @Test public void adds() { assertEquals(3, Sum.add(1, 2)); }\n  @Test public void wrong() { assertEquals(4, Sum.add(1, 2)); }\n}\n`,
        },
      });
      expect(statuses(result)).toEqual({
        'shop.SumTest.adds': 'passed',
        'shop.SumTest.wrong': 'failed',
      });
      const failed = result.tests.find(({ status }) => status === 'failed');
      expect(failed?.message).toMatch(/expected: ?<4> but was: ?<3>\n\(SumTest\.java:6\)$/);
      expect(failed?.file).toBe('src/shop/SumTest.java');
      expect(result.coverageNote).toContain('Java');
    },
  );

  describe('is not deceived by', () => {
    it.each([
      ['a suite without tests', 'x = 1\n', 'no test was reported'],
      [
        'a suite that exits at once with 0',
        'import os\nos._exit(0)\n',
        'ended before the test runner',
      ],
      [
        'a test that exits with 0 in the middle',
        'import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n',
        'ended before the test runner',
      ],
      [
        'a test that writes a report of its own',
        [
          'import glob, os',
          'def test_a():',
          '    for path in glob.glob("../.tests-*/report.jsonl"):',
          '        with open(path, "a") as report:',
          '            report.write("0" * 64 + \' {"kind": "test", "name": "forged", "file": "", "status": "passed", "durationMs": 1, "message": null}\\n\')',
          '            report.write("0" * 64 + \' {"kind": "end", "exitCode": 0}\\n\')',
          '    os._exit(0)',
        ].join('\n'),
        'was not written by the test runner',
      ],
      [
        'a suite whose tests are all skipped',
        'import pytest\n@pytest.mark.skip\ndef test_a(): pass\n',
        'every test was skipped',
      ],
    ])(
      '%s',
      async (_what, text, problem) => {
        const result = await tests.run({ files: { 'test_a.py': text }, framework: 'pytest' });
        expect(result.ok).toBe(false);
        expect(result.problem).toContain(problem);
        expect(result.tests.map(({ name }) => name)).not.toContain('forged');
      },
      limitMs,
    );

    it(
      'a Go program that ends before its tests begin',
      async (context) => {
        await tests.needs('go', context, true);
        const text =
          'package a\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n\nfunc TestA(t *testing.T) {}\n';
        const result = await tests.run({ files: { 'a_test.go': text } });
        expect(result).toMatchObject({ ok: false, tests: [] });
      },
      limitMs,
    );
  });

  it(
    'ends a suite that loops for ever, with the reason and the test that was running',
    async (context) => {
      await tests.needs('python:pytest', context, true);
      const files = {
        'test_a.py': 'def test_fine(): pass\ndef test_endless():\n    while True: pass\n',
      };
      const result = await tests.run({ files, limits: { wallMs: 6_000 } });
      expect(result).toMatchObject({ ok: false, status: 'killed', reason: 'timeout' });
      expect(statuses(result)).toEqual({ test_fine: 'passed', test_endless: 'error' });
    },
    limitMs,
  );

  it(
    'kills the tests of a call that is cancelled while they run',
    async () => {
      const cancel = new AbortController();
      const text =
        'import time, unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        print("begun", flush=True)\n        time.sleep(600)\n';
      const call = tests.run(
        { files: { 'test_a.py': text } },
        {
          signal: cancel.signal,
          onOutput: (shown) => {
            if (shown.includes('begun')) cancel.abort(new Error('no longer wanted'));
          },
        },
      );
      await expect(call).rejects.toThrow('no longer wanted');
    },
    limitMs,
  );

  it(
    'gives the tests the variables of the call, and no others of this machine',
    async () => {
      const text =
        'import os, unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(os.environ["PYTHONHASHSEED"], "7")\n        self.assertEqual(os.environ["GREETING"], "hello")\n        self.assertNotIn("USER", os.environ)\n';
      const env = { PYTHONHASHSEED: '7', GREETING: 'hello' };
      expect(await tests.run({ files: { 'test_a.py': text }, env })).toMatchObject({ ok: true });
    },
    limitMs,
  );

  it(
    'leaves the project as it was',
    async () => {
      const text =
        'open("made.txt", "w").write("x")\nimport unittest\nclass A(unittest.TestCase):\n    def test_a(self): open("test_a.py", "w").write("gone")\n';
      tests.write('unchanged', { 'test_a.py': text });
      const result = await tests.run({ path: 'unchanged' });
      expect(result).toMatchObject({ ok: true, passed: 1 });
      expect(readFileSync(join(tests.root, 'unchanged/test_a.py'), 'utf8')).toBe(text);
    },
    limitMs,
  );
});
