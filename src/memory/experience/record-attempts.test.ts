import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../contract/experience/index.ts';
import { applyChanges, compareAttempts, maxValueLength } from './record-attempts.ts';

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  kind: 'step',
  subject: 'files.read',
  target: 'plan/read',
  arguments: { path: 'a', depth: 1 },
  surroundings: { 'version node': '24.1.0', order: 'a b', cwd: '/one' },
  ...changes,
});

describe('what a later attempt changed', () => {
  it('is nothing where only time passed', () => {
    expect(compareAttempts(attempt(), attempt())).toEqual([]);
  });

  it('names each argument with both values', () => {
    const later = attempt({ arguments: { path: 'b', deep: true } });
    expect(compareAttempts(attempt(), later)).toEqual([
      { what: 'arguments', path: 'deep', before: '', after: 'true' },
      { what: 'arguments', path: 'depth', before: '1', after: '' },
      { what: 'arguments', path: 'path', before: '"a"', after: '"b"' },
    ]);
  });

  it('names another tool in the plan', () => {
    expect(compareAttempts(attempt(), attempt({ subject: 'files.scan' }))).toEqual([
      { what: 'plan', path: 'tool', before: '"files.read"', after: '"files.scan"' },
    ]);
  });

  it('looks at versions and the environment where the attempt itself is the same, and at the order last', () => {
    const around = { 'version node': '25.0.0', order: 'b a', cwd: '/one' };
    expect(compareAttempts(attempt(), attempt({ surroundings: around }))).toEqual([
      { what: 'version', path: 'version node', before: '"24.1.0"', after: '"25.0.0"' },
    ]);
    const reordered = { ...attempt().surroundings, order: 'b a' };
    expect(compareAttempts(attempt(), attempt({ surroundings: reordered }))).toMatchObject([
      { what: 'order' },
    ]);
  });
});

describe('applying changes', () => {
  it('gives the arguments that succeeded, where those that failed are the same', () => {
    const failed = { path: 'a', depth: 1 };
    const changes = compareAttempts(attempt(), attempt({ arguments: { path: 'b' } }));
    expect(applyChanges(failed, changes)).toEqual({ path: 'b' });
    expect(applyChanges({ path: 'c', depth: 1 }, changes)).toBeUndefined();
  });

  it('applies nothing that was cut or is no argument', () => {
    const long = attempt({ arguments: { path: 'x'.repeat(maxValueLength + 1), depth: 1 } });
    expect(applyChanges({ path: 'a', depth: 1 }, compareAttempts(attempt(), long))).toBeUndefined();
    const other = compareAttempts(attempt(), attempt({ subject: 'other' }));
    expect(applyChanges({ path: 'a', depth: 1 }, other)).toBeUndefined();
  });
});
