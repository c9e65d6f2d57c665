import { describe, expect, it } from 'vitest';
import { likenessOf, normaliseError } from './normalise-error.ts';

const signature = (text: string): string => normaliseError(text).signature;

describe('the signature of an error', () => {
  it.each([
    ['paths', "open '/home/ada/a.txt': ENOENT", "open '/srv/app/b/c.json': ENOENT"],
    [
      'ports and hosts',
      'connect ECONNREFUSED 127.0.0.1:5432',
      'connect ECONNREFUSED 10.0.0.7:6543',
    ],
    [
      'ids',
      'run 6f0e6c5a-8f0b-4c0e-9a51-1f2e3d4c5b6a failed',
      'run 00000000-8f0b-4c0e-9a51-1f2e3d4c5b6a failed',
    ],
    ['times', 'at 2026-01-02T03:04:05.678Z it broke', 'at 2027-10-12T13:14:15Z it broke'],
    ['hashes', 'commit 3f2a9c81d0e4 is bad', 'commit aa00bb11cc22dd33 is bad'],
    ['versions', 'needs node 20.1.0', 'needs node 24.21.3'],
    ['quoted names', 'There is no tool "a.b"', 'There is no tool "files.read_file"'],
    ['colours', '\u001B[31merror\u001B[0m: no', 'error: no'],
    ['addresses', 'GET https://a.example/x?y=1 failed', 'GET http://b.example:8080/z failed'],
  ])('is the same where %s differ', (_what, one, other) => {
    expect(signature(one)).toBe(signature(other));
  });

  it.each([
    ['error classes', 'ValueError: bad', 'KeyError: bad'],
    ['error codes', 'failed: ENOENT', 'failed: EACCES'],
    ['exit codes', 'exited with code 1', 'exited with code 137'],
    ['numbers of errors', 'error TS2322: no', 'error TS2307: no'],
  ])('differs where %s differ', (_what, one, other) => {
    expect(signature(one)).not.toBe(signature(other));
  });

  it('takes the code and the exit code of the failure into account', () => {
    const text = 'it failed';
    const signatures = [{}, { code: 'a.b' }, { code: 'a.c' }, { exitCode: 1 }, { exitCode: 2 }].map(
      (known) => normaliseError(text, known).signature,
    );
    expect(new Set(signatures).size).toBe(5);
  });

  it('stays quick for long and hostile texts', () => {
    const texts = [
      '/'.repeat(100_000),
      '"'.repeat(100_000),
      'a.'.repeat(50_000),
      '1'.repeat(99_999),
    ];
    const startedAt = performance.now();
    for (const text of texts) normaliseError(text);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

it('finds errors alike by the words they share', () => {
  const words = (text: string) => normaliseError(text).words;
  const one = words("Cannot read 'a.json': permission denied by the server");
  expect(likenessOf(one, words("Cannot read 'b.json': permission denied by the server"))).toBe(1);
  expect(likenessOf(one, words('the disk is full'))).toBeLessThan(0.3);
  expect(likenessOf(one, words(''))).toBe(0);
});
