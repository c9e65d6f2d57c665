import type { FleetControl, LoginStatus, ServerStatus } from '../../src/contract/fleet/index.ts';
import type { RestartReport } from '../../src/contract/server-files/index.ts';
import type { Seen } from './fake-system.ts';

const aStatus: ServerStatus = {
  name: 'fake',
  transport: 'stdio',
  state: 'ready',
  since: '2026-01-01T00:00:00.000Z',
  pid: 4711,
  restarts: 0,
  lastError: null,
  tools: 10,
  isListed: true,
  resources: 1,
  prompts: 1,
  calls: 0,
  failedCalls: 0,
  p50Ms: null,
  p99Ms: null,
  memoryBytes: null,
  protocolVersion: '2025-11-25',
  version: '1.2.3',
  source: 'user',
  problems: [],
  changedTools: [],
  flags: [],
  login: null,
};

const aLogin: LoginStatus = {
  state: 'active',
  callerId: 'local',
  account: 'ann@example.org',
  issuer: 'https://login.example',
  scopes: ['read', 'write'],
  expiresAt: '2026-01-01T01:00:00.000Z',
  isRenewable: true,
};

const aChange = {
  tool: 'wire_money',
  kind: 'changed',
  isHeld: true,
  fields: ['description', 'annotations'],
  at: '2026-01-01T00:00:00.000Z',
  isLessCareful: true,
} as const;

const statuses: readonly ServerStatus[] = [
  aStatus,
  { ...aStatus, name: 'broken', state: 'failed', pid: null, tools: 0, lastError: 'no such file' },
  { ...aStatus, name: 'new', state: 'untrusted', pid: null, tools: 0, source: 'project' },
  { ...aStatus, name: 'off', state: 'disabled', pid: null, tools: 0 },
  {
    ...aStatus,
    name: 'shaky',
    tools: 40,
    restarts: 2,
    problems: ['sent 3 lines that are no JSON'],
    flags: [{ tool: 'add', kind: 'hidden characters', message: 'its title hides something' }],
  },
  {
    ...aStatus,
    name: 'moved',
    changedTools: [aChange, { ...aChange, tool: 'b', isLessCareful: false }],
  },
  { ...aStatus, name: 'again', state: 'restarting', pid: null, restarts: 1, lastError: 'it ended' },
];

/** Servers in every state there is to show. */
export function createFakeFleet(seen: Seen): FleetControl {
  return {
    status: async () => statuses,
    startAll: async (limitMs) => void seen.startLimits.push(limitMs),
    restart: async (name) => void seen.restarts.push(name),
    logs: async (name, maxLines) =>
      name === 'fake' ? ['one', 'two', 'three'].slice(-maxLines) : [],
    diffTools: async (name) =>
      name === 'moved'
        ? [
            {
              change: aChange,
              before: { description: 'Wires money.\nAsks first.', inputSchema: { type: 'object' } },
              after: { description: 'Wires money.\nAll of it.', inputSchema: { type: 'object' } },
            },
          ]
        : [],
    rereadTools: async () => {},
    acceptTools: async (name) => (name === 'moved' ? [aChange] : []),
    login: async (_name, { onUrl }) => {
      onUrl('https://login.example/authorize?state=s');
      return aLogin;
    },
    logout: async (name) => ({ isDone: name === 'fake', isRevoked: name === 'fake' }),
    collisions: () => ['fake.wait hides other.wait'],
  };
}

/** What two running processes made of the wish to restart `shared`, and one of `fake`. */
export function restartReport(name: string): RestartReport {
  const done = { pid: 1, isDone: true, message: 'done' };
  if (name === 'fake') return { processes: 1, answers: [done] };
  if (name !== 'shared') return { processes: 0, answers: [] };
  const failed = { pid: 2, isDone: false, message: 'it does not start' };
  return { processes: 2, answers: [done, failed] };
}
