import { describe, expect, it } from 'vitest';
import { localCaller } from '../caller/index.ts';
import {
  coversScope,
  decideTool,
  isInScope,
  isPermitted,
  isServerInScope,
  permissions,
  roles,
  toolPermission,
  toolPermissions,
} from './index.ts';

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

describe('servers in scope', () => {
  it.each([
    ['code.*', 'code', true],
    ['code.re*', 'code', true],
    ['code.review', 'code', true],
    ['code.', 'code', false],
    ['code', 'code', false],
    ['codex.*', 'code', false],
    ['c*', 'code', true],
    ['*.read_*', 'code', true],
    ['*', 'code', true],
  ])('%s has tools of %s: %s', (scope, server, isSeen) => {
    expect(isServerInScope({ id: 'a', scopes: [scope] }, server)).toBe(isSeen);
  });

  it('covers a narrower scope, never a wider one', () => {
    const covers = (own: string, other: string): boolean =>
      coversScope({ id: 'a', scopes: [own] }, other);
    expect(covers('code.*', 'code.re*')).toBe(true);
    expect(covers('code.*', 'code.*')).toBe(true);
    expect(covers('*.read_*', 'files.read_*')).toBe(true);
    expect(covers('code.*', '*')).toBe(false);
    expect(covers('code.a', 'code.*')).toBe(false);
    expect(covers('code.*a', 'code.*')).toBe(false);
  });
});

describe('a decision on a tool', () => {
  const developer = { id: 'a/b', tenant: 'a', role: 'developer' } as const;

  it('hides what is out of scope, refuses what the role may not, and says why', () => {
    const tool = { name: 'code.review_code', isOwn: true };
    const scoped = decideTool({ ...developer, scopes: ['docs.*'] }, tool);
    expect(scoped).toMatchObject({ isAllowed: false, isHidden: true });
    const viewer = decideTool({ ...developer, role: 'viewer' }, tool);
    expect(viewer).toMatchObject({ isAllowed: false, isHidden: false, permission: 'tools.call' });
    expect(viewer.rule).toContain('tools.call is from developer on');
    const allowed = decideTool({ ...developer, scopes: ['code.*'] }, tool);
    expect(allowed).toMatchObject({ isAllowed: true, rule: expect.stringContaining('"code.*"') });
    expect(decideTool(localCaller, tool).isAllowed).toBe(true);
    expect(decideTool({ id: 'a/b', role: 'constructor' as 'owner' }, tool).isAllowed).toBe(false);
  });

  it('takes the permission of an own tool from the table, and of a new admin tool the highest', () => {
    for (const permission of Object.values(toolPermissions)) {
      expect(permissions).toHaveProperty([permission]);
    }
    expect(toolPermission({ name: 'workflow.run_plan', isOwn: true })).toBe('runs.start');
    expect(toolPermission({ name: 'admin.restart_server', isOwn: true })).toBe('servers.manage');
    expect(toolPermission({ name: 'admin.list_tools' })).toBe('tools.call');
    expect(toolPermission({ name: 'code.constructor', isOwn: true })).toBe('tools.call');
  });
});
