import { failedToolResult, type ToolResult } from '../../../src/contract/tool/index.ts';
import type { ToolCaller } from '../../../src/agent/generate/tool-caller.ts';

export interface FakeTools extends ToolCaller {
  readonly calls: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
}

export interface FakeToolsOptions {
  /** Whether code computes what its tests expect; by default code that adds `a` and `b`. */
  readonly isRight?: (code: string, test: string) => boolean;
  /** Tools that fail, with a code of theirs. */
  readonly failing?: Readonly<Record<string, string>>;
  readonly coverage?: number | null;
  /** What else a tool says, in place of what it would say. */
  readonly answers?: Readonly<Record<string, object>>;
}

const addition = /return \(?a \+ \(?b\)?\)?\n?$/;

/**
 * Tools that pretend to check Python: text with SYNTAX in it is none, with LINT in it is bad, with LOAD in it does not load,
 * with NOTICES in it does something else without a test runner; each `def test_…` passes when the code is right and fails otherwise, besides those that assert that 1 is 2.
 */
export function fakeTools(options: FakeToolsOptions = {}): FakeTools {
  const calls: { name: string; args: Readonly<Record<string, unknown>> }[] = [];
  return {
    calls,
    call: async (name, args) => {
      calls.push({ name, args: { ...args } });
      const failure = options.failing?.[name];
      if (failure !== undefined) return failed(failure, `${name} fails`);
      const answer = options.answers?.[name];
      return answer ? resultOf(answer) : pretend(name, { ...args }, options);
    },
  };
}

function pretend(
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: FakeToolsOptions,
): ToolResult {
  const code = typeof args['code'] === 'string' ? args['code'] : '';
  switch (name) {
    case 'code.format_code':
      if (code.includes('SYNTAX')) {
        return failed('code.syntax_error', 'line 1: not valid');
      }
      return resultOf({ formatted_code: code, language: 'python' });
    case 'code.review_code': {
      const issue = {
        area: 'correctness',
        rule: 'python/F821',
        message: 'Undefined name',
        line: 3,
      };
      return resultOf({
        issues: code.includes('LINT') ? [{ severity: 'critical', ...issue }] : [],
      });
    }
    case 'exec.run_code':
      return resultOf(loadFake(filesOf(args)));
    case 'exec.run_tests':
      return resultOf(runFolders(filesOf(args), args['separate'] !== undefined, options));
    default:
      return failed('toolbox.not_found', `there is no ${name}`);
  }
}

function filesOf(args: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(args['files'])).map(([path, text]) => [path, String(text)]),
  );
}

function loadFake(files: Readonly<Record<string, string>>): object {
  const all = Object.values(files).join('\n');
  const sign = /"(?:\\n)?([0-9a-f]{24})(?:"| passed)/.exec(all)?.[1] ?? '';
  const doesLoad = !all.includes('LOAD');
  const isPlain = files['app.py'] !== undefined;
  const said = isPlain && all.includes('NOTICES') ? ' failed: test_a' : ' passed';
  return {
    status: 'exited',
    exitCode: 0,
    reason: null,
    stdout: doesLoad ? `${sign}${said}` : '',
    stderr: '',
  };
}

interface FakeRun {
  readonly tests: readonly { readonly name: string; readonly file: string }[];
  readonly [other: string]: unknown;
}

/** Folders that are run apart say that all of their branches were run. */
function runFolders(
  files: Readonly<Record<string, string>>,
  areSeparate: boolean,
  options: FakeToolsOptions,
): object {
  if (!areSeparate) return runFake(files, options);
  const folders = Object.entries(
    Object.groupBy(Object.entries(files), ([path]) => path.split('/')[0] ?? ''),
  );
  const runs = folders.map(([folder, entries = []]) => {
    const own = entries.map(([path, text]) => [path.slice(folder.length + 1), text]);
    return { folder, ...runFake(Object.fromEntries(own), options) };
  });
  const tests = runs.flatMap((run) =>
    run.tests.map((test) => ({ ...test, file: `${run.folder}/${test.file}` })),
  );
  const all = Object.values(files).join('\n');
  const sign = /"\\n(S[0-9a-f]{24}) "/.exec(all)?.[1] ?? '';
  const branches = [...all.matchAll(/ran_branch__\((\d+),/g)].map(([, n]) => `${n}+ ${n}-`);
  return { ...runs[0], tests, stdout: `${sign} ${branches.join(' ')}` };
}

function runFake(files: Readonly<Record<string, string>>, options: FakeToolsOptions): FakeRun {
  const entries = Object.entries(files);
  const code = entries.find(([path]) => !/^(?:test_|conftest)/.test(path))?.[1] ?? '';
  const testFile = entries.find(([path]) => path.startsWith('test_'))?.[1] ?? '';
  const isRight = options.isRight ?? ((text: string) => addition.test(text));
  const tests = testFile.split(/^def /m).flatMap((part) => {
    const name = /^(test_\w+)/.exec(part)?.[1];
    if (name === undefined) return [];
    const isCanary = part.includes('assert 1 == 2');
    const isSkipped = part.includes('SKIP');
    const passes = isRight(code, part) && !isCanary && !part.includes('WRONG');
    const status = isSkipped ? 'skipped' : passes ? 'passed' : 'failed';
    return [{ name, file: 'test_solution.py', status, message: 'assert 1 == 2' }];
  });
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const coverage = options.coverage === undefined ? 100 : options.coverage;
  return {
    ok: count('failed') === 0 && count('passed') > 0,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    tests,
    coverage: coverage === null ? null : { percent: coverage, files: [] },
    status: 'exited',
    reason: null,
    stdout: '',
    stderr: '',
  };
}

function resultOf(value: object): ToolResult {
  return { content: [], structuredContent: { ...value } };
}

function failed(code: string, message: string): ToolResult {
  return failedToolResult({ code, message, details: {} });
}
