import { describe, expect, it } from 'vitest';
import { localCaller } from '../caller/index.ts';
import { isInScope, isPermitted, permissions, roles } from './index.ts';

describe('permissions', () => {
  it('names a role of the table and a meaning for every permission', () => {
    for (const [name, { meaning, from }] of Object.entries(permissions)) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+$/);
      expect(meaning.length).toBeGreaterThan(5);
      expect(roles).toContain(from);
    }
  });

  it('gives each role what the roles before it have, and the local user everything', () => {
    const countOf = (role: (typeof roles)[number]): number =>
      Object.keys(permissions).filter((name) =>
        isPermitted({ id: 'a', role }, name as keyof typeof permissions),
      ).length;
    const counts = roles.map(countOf);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(Object.keys(permissions).length);
    expect(isPermitted(localCaller, 'tenants.manage')).toBe(true);
    expect(isPermitted({ id: 'a', role: 'viewer' }, 'tools.call')).toBe(false);
    expect(isPermitted({ id: 'a', role: 'operator' }, 'runs.start')).toBe(false);
  });
});

describe('scopes', () => {
  const inScope = (scopes: string[], tool: string): boolean => isInScope({ id: 'a', scopes }, tool);

  it('matches names, prefixes, suffixes and inner stars as a whole', () => {
    expect(inScope(['code.*'], 'code.review_code')).toBe(true);
    expect(inScope(['code.*'], 'codex.review_code')).toBe(false);
    expect(inScope(['*.read_*'], 'files.read_file')).toBe(true);
    expect(inScope(['*.read_*'], 'files.write_file')).toBe(false);
    expect(inScope(['a*a'], 'a')).toBe(false);
    expect(inScope(['code.review_code'], 'code.review_code2')).toBe(false);
    expect(inScope([], 'code.review_code')).toBe(false);
    expect(isInScope(localCaller, 'anything')).toBe(true);
  });

  it('decides on a hostile pattern at once', () => {
    expect(inScope([`${'*a'.repeat(5_000)}b`], 'a'.repeat(20_000))).toBe(false);
  });
});
