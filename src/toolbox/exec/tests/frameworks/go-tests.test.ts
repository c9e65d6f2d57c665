import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readGoEvents, readGoProfile, textOfGoEvents } from './go-tests.ts';

const events = readFileSync(new URL('../testdata/go-events.jsonl', import.meta.url));
const profile = readFileSync(new URL('../testdata/go-cover.out', import.meta.url));
const sources = { fileOf: () => 'sums_test.go' };
const lines = (...each: object[]): Uint8Array =>
  Buffer.from(each.map((event) => `${JSON.stringify(event)}\n`).join(''));

describe('the events of go test', () => {
  it('give tests, subtests, the failure, and the package that did not compile', () => {
    const { tests } = readGoEvents(events, sources);
    expect(tests.map(({ name, status }) => [name, status])).toEqual([
      ['TestAdd/small', 'passed'],
      ['TestAdd', 'passed'],
      ['TestWrong', 'failed'],
      ['TestSkipped', 'skipped'],
      ['example.com/sums/calc', 'error'],
    ]);
    expect(tests[2]?.message).toBe('sums_test.go:15: Add(1, 2) = 3, want 4');
    expect(tests[3]?.message).toBe('sums_test.go:19: not here');
  });

  it('make a test that never ended an error', () => {
    const { tests } = readGoEvents(
      lines({ Action: 'run', Package: 'p', Test: 'TestEndless' }, { Action: 'fail', Package: 'p' }),
      sources,
    );
    expect(tests).toMatchObject([{ name: 'TestEndless', status: 'error' }]);
    expect(tests).toHaveLength(1);
  });

  it('tell what a package said that failed without a test', () => {
    const { tests } = readGoEvents(
      lines(
        { Action: 'start', Package: 'p' },
        { Action: 'output', Package: 'p', Output: 'panic: in init\n' },
        { Action: 'fail', Package: 'p', Elapsed: 0.1 },
      ),
      sources,
    );
    expect(tests).toMatchObject([{ name: 'p', status: 'error', message: 'panic: in init' }]);
  });

  it('are shown to people as the text in them', () => {
    const text = textOfGoEvents(events);
    expect(text).toContain('--- FAIL: TestWrong (0.00s)\n');
    expect(text).toContain('FAIL\texample.com/sums/calc [build failed]\n');
    expect(text).not.toContain('"Action"');
  });

  it('that are none give no test', () => {
    for (const broken of ['', '{"Action":1}\n{', '['.repeat(100_000), '\u0000\n'.repeat(100)]) {
      expect(readGoEvents(Buffer.from(broken), sources).tests).toEqual([]);
    }
  });

  it('keep a bounded part of what a test prints', () => {
    const output = { Action: 'output', Package: 'p', Test: 'T', Output: 'x'.repeat(5_000) };
    const many = Array.from({ length: 100 }, () => output);
    const { tests } = readGoEvents(
      lines(...many, { Action: 'fail', Package: 'p', Test: 'T' }),
      sources,
    );
    expect(tests[0]?.message?.length).toBeLessThanOrEqual(4_000);
  });
});

describe('the profile of go test', () => {
  it('gives statements and lines, by paths in the module', () => {
    expect(readGoProfile(profile, 'example.com/sums').coverage).toEqual({
      percent: 66.7,
      files: [{ path: 'sums.go', percent: 66.7, missing: [6, 7] }],
    });
  });

  it('that is missing, empty or no profile is no coverage', () => {
    expect(readGoProfile(undefined, 'm').coverage).toBeNull();
    expect(readGoProfile(Buffer.from('mode: set\nnonsense\n'), 'm').coverage).toBeNull();
  });

  it('with blocks of millions of lines is read in bounded time', () => {
    const block = 'm/a.go:1.1,9999999.1 1 0\n'.repeat(1_000);
    expect(readGoProfile(Buffer.from(block), 'm').coverage?.percent).toBe(0);
  });
});
