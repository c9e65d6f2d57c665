import { describe, expect, it } from 'vitest';
import type { HostCanary } from './host-canary.ts';
import { type IsolationFindings, judgeIsolation } from './judge-isolation.ts';

const host: HostCanary = {
  asked: {
    tcpPort: 1,
    abstractSocket: 'canary',
    files: [{ path: '/home', inode: 7 }],
    hostPid: 4711,
    hostPidStartedAt: '99',
  },
  planted: { name: 'TUTTI_CANARY', value: 'secret-value' },
  hostname: 'host',
  machineId: 'abc',
  namespaces: { user: 'user:[1]', pid: 'pid:[1]', uts: 'uts:[1]' },
  connections: () => 0,
  remove: () => Promise.resolve(),
};

const zeros = '0000000000000000';
const held: IsolationFindings = {
  platform: 'linux',
  uid: 1000,
  gid: 1000,
  groups: [1000],
  systemOwner: 65_534,
  becomeRoot: 'error EPERM',
  status: {
    CapInh: zeros,
    CapPrm: zeros,
    CapEff: zeros,
    CapBnd: zeros,
    CapAmb: zeros,
    NoNewPrivs: '1',
    Seccomp: '2',
  },
  uidMap: '1000 1000 1',
  namespaces: { user: 'user:[2]', pid: 'pid:[2]', uts: 'uts:[2]' },
  processes: 3,
  hostPidStartedAt: null,
  session: '1',
  terminal: 'error ENXIO',
  hostname: 'sandbox',
  machineId: 'error ENOENT',
  variables: { PATH: '/usr/bin' },
  environments: ['PATH=/usr/bin', 'error EACCES'],
  files: [],
  writes: {
    '/': 'error EROFS',
    '/usr': 'error EROFS',
    '/etc': 'error EROFS',
    '/dev': 'error EACCES',
  },
  interfaces: [],
  tcp: 'error ECONNREFUSED',
  unix: 'error ECONNREFUSED',
  nestedNamespace: 'refused',
  systemCalls: 'keyctl=refused perf_event_open=refused',
};

function notHeld(change: Partial<IsolationFindings>, around: Partial<HostCanary> = {}): string[] {
  return judgeIsolation({ ...held, ...change }, { ...host, ...around })
    .filter(({ isHeld }) => !isHeld)
    .map(({ protection }) => protection);
}

describe('what the isolation canary found', () => {
  it('is all held where it got nowhere, with one line of evidence each', () => {
    expect(notHeld({})).toEqual([]);
    for (const { evidence } of judgeIsolation(held, host)) expect(evidence).toMatch(/^[^\n]+$/);
  });

  it.each<[string, Partial<IsolationFindings>]>([
    ['unprivileged-user', { uid: 0 }],
    ['unprivileged-user', { gid: 0 }],
    ['unprivileged-user', { groups: [1000, 0] }],
    ['unprivileged-user', { systemOwner: 1000 }],
    ['unprivileged-user', { becomeRoot: 'root' }],
    ['user-namespace', { namespaces: { ...held.namespaces, user: 'user:[1]' } }],
    ['user-namespace', { namespaces: { ...held.namespaces, user: 'user:[4026531837]' } }],
    ['user-namespace', { namespaces: { ...held.namespaces, user: 'error ENOENT' } }],
    ['user-namespace', { uidMap: '0 0 4294967295' }],
    ['nested-namespaces', { nestedNamespace: 'created' }],
    ['nested-namespaces', { nestedNamespace: 'untried' }],
    ['process-namespace', { hostPidStartedAt: '99' }],
    ['process-namespace', { namespaces: { ...held.namespaces, pid: 'pid:[1]' } }],
    ['network', { tcp: 'connected' }],
    ['network', { unix: 'connected' }],
    ['network', { interfaces: ['eth0'] }],
    ['host-files', { files: ['/home'] }],
    ['read-only-system', { writes: { ...held.writes, '/usr': 'error EACCES' } }],
    ['read-only-system', { writes: { ...held.writes, '/dev': 'written' } }],
    ['read-only-system', { writes: {} }],
    ['host-identity', { machineId: 'abc' }],
    ['environment', { variables: { TUTTI_CANARY: 'x' } }],
    ['environment', { environments: ['A=secret-value'] }],
    ['capabilities', { status: { ...held.status, CapBnd: '0000000000000001' } }],
    ['capabilities', { status: { ...held.status, CapEff: '0000000000000001' } }],
    ['new-privileges', { status: { ...held.status, NoNewPrivs: '0' } }],
    ['system-calls', { status: { ...held.status, Seccomp: '0' } }],
    ['system-calls', { systemCalls: 'keyctl=answered perf_event_open=refused' }],
    ['terminal', { session: '0' }],
    ['terminal', { terminal: 'opened' }],
    ['terminal', { session: null }],
  ])('names %s alone for %j', (protection, change) => {
    expect(notHeld(change)).toEqual([protection]);
  });

  it('takes the host name for ours only where it is not in a namespace of its own', () => {
    expect(notHeld({ hostname: 'host' })).toEqual([]);
    const namespaces = { ...held.namespaces, uts: 'uts:[1]' };
    expect(notHeld({ hostname: 'host', namespaces })).toEqual(['host-identity']);
  });

  it('believes our own listener more than the program', () => {
    expect(notHeld({}, { connections: () => 1 })).toEqual(['network']);
  });

  it('asks for no read-only file system where the system knows other ways', () => {
    const writes = { '/': 'error EPERM', '/usr': 'error EPERM', '/etc': 'error EPERM' };
    expect(notHeld({ platform: 'darwin', writes })).toEqual([]);
  });
});
