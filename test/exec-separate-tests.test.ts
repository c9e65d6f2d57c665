import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { openSandboxedTests, type SandboxedTests } from './support/sandboxed-tests.ts';

const limitMs = 180_000;
let tests: SandboxedTests;

beforeAll(() => {
  if (!bubblewrapMissing) tests = openSandboxedTests();
});
afterAll(() => tests?.close());

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`run_tests in a sandbox${whyNoBubblewrap}`, () => {
  it.for([
    {
      framework: 'pytest',
      toolchain: 'python:pytest',
      codeFile: 'sums.py',
      testFile: 'test_sums.py',
    },
    { framework: 'unittest', toolchain: 'python', codeFile: 'sums.py', testFile: 'test_sums.py' },
    { framework: 'node', toolchain: 'node', codeFile: 'sums.mjs', testFile: 'sums.test.mjs' },
  ])(
    'tests folders apart with $framework, and one that loops does not take the time of the others',
    { timeout: limitMs },
    async ({ framework, toolchain, codeFile, testFile }, context) => {
      await tests.needs(toolchain, context, framework !== 'node');
      const isPython = codeFile.endsWith('.py');
      const code = (result: string, isEndless = false): string =>
        isPython
          ? `def add(a, b):\n    while ${isEndless ? 'True' : 'False'}:\n        pass\n    return ${result}\n`
          : `export function add(a, b) {\n  while (${isEndless});\n  return ${result};\n}\n`;
      const test = isPython
        ? 'import unittest, sums\nclass TestSums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n'
        : "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './sums.mjs';\ntest('test_add', () => assert.equal(add(1, 2), 3));\n";
      const folders = { a: code('a + b'), b: code('0', true), c: code('a - b'), d: code('b + a') };
      const files = Object.fromEntries(
        Object.entries(folders).flatMap(([folder, text]) => [
          [`${folder}/${codeFile}`, text],
          [`${folder}/${testFile}`, test],
        ]),
      );
      const separate = { wallMs: 3_000 };
      const result = await tests.run({ files, framework, coverage: false, separate });
      const told = result.tests.map(({ file, status }) => `${file.split('/')[0]} ${status}`);
      expect(told.sort()).toEqual(['a passed', 'b error', 'c failed', 'd passed']);
    },
  );
});
