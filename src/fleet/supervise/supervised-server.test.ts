import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { CallContext, ClientPort } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { UnreachableError } from '../errors.ts';
import { aPolicy } from '../../../testkit/fleet/a-policy.ts';
import { aConnection, aContext, type FakeConnection } from '../../../testkit/fleet/a-server.ts';
import { ManualTimers, settle } from '../../../testkit/fleet/manual-timers.ts';
import { OutcomeUnknownError, ServerUnavailableError } from '../upstream/errors.ts';
import { ServerLog } from './server-log.ts';
import { SupervisedServer } from './supervised-server.ts';
import type { SupervisionPolicy } from './supervision-policy.ts';

const lost = { server: 'git', what: 'Tool "push"', reason: 'it ended', isRepeatable: false };

function aSupervised(
  connections: readonly FakeConnection[],
  policy: Partial<SupervisionPolicy> = {},
  onStart: () => void = () => {},
) {
  const timers = new ManualTimers();
  const seen = { starts: 0, opened: 0 };
  const server = new SupervisedServer({
    name: 'git',
    transport: 'stdio',
    policy: aPolicy(policy),
    connect: async () => {
      onStart();
      const connection = connections[seen.starts];
      seen.starts += 1;
      if (!connection) throw new Error('no more connections');
      return connection;
    },
    serverLog: new ServerLog('/nowhere/git.log'),
    memoryBytes: async (pid) => pid * 10,
    listener: { onOpened: () => void (seen.opened += 1), onChange: () => {} },
    timers,
    random: () => 1,
    log: silentLog,
  });
  return { server, timers, seen };
}

function callTool(
  server: SupervisedServer,
  isRepeatable: boolean,
  context: CallContext = aContext(),
) {
  return server.run<ToolResult>({
    isRepeatable,
    context,
    work: (connection) => connection.callTool('hello', {}, context),
  });
}

/** A connection under which every call is lost. */
function aDyingConnection(error: Error): FakeConnection {
  const connection: FakeConnection = aConnection('git', {
    callTool: async () => {
      connection.end('it ended');
      throw error;
    },
  });
  return connection;
}

describe('a call on a server that ends under it', () => {
  it('is sent once more to the restarted server when it may run twice', async () => {
    const dying = aDyingConnection(new OutcomeUnknownError(lost));
    const { server, timers, seen } = aSupervised([dying, aConnection('git')]);
    const call = callTool(server, true);
    await timers.pass(100);
    expect((await call).content[0]).toMatchObject({ text: 'hello from git' });
    expect(seen).toEqual({ starts: 2, opened: 2 });
  });

  it('is not repeated otherwise: its outcome is unknown', async () => {
    const dying = aDyingConnection(new OutcomeUnknownError(lost));
    const { server } = aSupervised([dying, aConnection('git')]);
    await expect(callTool(server, false)).rejects.toMatchObject({ code: 'fleet.outcome_unknown' });
  });

  it('is sent again, whatever it does, when it did not reach the server', async () => {
    const dying = aDyingConnection(new ServerUnavailableError('git', 'it ended'));
    const { server, timers } = aSupervised([dying, aConnection('git')]);
    const call = callTool(server, false);
    await timers.pass(100);
    expect((await call).isError).toBeUndefined();
  });

  it('waits for a server behind a url that is gone for a moment', async () => {
    const unreachable = new UnreachableError('git', 'http://git.test', 'connection refused');
    const gone = aConnection('git', {
      callTool: () => Promise.reject(unreachable),
      ping: () => Promise.reject(unreachable),
    });
    const { server, timers, seen } = aSupervised([gone, aConnection('git')]);
    const call = callTool(server, false);
    await settle();
    expect((await server.status()).state).toBe('restarting');
    await timers.pass(100);
    expect((await call).content[0]).toMatchObject({ text: 'hello from git' });
    expect(seen.starts).toBe(2);
  });

  it('is sent again at once where the server can be reached after all', async () => {
    let calls = 0;
    const flaky = aConnection('git', {
      callTool: async () => {
        calls += 1;
        if (calls === 1) throw new UnreachableError('git', 'http://git.test', 'no route');
        return { content: [] };
      },
    });
    const { server, seen } = aSupervised([flaky]);
    expect(await callTool(server, false)).toEqual({ content: [] });
    expect([calls, seen.starts]).toEqual([2, 1]);
  });

  it('is never sent a third time', async () => {
    const error = new OutcomeUnknownError(lost);
    const { server, timers, seen } = aSupervised([
      aDyingConnection(error),
      aDyingConnection(error),
      aConnection('git'),
    ]);
    const call = callTool(server, true).catch((error: unknown) => error);
    await timers.pass(150);
    expect(await call).toMatchObject({ code: 'fleet.outcome_unknown' });
    expect(seen.starts).toBe(2);
  });

  it('is not repeated for a caller that cancelled', async () => {
    const cancel = new AbortController();
    const connection: FakeConnection = aConnection('git', {
      callTool: async () => {
        cancel.abort(new Error('enough'));
        throw new OutcomeUnknownError(lost);
      },
    });
    const { server } = aSupervised([connection]);
    const call = callTool(server, true, aContext({ signal: cancel.signal }));
    await expect(call).rejects.toMatchObject({ code: 'fleet.outcome_unknown' });
  });
});

describe('a traced call over a pipe', () => {
  const spans = new AsyncLocalStorage<string>();

  it('is inside its span where a server is started for it, and in a second attempt', async () => {
    const startedIn: unknown[] = [];
    const sentIn: unknown[] = [];
    const dying = aDyingConnection(new OutcomeUnknownError(lost));
    const { server, timers } = aSupervised([dying, aConnection('git')], {}, () =>
      startedIn.push(spans.getStore()),
    );
    const context = aContext();
    const call = server.run<ToolResult>({
      isRepeatable: true,
      context,
      inSpan: (work) => spans.run('mine', work),
      work: (connection) => {
        sentIn.push(spans.getStore());
        return connection.callTool('hello', {}, context);
      },
    });
    await timers.pass(100);
    await call;
    expect(startedIn[0]).toBe('mine');
    expect(sentIn).toEqual([undefined, 'mine']);
  });
});

describe('a server with several processes', () => {
  const client = (id: string): CallContext => {
    const port: ClientPort = {
      id,
      era: 'handshake',
      capabilities: {},
      ask: () => Promise.reject(new Error('not asked')),
      notify: () => {},
    };
    return aContext({ client: port });
  };
  const pidOf = (server: SupervisedServer, context: CallContext): Promise<number | undefined> =>
    server.run({
      isRepeatable: true,
      context,
      work: async (connection) => ('pid' in connection ? Number(connection.pid) : undefined),
    });

  it('gives each client its own until there are no more, then shares', async () => {
    const connections = [1, 2, 3].map((pid) => aConnection('git', { pid }));
    const { server } = aSupervised(connections, { maxProcesses: 2 });
    expect(await pidOf(server, client('a'))).toBe(1);
    expect(await pidOf(server, client('b'))).toBe(2);
    expect(await pidOf(server, client('a'))).toBe(1);
    expect([1, 2]).toContain(await pidOf(server, client('c')));
    expect(await pidOf(server, aContext())).toBe(1);
    expect((await server.status()).memoryBytes).toBe(30);
  });

  it('watches a resource on one process alone', async () => {
    const watched: number[] = [];
    const connections = [1, 2].map((pid) =>
      aConnection('git', {
        pid,
        watchResource: async () => {
          watched.push(pid);
          return () => watched.push(-pid);
        },
      }),
    );
    const { server } = aSupervised(connections, { maxProcesses: 2 });
    const stop = await server.watchResource('git://log', new AbortController().signal);
    await pidOf(server, client('a'));
    await pidOf(server, client('b'));
    stop();
    await settle();
    expect(watched).toEqual([1, -1]);
  });

  it('gives the process of a client that left to the next one', async () => {
    const connections = [1, 2, 3].map((pid) => aConnection('git', { pid }));
    const { server, timers } = aSupervised(connections, { maxProcesses: 2 });
    await pidOf(server, client('a'));
    await pidOf(server, client('b'));
    await timers.pass(60 * 60_000);
    expect((await server.status()).memoryBytes).toBe(10);
    expect(await pidOf(server, client('c'))).toBe(3);
  });

  it('gives one caller of the stateless era one process, though each request is a client', async () => {
    const connections = [1, 2, 3].map((pid) => aConnection('git', { pid }));
    const { server } = aSupervised(connections, { maxProcesses: 3 });
    const stateless = (id: string, caller: string): CallContext => {
      const { client: port, ...rest } = client(id);
      if (!port) throw new Error('a client has a port');
      return { ...rest, caller: { id: caller }, client: { ...port, era: 'stateless' } };
    };
    expect(await pidOf(server, stateless('request 1', 'ann'))).toBe(1);
    expect(await pidOf(server, stateless('request 2', 'ann'))).toBe(1);
    expect(await pidOf(server, stateless('request 3', 'bob'))).toBe(2);
  });

  it('is one process for everybody by default', async () => {
    const { server, seen } = aSupervised([aConnection('git', { pid: 1 })]);
    await Promise.all(['a', 'b', 'c'].map((id) => pidOf(server, client(id))));
    expect(seen.starts).toBe(1);
  });
});

describe('a supervised server', () => {
  it('tells how its calls went and how it is', async () => {
    const failing = aConnection('git', {
      problems: ['sent a line that is no JSON'],
      callTool: async (name) => ({ content: [], isError: name === 'hello' }),
    });
    const { server } = aSupervised([failing]);
    expect(await server.status()).toMatchObject({
      state: 'idle',
      calls: 0,
      p50Ms: null,
      pid: null,
    });
    await callTool(server, true);
    expect(await server.status()).toMatchObject({
      state: 'ready',
      calls: 1,
      failedCalls: 1,
      p50Ms: expect.any(Number),
      pid: 42,
      memoryBytes: 420,
      protocolVersion: '2025-11-25',
      version: '1',
      problems: ['sent a line that is no JSON'],
    });
  });

  it('watches resources again after a restart, and is not idle meanwhile', async () => {
    const watched: string[] = [];
    const watching = (name: string): FakeConnection =>
      aConnection(name, {
        watchResource: async (uri) => {
          watched.push(`${name} ${uri}`);
          return () => watched.push(`${name} stopped`);
        },
      });
    const first = watching('first');
    const { server, timers } = aSupervised([first, watching('second')], { idleStopMs: 1_000 });
    const stop = await server.watchResource('git://log', new AbortController().signal);
    const stopToo = await server.watchResource('git://log', new AbortController().signal);
    await timers.pass(10_000);
    expect(watched).toEqual(['first git://log']);
    first.end('crashed');
    await timers.pass(100);
    expect(watched).toEqual(['first git://log', 'second git://log']);
    stop();
    stop();
    stopToo();
    await settle();
    expect(watched.at(-1)).toBe('second stopped');
    await timers.pass(10_000);
    expect((await server.status()).state).toBe('idle');
  });

  it('watches a resource that two clients want to watch at the same moment', async () => {
    const watched: string[] = [];
    const connection = aConnection('git', {
      watchResource: async (uri) => {
        watched.push(uri);
        return () => watched.push('stopped');
      },
    });
    const { server } = aSupervised([connection]);
    const { signal } = new AbortController();
    await server.start(signal);
    const [stop, stopToo] = await Promise.all([
      server.watchResource('git://log', signal),
      server.watchResource('git://log', signal),
    ]);
    expect(watched).toEqual(['git://log']);
    stop();
    stopToo();
    await settle();
    expect(watched).toEqual(['git://log', 'stopped']);
  });

  it('watches once where the connection ends just when the watch begins', async () => {
    const watched: string[] = [];
    const fresh = aConnection('git', {
      watchResource: async (uri) => {
        watched.push(uri);
        return () => watched.push('stopped');
      },
    });
    const first = aConnection('git');
    const { server, timers } = aSupervised([first, fresh]);
    const { signal } = new AbortController();
    await server.start(signal);
    first.end('crashed');
    const watching = server.watchResource('git://log', signal);
    await timers.pass(100);
    (await watching)();
    await settle();
    expect(watched).toEqual(['git://log', 'stopped']);
  });

  it('tells a second watcher of a resource that cannot be watched', async () => {
    const connection = aConnection('git', {
      watchResource: () => Promise.reject(new Error('no such resource')),
    });
    const { server } = aSupervised([connection]);
    const { signal } = new AbortController();
    await server.start(signal);
    const watches = ['a', 'b'].map(() => server.watchResource('git://log', signal));
    const outcomes = await Promise.allSettled(watches);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('forgets a watch that could not be made', async () => {
    const { server } = aSupervised([]);
    const cancel = AbortSignal.abort(new Error('enough'));
    await expect(server.watchResource('git://log', cancel)).rejects.toThrow('enough');
  });

  it('tells every connection the log level, the present one and those to come', async () => {
    const levels: string[] = [];
    const setLogLevel = (level: string): void => void levels.push(level);
    const first = aConnection('git', { setLogLevel });
    const { server, timers } = aSupervised([first, aConnection('git', { setLogLevel })]);
    await callTool(server, true);
    server.setLogLevel('debug');
    first.end('crashed');
    await timers.pass(100);
    expect(levels).toEqual(['debug', 'debug']);
  });

  it('is restarted and closed on request', async () => {
    const [first, second] = [aConnection('git'), aConnection('git')];
    const { server } = aSupervised([first, second]);
    await server.start(new AbortController().signal);
    await server.restart(new AbortController().signal);
    expect(first.closed.count).toBe(1);
    await server.close();
    await settle();
    expect(second.closed.count).toBe(1);
    await expect(callTool(server, true)).rejects.toMatchObject({
      code: 'fleet.server_unavailable',
    });
  });
});
