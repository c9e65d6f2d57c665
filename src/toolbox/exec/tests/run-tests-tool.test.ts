import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { SandboxRun } from '../../../contract/sandbox/index.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { runTestsTool } from './run-tests-tool.ts';
import type { TestsContext } from './run-tests.ts';
import {
  aTestsContext,
  scriptedSandbox,
  type ScriptedEnd,
} from '../../../../testkit/toolbox/exec/tests/scripted-sandbox.ts';
import {
  aTestRecord,
  endRecord,
  signRecords,
} from '../../../../testkit/toolbox/exec/tests/signed-records.ts';

const resultSchema = z.looseObject({
  ok: z.boolean(),
  problem: z.string().optional(),
  tests: z.array(z.looseObject({ name: z.string(), file: z.string(), status: z.string() })),
  notes: z.array(z.string()),
  coverageNote: z.string().optional(),
  stdout: z.string(),
});

const python = { files: { 'test_a.py': 'def test_a(): pass' } };

/** As our runners do: signed with the key they were given. */
function reporting(...records: object[]): (run: SandboxRun) => ScriptedEnd {
  return (run) => {
    const { key } = z.object({ key: z.string() }).parse(orderOf(run));
    return { reports: { 'report.jsonl': signRecords(records, key) } };
  };
}

function orderOf({ stdin }: SandboxRun): unknown {
  const text = String(stdin);
  if (text.startsWith('{')) return JSON.parse(text);
  return Object.fromEntries(text.split('\n').map((line) => line.split('=')));
}

async function call(
  sandbox: ReturnType<typeof scriptedSandbox>,
  input: object,
  change: Partial<TestsContext> = {},
) {
  const tool = runTestsTool(aTestsContext(sandbox, change));
  const result = await tool.call(input, aCallContext());
  const [content] = result.content;
  const text = content?.type === 'text' ? content.text : '';
  return { ...resultSchema.parse(result.structuredContent), text, run: sandbox.runs[0] };
}

function aTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'tutti-tests-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

describe('run_tests', () => {
  it('tells tests, coverage and how the run went', async () => {
    const coverage = {
      kind: 'coverage',
      file: 'a.py',
      lines: 10,
      missing: [3, 4, 9],
      meter: 'coverage 7',
    };
    const found = await call(
      scriptedSandbox(reporting(aTestRecord(), coverage, endRecord)),
      python,
    );
    expect(found).toMatchObject({
      ok: true,
      framework: 'pytest',
      passed: 1,
      failed: 0,
      skipped: 0,
      coverage: { percent: 70, files: [{ path: 'a.py', percent: 70, missing: [3, 4, 9] }] },
      coverageNote: 'measured by coverage 7',
      status: 'exited',
      reason: null,
    });
    expect(found.text).toContain('passed: 1 passed, 0 failed, 0 skipped (pytest');
    expect(found.text).toContain('a.py 70 %, not run: 3-4, 9');
  });

  it('names the failure and counts an error as failed', async () => {
    const failed = aTestRecord({ status: 'error', message: 'KeyError: 1' });
    const found = await call(scriptedSandbox(reporting(failed, endRecord)), python);
    expect(found).toMatchObject({ ok: false, failed: 1 });
    expect(found.text).toContain('test_sums.py adds\n  KeyError: 1');
  });

  it('takes a run without a report for failed, though it exited with 0', async () => {
    const said = { stderr: Buffer.from('Traceback: no module named x') };
    const found = await call(
      scriptedSandbox(() => said),
      python,
    );
    expect(found).toMatchObject({ ok: false, tests: [], exitCode: 0 });
    expect(found.problem).toBe('the test runner left no report; the run exited with 0');
    expect(found.text).toContain('no module named x');
  });

  it('takes a report signed with another key for none', async () => {
    const forged = (): ScriptedEnd => ({
      reports: { 'report.jsonl': signRecords([aTestRecord(), endRecord], 'abcd') },
    });
    const found = await call(scriptedSandbox(forged), python);
    expect(found).toMatchObject({ ok: false, tests: [] });
    expect(found.problem).toContain('not written by the test runner');
  });

  it('gives each run another key and another folder, neither of them in the environment', async () => {
    const sandbox = scriptedSandbox(() => ({}));
    await call(sandbox, python);
    await call(sandbox, python);
    const [first, second] = sandbox.runs;
    expect(first?.stdin).not.toBe(second?.stdin);
    expect(first?.collect?.paths).not.toEqual(second?.collect?.paths);
    expect(first?.env).toEqual({});
  });

  it('looks for a Python with pytest and coverage, then for one with pytest', async () => {
    const sandbox = scriptedSandbox(() => ({}), ['python:pytest,coverage']);
    expect((await call(sandbox, python)).run?.toolchain).toBe('python:pytest');
    const none = scriptedSandbox(() => ({}), ['python:pytest,coverage', 'python:pytest']);
    await expect(call(none, python)).rejects.toMatchObject({ code: 'sandbox.toolchain_missing' });
    const unittest = { files: { 'test_a.py': 'import unittest' }, coverage: false };
    expect(
      (
        await call(
          scriptedSandbox(() => ({})),
          unittest,
        )
      ).run?.toolchain,
    ).toBe('python');
  });

  it('gives a suite more time than a snippet, and just what the caller names', async () => {
    const sandbox = scriptedSandbox(() => ({}));
    expect((await call(sandbox, python)).run?.limits.wallMs).toBe(120_000);
    const named = scriptedSandbox(() => ({}));
    const limits = { wallMs: 500, diskBytes: 1_000_000 };
    expect((await call(named, { ...python, limits })).run?.limits).toMatchObject(limits);
  });

  it('starts an interpreter anew for tests that are given variables', async () => {
    const { run } = await call(
      scriptedSandbox(() => ({})),
      { ...python, env: { PYTHONHASHSEED: '1' } },
    );
    expect(run?.program).toMatchObject({ kind: 'command' });
    expect(run?.env).toEqual({ PYTHONHASHSEED: '1' });
    const plain = await call(
      scriptedSandbox(() => ({})),
      python,
    );
    expect(plain.run?.program).toMatchObject({ kind: 'python' });
  });

  it('passes output on while it comes', async () => {
    const messages: unknown[] = [];
    const pieces = [['stdout', 'live\n']] as const;
    const tool = runTestsTool(aTestsContext(scriptedSandbox(() => ({ pieces }))));
    const context = aCallContext({ progress: ({ message }) => void messages.push(message) });
    await tool.call(python, context);
    expect(messages).toEqual(['live\n']);
  });

  it('copies the project of a path, shows what it has installed, and lets files replace its own', async () => {
    const root = aTree({
      'test_a.py': 'import pytest',
      'b.py': 'old',
      '.venv/lib/python3.12/site-packages/x.py': '',
    });
    const sandbox = scriptedSandbox(() => ({}), ['python:pytest,coverage']);
    const { run } = await call(sandbox, { path: '.', files: { 'b.py': 'new' } }, { roots: [root] });
    expect(run?.files['project/b.py']).toBe('new');
    expect(Buffer.from(run?.files['project/test_a.py'] ?? '').toString()).toBe('import pytest');
    expect(run?.mounts).toEqual([
      { source: join(root, '.venv/lib/python3.12/site-packages'), target: '/opt/site-packages' },
    ]);
    // Its own packages may hold pytest.
    expect(run?.toolchain).toBe('python');
  });

  it('does not run what the check refuses', async () => {
    const sandbox = scriptedSandbox(() => ({}));
    const finding = {
      severity: 'critical',
      rule: 'r',
      message: 'm',
      file: 'f',
      line: 1,
      column: 1,
    } as const;
    const refusing = {
      scanCode: async () => [finding],
      policy: {
        critical: 'refuse',
        major: 'warn',
        minor: 'allow',
        info: 'allow',
        malicious: 'refuse',
      },
    } as const;
    await expect(call(sandbox, python, refusing)).rejects.toMatchObject({
      code: 'exec.refused_by_check',
    });
    expect(sandbox.runs).toEqual([]);
  });

  it.each([
    ['neither a path nor files', {}],
    ['an empty set of files', { files: {} }],
    ['a framework there is not', { ...python, framework: 'mocha' }],
    ['a path that leaves the work folder', { files: { '../a.py': '' } }],
  ])('refuses %s', async (_what, input) => {
    await expect(
      call(
        scriptedSandbox(() => ({})),
        input,
      ),
    ).rejects.toMatchObject({
      code: 'toolbox.invalid_arguments',
    });
  });

  it('runs the files that import node:test, with the filter', async () => {
    const files = { 'a.test.mjs': "import { test } from 'node:test';", 'helper.test.mjs': '' };
    const sandbox = scriptedSandbox(reporting(aTestRecord(), endRecord));
    const { run, ok } = await call(sandbox, { files, filter: 'adds' });
    expect(ok).toBe(true);
    expect(run && orderOf(run)).toMatchObject({ files: ['a.test.mjs'], filter: 'adds' });
    await expect(
      call(
        scriptedSandbox(() => ({})),
        { files: { 'a.js': '' }, framework: 'node' },
      ),
    ).rejects.toMatchObject({ code: 'exec.no_test_framework' });
  });

  it.each([
    ['{ test: { globals: true } }', true],
    ['{ test: { coverage: { include: ["src"] } } }', false],
  ])('measures all files of a vitest project configured by %s: %s', async (config, isWhole) => {
    const root = aTree({
      'a.test.ts': "import { it } from 'vitest'",
      'vitest.config.ts': `export default ${config}`,
      'node_modules/vitest/package.json': '{}',
      'node_modules/@vitest/coverage-v8/package.json': '{}',
    });
    const { run } = await call(
      scriptedSandbox(() => ({})),
      { path: '.' },
      { roots: [root] },
    );
    expect(JSON.stringify(run?.program).includes('--coverage.include=')).toBe(isWhole);
  });

  it('runs vitest as the project has it, and says what is missing', async () => {
    const test = { 'a.test.ts': "import { it } from 'vitest'" };
    const root = aTree({ ...test, 'node_modules/vitest/package.json': '{}' });
    const report = readFileSync(new URL('testdata/vitest-report.json', import.meta.url));
    const sandbox = scriptedSandbox(() => ({ exitCode: 1, reports: { 'report.json': report } }));
    const found = await call(sandbox, { path: '.', filter: 'add' }, { roots: [root] });
    expect(found).toMatchObject({ framework: 'vitest', passed: 1, failed: 2, coverage: null });
    expect(found.coverageNote).toContain('@vitest/coverage-v8');
    expect(found.run?.mounts).toMatchObject([{ source: join(root, 'node_modules') }]);
    await expect(
      call(
        scriptedSandbox(() => ({})),
        { files: test },
      ),
    ).rejects.toMatchObject({
      code: 'exec.test_library_missing',
    });
  });

  it('reads Go tests from the output and shows it as text', async () => {
    const stdout = readFileSync(new URL('testdata/go-events.jsonl', import.meta.url));
    const profile = readFileSync(new URL('testdata/go-cover.out', import.meta.url));
    const files = {
      'go.mod': 'module example.com/sums\n',
      'sums_test.go': 'package sums\nfunc TestAdd(t *testing.T) {}\n',
    };
    const sandbox = scriptedSandbox(() => ({
      stdout,
      exitCode: 1,
      reports: { 'cover.out': profile },
    }));
    const found = await call(sandbox, { files, filter: 'TestAdd' });
    expect(found).toMatchObject({
      framework: 'go',
      passed: 2,
      failed: 2,
      coverage: { percent: 66.7 },
    });
    expect(found.tests[0]?.file).toBe('sums_test.go');
    expect(found.stdout).toContain('--- FAIL: TestWrong');
    const bare = scriptedSandbox(() => ({}));
    await call(bare, { files: { 'a_test.go': 'package a' }, coverage: false });
    expect(bare.runs[0]?.files['project/go.mod']).toContain('module');
  });

  it('reads Rust tests from the output, and makes a manifest where there is none', async () => {
    const stdout = readFileSync(new URL('testdata/cargo-output.txt', import.meta.url));
    const sandbox = scriptedSandbox(() => ({ stdout, exitCode: 101 }));
    const found = await call(sandbox, { files: { 'lib.rs': '#[test] fn a() {}' }, filter: 'a' });
    expect(found).toMatchObject({
      framework: 'cargo',
      passed: 4,
      failed: 1,
      skipped: 1,
      coverage: null,
    });
    expect(found.run?.files['project/Cargo.toml']).toContain('path = "lib.rs"');
    const own = scriptedSandbox(() => ({}));
    await call(own, { files: { 'src/lib.rs': '#[test] fn a() {}', 'Cargo.toml': '' } });
    expect(own.runs[0]?.files['project/Cargo.toml']).toBe('');
  });

  it('runs Java tests with the JUnit it finds, and knows the files of their classes', async () => {
    const jars = aTree({ 'junit4.jar': '', 'hamcrest.jar': '' });
    const source = 'package shop;\nimport org.junit.Test;\n';
    const input = { files: { 'src/shop/SumTest.java': source, 'src/main/resources/a.txt': '' } };
    const record = aTestRecord({ name: 'shop.SumTest.adds', file: '' });
    const sandbox = scriptedSandbox(reporting(record, endRecord));
    const found = await call(
      sandbox,
      { ...input, filter: 'Sum\nkey=x' },
      { javaLibraries: [jars] },
    );
    expect(found).toMatchObject({ ok: true, framework: 'junit', coverage: null });
    expect(found.tests[0]?.file).toBe('src/shop/SumTest.java');
    expect(found.run?.mounts.map(({ target }) => target)).toEqual([
      '/opt/jars/junit4.jar',
      '/opt/jars/hamcrest.jar',
    ]);
    await expect(
      call(
        scriptedSandbox(() => ({})),
        input,
      ),
    ).rejects.toMatchObject({
      code: 'exec.test_library_missing',
      message: expect.stringContaining('apt install junit4'),
    });
  });
});
