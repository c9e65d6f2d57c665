import type { Catalogue, CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import type { CallContext } from '../../src/contract/server/index.ts';
import { failedToolResult, type Tool, type ToolResult } from '../../src/contract/tool/index.ts';
import { openClientConnections } from '../../src/compose/client-connections.ts';
import * as logs from '../../src/compose/logs.ts';
import { openServerFiles } from '../../src/compose/server-files.ts';
import type { Experience } from '../../src/contract/experience/index.ts';
import { lazy, lazyObject, silentLog } from '../../src/kernel/index.ts';
import { createFakeAgent } from './fake-agent.ts';
import { createFakeContexts, createFakeFeedback } from './fake-contexts.ts';
import { fakeInstances } from './fake-instances.ts';
import { createFakeFleet, restartReport } from './fake-fleet.ts';
import { createFakeMemoryItems } from './fake-memory-items.ts';
import { createFakeMemory } from './fake-memory.ts';
import { createFakeModels } from './fake-models.ts';
import { createFakeWorkflows } from './fake-workflows.ts';
import { anExperience } from '../memory/an-experience.ts';
import type { System, SystemRequest } from '../../src/compose/index.ts';
import type { Compose } from '../../src/cli/io.ts';

const span = {
  traceId: 'abc1',
  spanId: '1',
  name: 'call',
  kind: 'internal',
  startedAtUs: 0,
  durationUs: 1,
  status: 'ok',
  attributes: {},
  callerId: 'local',
} as const;

/** What a fake system was asked to do. */
export interface Seen {
  options: SystemRequest[];
  calls: { name: string; args: unknown }[];
  backups: { target: string; force: boolean }[];
  closed: number;
  listenersClosed: number;
  startLimits: number[];
  restarts: string[];
}

const echo: Tool = {
  name: 'echo_all',
  title: 'Echo',
  description: 'Gives back what it gets. It does nothing else.',
  inputSchema: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string', description: 'Any text.' },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      ratio: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      deep: { type: 'boolean' },
      items: { type: 'array', items: { type: 'string' } },
      either: { oneOf: [{ type: 'string' }, { type: 'array' }] },
      options: { $ref: '#/$defs/options' },
      level: { enum: ['low', 'high'] },
      version: { const: 2 },
      anything: {},
      loop: { $ref: '#/$defs/loop' },
      foreign: { $ref: 'https://example.org/schema' },
    },
    $defs: {
      options: { type: 'object', properties: { a: {}, b: {} } },
      loop: { anyOf: [{ $ref: '#/$defs/loop' }] },
    },
  },
  outputSchema: {
    type: 'object',
    properties: {
      echoed: { type: 'object', description: 'What came.' },
      said: { type: 'string' },
    },
  },
  annotations: { readOnlyHint: true },
  _meta: { 'tutti/examples': ['repeat after me'] },
};

const open: Tool = {
  name: 'open_ended',
  inputSchema: { type: 'object', additionalProperties: true },
};

const entries: readonly CatalogueEntry[] = [
  { name: 'fake.echo_all', wireName: 'fake__echo_all', server: 'fake', tool: echo, isOwn: true },
  { name: 'fake.open_ended', wireName: 'fake__open_ended', server: 'fake', tool: open },
  ...[
    'fail_known',
    'fail_arguments',
    'fail_refused',
    'fail_unknown',
    'fail_bare',
    'throw_bug',
    'no_structure',
    'wait',
  ].map((name) => ({
    name: `fake.${name}`,
    wireName: `fake__${name}`,
    server: 'fake',
    tool: { name, inputSchema: { type: 'object' } },
  })),
  { name: 'other.wait', wireName: 'other__wait', server: 'other', tool: { ...open, name: 'wait' } },
];

const trace = {
  name: 'call',
  startedAtUs: 0,
  durationUs: 10,
  spans: 1,
  errors: 0,
  isFailed: false,
  runId: null,
};

async function callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
  switch (name.replace('fake__', '')) {
    case 'fail_known':
      return failedToolResult({
        code: 'code.syntax_error',
        message: 'line 1',
        details: { line: 1 },
      });
    case 'fail_arguments':
      return failedToolResult({
        code: 'toolbox.invalid_arguments',
        message: 'code: expected text',
        details: { tool: 'fail_arguments' },
      });
    case 'fail_refused':
      return failedToolResult({ code: 'code.outside_roots', message: 'no entry', details: {} });
    case 'fail_unknown':
      return failedToolResult({ code: 'elsewhere.odd', message: 'odd', details: {} });
    case 'fail_bare':
      return { isError: true, content: [{ type: 'text', text: 'it rained' }] };
    case 'throw_bug':
      throw new TypeError('x is not a function');
    case 'no_structure':
      return {
        content: [
          { type: 'text', text: 'words' },
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'resource_link', uri: 'file:///a' },
          { type: 'resource', resource: { uri: 'x://y', text: 'inner' } },
        ],
      };
    case 'wait':
      context.progress({ progress: 1, total: 2, message: 'half' });
      return new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason));
      });
    default: {
      const structuredContent = { echoed: args };
      return { content: [{ type: 'text', text: 'echoed' }], structuredContent };
    }
  }
}

function createFakeCatalogue(seen: Seen): Catalogue {
  return {
    name: 'fake',
    title: 'Fake',
    version: '1.2.3',
    entries: async () => entries,
    listTools: async () => entries.map((entry) => entry.tool),
    callTool: (name, args, context) => {
      seen.calls.push({ name, args });
      return callTool(name, args, context);
    },
    listResources: async () => [{ uri: 'fake://one', name: 'one', description: 'The one. More.' }],
    listResourceTemplates: async () => [{ uriTemplate: 'fake://{x}', name: 'any', title: 'Any' }],
    readResource: async (uri) =>
      uri === 'fake://blob'
        ? { contents: [{ uri, blob: 'AAAA', mimeType: 'image/png' }] }
        : { contents: [{ uri, text: `text of ${uri}` }] },
    listPrompts: async () => [
      {
        name: 'fake__greet',
        description: 'Greets somebody.',
        arguments: [{ name: 'who', required: true }, { name: 'how' }],
      },
    ],
    getPrompt: async (_name, args) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args['who']}` } }],
    }),
    complete: async () => ({ values: [] }),
    onChange: () => () => {},
    close: async () => {},
  };
}

const refused = async (): Promise<never> => {
  throw new Error('There are no keys here');
};

const noKeys: System['keys'] = {
  list: async () => [],
  create: refused,
  rotate: refused,
  revoke: refused,
  setDisabled: refused,
};

/** A system that answers at once and remembers what it was asked. */
export function createFakeSystem(): { compose: () => Promise<Compose>; seen: Seen } {
  const seen: Seen = {
    options: [],
    calls: [],
    backups: [],
    closed: 0,
    listenersClosed: 0,
    startLimits: [],
    restarts: [],
  };
  const system = createSystem(seen);
  const compose: Compose = {
    openSystem: async (options) => {
      seen.options.push(options);
      return system;
    },
    openRemoteSystem: async (options) => {
      seen.options.push(options);
      return system;
    },
    loadSettingsOnly: async (options) => {
      seen.options.push(options);
      return system.settings;
    },
    // Real files in the folders a test names: there is nothing to fake.
    openServerFiles,
    openClientConnections,
    ...logs,
    restartEverywhere: async (_options, name) => restartReport(name),
    moveStoreHere: async (_options, to) => ({
      from: 'here',
      to,
      tables: [{ table: 'runs', rows: 2 }],
    }),
  };
  return { compose: async () => compose, seen };
}

const settings = {
  warnings: ['TUTTI_X sets nothing'],
  describe: () => [
    { key: 'server.port', value: 8004, source: 'default', description: 'Port.' },
    { key: 'server.auth_token', value: undefined, source: 'default', description: 'Token.' },
    { key: 'servers', value: [], source: 'env X', description: 'Not in the group server.' },
  ],
};

const digest = 'ab'.repeat(32);

/** Two entries: a call, and one that was refused. */
function createFakeAudit(): System['audit'] {
  const call = {
    number: 1,
    at: '2026-01-01T00:00:00.000Z',
    callerId: 'local',
    tenant: null,
    credential: null,
    action: 'tools.call',
    target: 'code.echo_all',
    isAllowed: true,
    rule: 'the user at this machine',
    face: 'cli',
    argumentsDigest: null,
    address: null,
    traceId: null,
    previousDigest: '0'.repeat(64),
    digest,
  } as const;
  const refused = { ...call, number: 2, isAllowed: false, rule: 'fleet.tool_quarantined' };
  return {
    record: () => {},
    list: async (_by, { after = 0, limit, isAllowed }) =>
      [call, refused]
        .filter((it) => it.number > after && (isAllowed ?? it.isAllowed) === it.isAllowed)
        .slice(0, limit),
    verify: async () => ({ entries: 2, isIntact: true, last: { number: 2, digest } }),
  };
}

const fakeTraces: System['traces'] = {
  find: async (id) => (id === 'abc' ? [span] : []),
  recent: async (limit) =>
    [
      { ...trace, traceId: 'abc1', durationUs: 1500 },
      { ...trace, traceId: 'abc2', errors: 1, isFailed: true },
      { ...trace, traceId: 'abc3', errors: 1 },
      { ...trace, traceId: 'abc4', errors: 2, runId: 'run-1' },
    ].slice(0, limit),
  search: async ({ tool }) =>
    tool === 'none'
      ? []
      : [
          {
            traceId: 'abc1',
            name: 'call',
            startedAtUs: 0,
            durationUs: 1500,
            errors: 1,
            costUsd: 0.02,
          },
        ],
  explain: async () => ({
    traceId: 'abc1',
    name: 'call',
    durationUs: 1500,
    usualDurationUs: null,
    comparedTraces: 0,
    alikeTraces: 0,
    causes: [],
    criticalPath: [],
    errors: [],
    decisions: [],
  }),
};

const fakeUsage: System['usage'] = {
  kinds: ['tool', 'model'],
  summarize: async ({ by }) =>
    by === 'model'
      ? []
      : [{ name: 'code.x', calls: 3, errors: 1, p50Ms: 2, p95Ms: 9, tokens: 7, costUsd: 0.5 }],
};

const fakeObserving: Pick<System, 'alerts' | 'usage' | 'formatTrace' | 'formatExplanation'> = {
  alerts: {
    names: ['CallsFailing'],
    list: async () => [
      {
        name: 'CallsFailing',
        severity: 'critical',
        summary: 'Calls fail',
        firingSinceMs: 0,
        firingOn: ['one:8004', 'two:8004'],
        silencedUntilMs: null,
      },
    ],
    test: async (name) =>
      name === 'none' ? [] : [{ webhook: 'team', problem: name === 'team' ? null : 'refused' }],
    silence: async () => {},
  },
  usage: fakeUsage,
  formatTrace: (spans) => `tree of ${spans.length}`,
  formatExplanation: ({ traceId }) => `explanation of ${traceId}`,
};

// oxlint-disable-next-line max-lines-per-function -- one line for each part of the system
function createSystem(seen: Seen): System {
  return {
    settings,
    log: silentLog,
    version: '1.2.3',
    folder: async () => '/work',
    catalogue: createFakeCatalogue(seen),
    fleet: createFakeFleet(seen),
    workflows: createFakeWorkflows().workflows,
    agents: Object({ why: async () => [] }),
    audit: createFakeAudit(),
    ocsfEvent: ({ number }) => ({ class_uid: 6003, metadata: { uid: String(number) } }),
    preview: async () => undefined,
    keys: noKeys,
    instances: fakeInstances,
    tenants: { list: async () => [], setDisabled: refused },
    policy: { explain: refused },
    hideSecrets: async () => (text) => ({ text, count: 0 }),
    agent: createFakeAgent().agent,
    memory: createFakeMemory(),
    contexts: createFakeContexts(),
    feedback: createFakeFeedback(),
    memoryItems: createFakeMemoryItems(),
    // A chat at a terminal is no test, which alone has a folder for a store.
    experience: lazyObject<Experience>(
      lazy(async () => anExperience()),
      { failed: () => {}, succeeded: () => {} },
    ),
    models: createFakeModels(),
    localModels: { isNeeded: false, find: async () => [], decide: async () => {} },
    findTools: async (query, count) =>
      entries.filter(({ tool }) => JSON.stringify(tool).includes(query)).slice(0, count),
    traces: fakeTraces,
    ...fakeObserving,
    backup: async (target, { force }) => {
      seen.backups.push({ target, force });
      return { path: target, bytes: 4096 };
    },
    startConditions: () => ({ home: '', variables: [], paths: [] }),
    doctor: async () => [
      { name: 'database', status: 'ok', message: 'is sound' },
      { name: 'rustfmt', status: 'warning', message: 'is missing', fix: 'install it' },
    ],
    serveStdio: async ({ stdin, stdout, signal }) => {
      stdin.on('data', (chunk) => stdout.write(`served ${String(chunk)}`));
      const { promise, resolve } = Promise.withResolvers<void>();
      stdin.on('end', resolve);
      signal?.addEventListener('abort', () => resolve());
      await promise;
    },
    serveHttp: async () => ({
      url: 'http://127.0.0.1:1234',
      drained: new Promise<void>(() => {}),
      drainLimitMs: 0,
      close: async () => void (seen.listenersClosed += 1),
    }),
    work: async ({ engine = 'embedded', signal, onReady }) => {
      onReady({ engine, url: engine === 'restate' ? 'http://127.0.0.1:9080' : null });
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    },
    close: async () => void (seen.closed += 1),
  };
}
