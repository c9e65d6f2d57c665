import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readVitestReport } from './vitest-tests.ts';

const report = readFileSync(new URL('../testdata/vitest-report.json', import.meta.url));
const coverage = readFileSync(new URL('../testdata/vitest-coverage.json', import.meta.url));
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('a report of vitest', () => {
  it('gives every test, a file that did not load, and the lines no test ran', () => {
    const read = readVitestReport({ report, coverage }, '/project');
    expect(read.tests.map(({ name, file, status }) => [name, file, status])).toEqual([
      ['add > adds', 'add.test.ts', 'passed'],
      ['add > fails', 'add.test.ts', 'failed'],
      ['add > skipped', 'add.test.ts', 'skipped'],
      ['bad.test.ts', 'bad.test.ts', 'error'],
    ]);
    expect(read.tests[1]?.message).toBe(
      'AssertionError: expected { a: 3 } to deeply equal { a: 4 }\n(add.test.ts:5)',
    );
    expect(read.tests[3]?.message).toBe('at load');
    expect(read.coverage).toEqual({
      percent: 66.7,
      files: [{ path: 'add.ts', percent: 66.7, missing: [3] }],
    });
  });

  it('without coverage has none', () => {
    expect(readVitestReport({ report, coverage: undefined }, '/project').coverage).toBeNull();
  });

  it('keeps failures that name no place in the project as they are', () => {
    const test = {
      ancestorTitles: [],
      title: 'a',
      status: 'failed',
      failureMessages: ['Error: x\n    at /elsewhere/y.js:1:2'],
    };
    const file = { name: '/project/a.test.ts', status: 'failed', assertionResults: [test] };
    const read = readVitestReport(
      { report: bytes({ testResults: [file] }), coverage: bytes({ a: 'no coverage' }) },
      '/project',
    );
    expect(read.tests[0]?.message).toBe('Error: x');
    expect(read.coverageNote).toContain('not one');
  });

  it.each([
    ['missing', undefined],
    ['not JSON', Buffer.from('<xml>')],
    ['of another shape', bytes({ testResults: [{ name: 1 }] })],
    ['nested without end', Buffer.from('['.repeat(5_000_000))],
    ['too large', Buffer.alloc(17 * 1024 * 1024, 32)],
  ])('that is %s is a problem', (_what, broken) => {
    const read = readVitestReport({ report: broken, coverage: undefined }, '/project');
    expect(read.problem).toBeDefined();
    expect(read.tests).toEqual([]);
  });
});
