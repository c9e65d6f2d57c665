import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCargoOutput } from './cargo-tests.ts';

const output = readFileSync(new URL('../testdata/cargo-output.txt', import.meta.url), 'utf8');

describe('what cargo test prints', () => {
  it('gives unit, integration and documentation tests with their files', () => {
    const { tests, coverage } = readCargoOutput(Buffer.from(output));
    expect(tests.map(({ name, file, status }) => [name, file, status])).toEqual([
      ['tests::ignored', 'src/lib.rs', 'skipped'],
      ['tests::adds', 'src/lib.rs', 'passed'],
      ['tests::wrong', 'src/lib.rs', 'failed'],
      ['tests::panics', 'src/lib.rs', 'passed'],
      ['outside', 'tests/outside.rs', 'passed'],
      ['src/lib.rs - add (line 3)', 'src/lib.rs', 'passed'],
    ]);
    expect(tests[0]?.message).toBe('slow');
    expect(tests[2]?.message).toMatch(/^thread .* panicked at src\/lib\.rs:22:9:\nassertion/);
    expect(tests[2]?.message).toContain('right: 4');
    expect(tests[2]?.message).not.toContain('some output');
    expect(tests[2]?.durationMs).toBe(108);
    expect(tests.at(-1)?.durationMs).toBeNull();
    expect(coverage).toBeNull();
  });

  it('is an error where a test program ended in the middle', () => {
    const cut = output.slice(0, output.indexOf('failures:'));
    const { tests } = readCargoOutput(Buffer.from(cut));
    expect(tests.at(-1)).toMatchObject({
      name: 'src/lib.rs',
      status: 'error',
      message: expect.stringContaining('ended before'),
    });
  });

  it('is an error where fewer tests are told than were announced', () => {
    const text =
      '     Running tests/a.rs (a)\n\nrunning 2 tests\ntest one ... ok\n\ntest result: ok. 2 passed\n';
    expect(readCargoOutput(Buffer.from(text)).tests.at(-1)).toMatchObject({ status: 'error' });
  });

  it('has no tests where nothing was compiled, and none in targets without tests', () => {
    const text =
      'error: could not compile\n     Running tests/a.rs (a)\n\nrunning 0 tests\n\ntest result: ok. 0 passed\n';
    expect(readCargoOutput(Buffer.from(text)).tests).toEqual([]);
  });

  it('is read in bounded time, whatever it is', () => {
    const hostile = `     Running x (y)\ntest ${'a ... '.repeat(200_000)}\n---- ${'b'.repeat(1_000_000)} stdout ----\n`;
    expect(readCargoOutput(Buffer.from(hostile)).tests).toEqual([]);
  });
});
