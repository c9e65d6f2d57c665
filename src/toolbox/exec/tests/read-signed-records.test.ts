import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  aTestRecord,
  endRecord,
  recordedKey,
  signRecords,
} from '../../../../testkit/toolbox/exec/tests/signed-records.ts';
import { maxTests } from './report.ts';
import { readSignedRecords } from './read-signed-records.ts';

const recorded = readFileSync(new URL('testdata/unittest-records.jsonl', import.meta.url));

describe('the records of a runner', () => {
  it('give every test with its status and the assertion that failed', () => {
    const report = readSignedRecords(recorded, recordedKey);
    expect(report.problem).toBeUndefined();
    expect(report.tests.map(({ name, status }) => [name, status])).toEqual([
      ['test_m.T.test_bad', 'failed'],
      ['test_m.T.test_err', 'error'],
      ['test_m.T.test_one', 'passed'],
      ['test_m.T.test_skip', 'skipped'],
      ['test_m.T.test_sub', 'failed'],
      ['test_m.T.test_xf', 'skipped'],
      ['setUpClass (test_m.U)', 'error'],
    ]);
    expect(report.tests[0]?.message).toBe('AssertionError: 1 != 3 : hm\n(tests/test_m.py:5)');
    expect(report.coverage).toEqual({
      percent: 75,
      files: [
        { path: 'pkg/__init__.py', percent: 100, missing: [] },
        { path: 'pkg/m.py', percent: 75, missing: [5] },
      ],
    });
    expect(report.coverageNote).toBe('measured by coverage 6.5.0');
  });

  it('say when the lines were counted by a tracer of our own', () => {
    const coverage = { kind: 'coverage', file: 'a.py', lines: 4, missing: [2], meter: 'own' };
    const report = readSignedRecords(
      signRecords([aTestRecord(), coverage, endRecord]),
      recordedKey,
    );
    expect(report.coverageNote).toContain('tracer of our own');
  });

  it('without an end name the test that was running, not the suite around it', () => {
    const report = readSignedRecords(
      signRecords([
        { kind: 'start', name: 'done', file: 'a.js' },
        { kind: 'stop', name: 'done', file: 'a.js' },
        { kind: 'start', name: 'suite', file: 'a.js' },
        { kind: 'start', name: 'suite > hangs', file: 'a.js' },
      ]),
      recordedKey,
    );
    expect(report.problem).toContain('ended before');
    expect(report.tests).toEqual([
      {
        name: 'suite > hangs',
        file: 'a.js',
        status: 'error',
        durationMs: null,
        message: 'it had begun and never ended',
      },
    ]);
  });

  it('that are not there are a problem', () => {
    expect(readSignedRecords(undefined, recordedKey).problem).toContain('no report');
    expect(readSignedRecords(new Uint8Array(), recordedKey).problem).toContain('ended before');
  });

  it('count up to the first line that was not signed with the key of the run', () => {
    const honest = signRecords([aTestRecord()]);
    const forged = signRecords([aTestRecord(), aTestRecord({ name: 'forged' }), endRecord], 'ff');
    const secondLine = Buffer.from(forged).toString().split('\n').slice(1).join('\n');
    const report = readSignedRecords(Buffer.concat([honest, Buffer.from(secondLine)]), recordedKey);
    expect(report.problem).toContain('line 2');
    expect(report.tests.map(({ name }) => name)).toEqual(['adds']);
  });

  it('may not be left out, repeated or put in another order', () => {
    const [first = '', second = '', end = ''] = Buffer.from(
      signRecords([aTestRecord({ status: 'failed' }), aTestRecord(), endRecord]),
    )
      .toString()
      .split('\n');
    for (const lines of [
      [second, end],
      [first, first, second, end],
      [second, first, end],
    ]) {
      const report = readSignedRecords(Buffer.from(`${lines.join('\n')}\n`), recordedKey);
      expect(report.problem).toBeDefined();
    }
  });

  it.each([
    ['a record of no known kind', { kind: 'praise' }],
    ['a status that there is not', aTestRecord({ status: 'great' })],
    [
      'a line number beyond all files',
      { kind: 'coverage', file: 'a', lines: 1, missing: [1e15], meter: '' },
    ],
  ])('with %s are a problem', (_what, record) => {
    const report = readSignedRecords(signRecords([record, endRecord]), recordedKey);
    expect(report.problem).toContain('line 1');
  });

  it('have their names and messages cleaned and cut', () => {
    const record = aTestRecord({
      name: `\u001b]0;title\u0007a\nb${'x'.repeat(10_000)}`,
      status: 'failed',
      message: `\u001b[31mred\u001b[0m\u0000${'y'.repeat(100_000)}`,
      durationMs: -5,
    });
    const [test] = readSignedRecords(signRecords([record, endRecord]), recordedKey).tests;
    expect(test?.name.startsWith('a bxx')).toBe(true);
    expect(test?.name.length).toBeLessThanOrEqual(500);
    expect(test?.message?.startsWith('redyyy')).toBe(true);
    expect(test?.message?.length).toBeLessThanOrEqual(4_000);
    expect(test?.durationMs).toBe(0);
  });

  it('beyond what is listed are counted', () => {
    const many = Array.from({ length: maxTests + 2 }, () => aTestRecord());
    const report = readSignedRecords(signRecords([...many, endRecord]), recordedKey);
    expect([report.tests.length, report.testsLeftOut]).toEqual([maxTests, 2]);
  });

  it('of random bytes and of endless nesting are a problem, soon', () => {
    const nested = `${'0'.repeat(64)} ${'['.repeat(1_000_000)}\n\n`;
    for (const bytes of [
      Buffer.from(nested),
      Buffer.alloc(1_000_000, 0xff),
      Buffer.alloc(1_000_000, 10),
    ]) {
      expect(readSignedRecords(bytes, recordedKey).problem).toBeDefined();
    }
  });

  it('that are longer than any report are not read', () => {
    const huge = Buffer.alloc(17 * 1024 * 1024, 97);
    expect(readSignedRecords(huge, recordedKey).problem).toContain('bytes');
  });
});
