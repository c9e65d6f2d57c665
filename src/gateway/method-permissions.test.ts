import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FixtureServer } from '../../testkit/gateway/fixture-server.ts';
import { permissions, roles } from '../contract/access/index.ts';
import { silentLog } from '../kernel/index.ts';
import { createServing } from './answer-request.ts';
import { checkMethod, methodPermissions } from './method-permissions.ts';
import { ParkedCalls } from './parked-calls.ts';
import { statelessRules } from './stateless.ts';

describe('the table of methods', () => {
  it('names the permission of every method of both eras, and no others', () => {
    const serving = createServing(new FixtureServer(), silentLog);
    const source = readFileSync('src/gateway/handshake-session.ts', 'utf8');
    const handshake = [...source.matchAll(/^ {8}\['([\w/]+)',/gm)].map(([, name = '']) => name);
    expect(handshake.length).toBeGreaterThan(4);
    const served = new Set([
      ...serving.methods.keys(),
      ...statelessRules(serving, new ParkedCalls()).methods.keys(),
      ...handshake,
      'subscriptions/listen',
    ]);
    expect([...methodPermissions.keys()].sort()).toEqual([...served].sort());
    for (const permission of methodPermissions.values()) {
      expect(['none', 'tool', ...Object.keys(permissions)]).toContain(permission);
    }
  });

  it('refuses a method without an entry, and a role that is too low', () => {
    expect(() => checkMethod('tools/new', { id: 'local' })).toThrow('names no permission');
    for (const role of roles) {
      const check = (): void => checkMethod('tasks/get', { id: 'a/b', tenant: 'a', role });
      if (roles.indexOf(role) >= roles.indexOf('developer')) check();
      else expect(check).toThrow(expect.objectContaining({ code: 'access.forbidden' }));
    }
  });

  it('tells of what it refuses before it throws, and of nothing else', () => {
    const told: unknown[] = [];
    const caller = { id: 'a/b', tenant: 'a', role: 'viewer' } as const;
    checkMethod('tools/list', caller, (refused) => told.push(refused));
    expect(() => checkMethod('tasks/get', caller, (refused) => told.push(refused))).toThrow(
      'may not do this',
    );
    expect(told).toEqual([{ caller, method: 'tasks/get', permission: 'tools.call' }]);
  });
});
