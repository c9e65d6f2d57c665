import { describe, expect, it } from 'vitest';
import type { McpServer, ServerChange } from '../contract/server/index.ts';
import type { Connection, ConnectRequest } from './supervise/connection.ts';
import { aFleet, aMemoryCache, anEntry, anOutside, ours } from '../../testkit/fleet/a-fleet.ts';
import {
  aConnection,
  aContext,
  aServer,
  type FakeConnection,
} from '../../testkit/fleet/a-server.ts';
import { ManualTimers, settle } from '../../testkit/fleet/manual-timers.ts';

const connects = async ({ entry }: ConnectRequest): Promise<Connection> => aConnection(entry.name);
const never = (): Promise<never> => new Promise(() => {});
const namesOf = (items: readonly { readonly name: string }[]): string[] =>
  items.map(({ name }) => name);

describe('a fleet with configured servers', () => {
  it('lists from what is kept, at once and without starting anything', async () => {
    const cache = aMemoryCache();
    const entries = [anEntry('a'), anEntry('b')];
    const before = aFleet({ outside: anOutside(entries, connects), cache });
    const listed = await before.catalogue.listTools();
    await before.catalogue.close();
    const outside = anOutside(entries, never);
    const after = aFleet({ outside, cache });
    expect(JSON.stringify(await after.catalogue.listTools())).toBe(JSON.stringify(listed));
    expect(await after.catalogue.listPrompts()).toHaveLength(2);
    expect(outside.connected).toEqual([]);
    expect((await after.control.status()).map(({ state, tools }) => [state, tools])).toEqual([
      ['idle', 1],
      ['idle', 1],
    ]);
  });

  it('lists from what is kept of our own servers without opening them', async () => {
    const cache = aMemoryCache();
    const open = async () => aServer('one');
    const before = aFleet({ servers: [{ name: 'one', open, cacheKey: 'v1' }], cache });
    await before.catalogue.listTools();
    const after = aFleet({ servers: [{ name: 'one', open: never, cacheKey: 'v1' }], cache });
    expect(namesOf(await after.catalogue.listTools())).toEqual(['hello']);
  });

  it('does not use what is kept of another entry', async () => {
    const cache = aMemoryCache();
    const first = aFleet({ outside: anOutside([anEntry('a')], connects), cache });
    await first.catalogue.listTools();
    const outside = anOutside([anEntry('a', { args: ['--other'] })], connects);
    await aFleet({ outside, cache }).catalogue.listTools();
    expect(outside.connected).toEqual(['a']);
  });

  it('waits a short time for a server without a cached listing, lists the others and announces it later', async () => {
    const timers = new ManualTimers();
    const slow = Promise.withResolvers<Connection>();
    const outside = anOutside([anEntry('fast'), anEntry('slow')], (request) =>
      request.entry.name === 'slow' ? slow.promise : connects(request),
    );
    const { catalogue } = aFleet({ outside, timers, firstWaitMs: 20 });
    const seen: ServerChange[] = [];
    catalogue.onChange((change) => seen.push(change));
    expect(namesOf(await catalogue.listTools())).toEqual(['fast__hello']);
    expect(namesOf(await catalogue.listTools())).toEqual(['fast__hello']);
    expect(catalogue.unlisted()).toEqual(['slow']);
    slow.resolve(aConnection('slow'));
    await timers.pass(1_000);
    expect(seen).toEqual([{ kind: 'tools' }]);
    expect(namesOf(await catalogue.listTools())).toEqual(['fast__hello', 'slow__hello']);
    expect(catalogue.unlisted()).toEqual([]);
  });

  it('lists a server that failed at first once it works, without a listing waiting for it', async () => {
    const timers = new ManualTimers();
    let isBroken = true;
    const outside = anOutside([anEntry('a', { retryAttempts: 0 })], (request) =>
      isBroken ? Promise.reject(new Error('no')) : connects(request),
    );
    const { catalogue } = aFleet({ outside, timers, onToolChange: 'warn' });
    expect(await catalogue.listTools()).toEqual([]);
    isBroken = false;
    await timers.pass(15_000);
    expect(await catalogue.listTools()).toEqual([]);
    await timers.pass(100);
    expect(namesOf(await catalogue.listTools())).toEqual(['hello']);
  });

  it('lets a call wait for a server that was not listed in time', async () => {
    const slow = Promise.withResolvers<Connection>();
    const outside = anOutside([anEntry('slow'), anEntry('other')], (request) =>
      request.entry.name === 'slow' ? slow.promise : connects(request),
    );
    const { catalogue } = aFleet({ outside, firstWaitMs: 5 });
    const call = catalogue.callTool('slow.hello', {}, aContext());
    const prompt = catalogue.getPrompt('slow__greet', {}, aContext());
    setTimeout(() => slow.resolve(aConnection('slow')), 20);
    expect((await call).content[0]).toMatchObject({ text: 'hello from slow' });
    expect((await prompt).messages).toHaveLength(1);
  });

  it('lets a call wait for no server but its own, also where that is the only one', async () => {
    const slow = Promise.withResolvers<Connection>();
    const entries = [anEntry('fast'), anEntry('hangs')];
    const outside = anOutside(entries, (request) =>
      request.entry.name === 'hangs' ? never() : connects(request),
    );
    const { catalogue } = aFleet({ outside, firstWaitMs: 60_000 });
    const result = await catalogue.callTool('fast__hello', {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'hello from fast' });
    const only = aFleet({ outside: anOutside([anEntry('a')], () => slow.promise), firstWaitMs: 5 });
    const call = only.catalogue.callTool('hello', {}, aContext());
    setTimeout(() => slow.resolve(aConnection('a')), 30);
    expect((await call).content[0]).toMatchObject({ text: 'hello from a' });
  });

  it('never shows a shorter list while a server restarts', async () => {
    const timers = new ManualTimers();
    const connections: FakeConnection[] = [];
    const outside = anOutside([anEntry('a', { retryDelayMs: 1_000 })], async ({ entry }) => {
      const connection = aConnection(entry.name);
      connections.push(connection);
      return connection;
    });
    const { catalogue, control } = aFleet({ outside, timers });
    const seen: ServerChange[] = [];
    catalogue.onChange((change) => seen.push(change));
    const listed = await catalogue.listTools();
    connections[0]?.end('crashed');
    await settle();
    expect((await control.status())[0]?.state).toBe('restarting');
    expect(await catalogue.listTools()).toEqual(listed);
    await timers.pass(2_000);
    expect((await control.status())[0]?.state).toBe('ready');
    expect(await catalogue.listTools()).toEqual(listed);
    expect(seen).toEqual([]);
  });

  it('keeps what it knows when a server fails to list, and shows its tools when only others fail', async () => {
    const lying = aConnection('a', {
      listResources: () => Promise.reject(new Error('method not found')),
      listPrompts: () => Promise.reject(new Error('method not found')),
    });
    const { catalogue } = aFleet({ outside: anOutside([anEntry('a')], async () => lying) });
    expect(namesOf(await catalogue.listTools())).toEqual(['hello']);
    expect(await catalogue.listResources()).toEqual([]);
  });

  it('sees a change of the first of several processes after another has ended', async () => {
    const timers = new ManualTimers();
    const connections: FakeConnection[] = [];
    const offer = { tools: ['old'] };
    const outside = anOutside([anEntry('a', { maxProcesses: 2 })], async () => {
      const connection: FakeConnection = aConnection('a', {
        listTools: async () => {
          if (!connection.isOpen) throw new Error('it is gone');
          return offer.tools.map((name) => ({ name, inputSchema: {} }));
        },
      });
      connections.push(connection);
      return connection;
    });
    const { catalogue } = aFleet({ outside, timers, onToolChange: 'warn' });
    await catalogue.listTools();
    for (const id of ['one', 'two']) {
      const port = { capabilities: {}, ask: never, notify: () => {} };
      const client = { ...port, id, era: 'handshake' } as const;
      await catalogue.callTool('old', {}, aContext({ client }));
    }
    await timers.pass(500);
    expect(connections).toHaveLength(2);
    connections[1]?.end('crashed');
    await settle();
    offer.tools = ['new'];
    connections[0]?.change({ kind: 'tools' });
    await timers.pass(9);
    expect(namesOf(await catalogue.listTools())).toEqual(['new']);
  });

  it('asks again for lists whose time is up, by the server’s own word', async () => {
    const timers = new ManualTimers();
    const offer = { tools: ['old'], freshUntil: timers.now() + 60_000 };
    const connection = aConnection('a', {
      listTools: async () => offer.tools.map((name) => ({ name, inputSchema: {} })),
      listingFreshUntil: (list) => (list === 'tools' ? offer.freshUntil : Infinity),
    });
    const { catalogue } = aFleet({
      onToolChange: 'warn',
      outside: anOutside([anEntry('a')], async () => connection),
      timers,
    });
    await catalogue.listTools();
    offer.tools = ['new'];
    await timers.pass(59_000);
    await catalogue.listTools();
    await timers.pass(500);
    expect(namesOf(await catalogue.listTools())).toEqual(['old']);
    await timers.pass(1_000);
    await catalogue.listTools();
    await timers.pass(0);
    expect(namesOf(await catalogue.listTools())).toEqual(['new']);
  });

  it('says which server could not be listed and why', async () => {
    const outside = anOutside([anEntry('a', { retryAttempts: 0 }), anEntry('b')], (request) =>
      request.entry.name === 'a' ? Promise.reject(new Error('no database')) : connects(request),
    );
    const { catalogue, control } = aFleet({ outside });
    expect(namesOf(await catalogue.listTools())).toEqual(['b__hello']);
    expect(catalogue.failures?.()).toEqual([
      { server: 'a', message: expect.stringContaining('no database') },
    ]);
    expect((await control.status())[0]).toMatchObject({
      state: 'crash-looping',
      lastError: 'no database',
    });
  });
});

describe('the end of a fleet', () => {
  it('opens none of our servers afterwards', async () => {
    const timers = new ManualTimers();
    let opened = 0;
    const open = async () => {
      opened += 1;
      return aServer('one');
    };
    const { serve, catalogue } = aFleet({ servers: [{ name: 'one', open }], timers });
    serve();
    await catalogue.close();
    await timers.pass(60_000);
    expect(opened).toBe(0);
  });
});

describe('the control of the fleet', () => {
  it('starts all servers concurrently, and waits for each no longer than the limit', async () => {
    const outside = anOutside([anEntry('a'), anEntry('dead'), anEntry('z')], (request) =>
      request.entry.name === 'dead' ? never() : connects(request),
    );
    const { control } = aFleet({ servers: [ours(aServer('one'))], outside });
    await control.startAll(30);
    const states = (await control.status()).map(({ name, state }) => [name, state]);
    expect(states).toEqual([
      ['one', 'ready'],
      ['a', 'ready'],
      ['dead', 'starting'],
      ['z', 'ready'],
    ]);
  });

  it('starts 200 servers few at a time, and a call’s server at once', async () => {
    const timers = new ManualTimers();
    const names = Array.from({ length: 200 }, (_, at) => `s${at}`);
    const openings = new Map<string, PromiseWithResolvers<Connection>>();
    const outside = anOutside(
      names.map((name) => anEntry(name)),
      ({ entry }) => {
        const opening = Promise.withResolvers<Connection>();
        openings.set(entry.name, opening);
        return opening.promise;
      },
    );
    const { catalogue, control } = aFleet({ outside, timers });
    const all = control.startAll(60_000);
    await settle();
    expect(openings.size).toBe(16);
    const call = catalogue.callTool('s99.hello', {}, aContext());
    await expect.poll(() => openings.has('s99')).toBe(true);
    openings.get('s99')?.resolve(aConnection('s99'));
    expect((await call).content[0]).toMatchObject({ text: 'hello from s99' });
    // Those that hang keep nobody from starting for long.
    await timers.pass(5_000);
    expect(openings.size).toBeGreaterThan(30);
    for (let round = 0; round < 200 && openings.size < 200; round += 1) {
      for (const [name, opening] of openings) opening.resolve(aConnection(name));
      await settle();
    }
    for (const [name, opening] of openings) opening.resolve(aConnection(name));
    await all;
    expect((await control.status()).every(({ state }) => state === 'ready')).toBe(true);
    expect(outside.connected).toHaveLength(200);
  });

  it('starts what is not lazy when clients are served, and what joins later', async () => {
    const eager = anEntry('eager', { lazy: false });
    const outside = anOutside([eager, anEntry('lazy')], connects);
    const { serve } = aFleet({ outside, cache: aMemoryCache() });
    expect(outside.connected).toEqual([]);
    serve();
    outside.edit([eager, anEntry('lazy'), anEntry('late', { lazy: false })]);
    await settle();
    expect(outside.connected).toEqual(['eager', 'late']);
  });

  it('opens our own servers a while after serving began, so that their changes are noticed', async () => {
    const timers = new ManualTimers();
    const { serve, control } = aFleet({ servers: [ours(aServer('one'))], timers });
    serve();
    await timers.pass(1_000);
    expect((await control.status())[0]?.state).toBe('idle');
    await timers.pass(5_000);
    expect((await control.status())[0]?.state).toBe('ready');
  });

  it('restarts one server and shows what it wrote', async () => {
    const outside = anOutside([anEntry('a')], async (request) => {
      request.onStderr('hello from stderr');
      return aConnection('a');
    });
    const { control } = aFleet({ servers: [ours(aServer('one'))], outside });
    await control.restart('a');
    await control.restart('one');
    expect((await control.status()).map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect(await control.logs('a', 5)).toEqual(['hello from stderr']);
    expect(await control.logs('one', 5)).toEqual([]);
  });

  it('restarts a server of ours that is just being opened, and uses the fresh one', async () => {
    const openings = [Promise.withResolvers<McpServer>(), Promise.withResolvers<McpServer>()];
    let opened = 0;
    let closed = 0;
    const open = async () => openings[opened++]?.promise ?? never();
    const { control, catalogue } = aFleet({ servers: [{ name: 'one', open }] });
    const listing = catalogue.listTools();
    await settle();
    const restarted = control.restart('one');
    openings[0]?.resolve(
      aServer('old', {
        close: async () => {
          closed += 1;
        },
      }),
    );
    openings[1]?.resolve(aServer('fresh'));
    await Promise.all([restarted, listing]);
    expect([opened, closed]).toEqual([2, 1]);
    const result = await catalogue.callTool('hello', {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'hello from fresh' });
  });

  it('knows no server by another name', async () => {
    const { control } = aFleet({ servers: [ours(aServer('one'))] });
    const unknown = { code: 'fleet.unknown_server', details: { name: 'x', known: ['one'] } };
    await expect(control.restart('x')).rejects.toMatchObject(unknown);
    await expect(control.logs('x', 1)).rejects.toMatchObject(unknown);
  });

  it('reports one of our own that does not open as failed', async () => {
    const open = () => Promise.reject(new Error('a file is missing'));
    const { control, catalogue } = aFleet({ servers: [{ name: 'one', open }] });
    await catalogue.listTools();
    expect((await control.status())[0]).toMatchObject({
      state: 'failed',
      lastError: 'a file is missing',
    });
  });

  it('serves only the selected configured servers', async () => {
    const outside = anOutside([anEntry('a'), anEntry('b')], connects);
    const { catalogue } = aFleet({ outside, only: ['b'] });
    expect(namesOf(await catalogue.listTools())).toEqual(['hello']);
    expect(outside.connected).toEqual(['b']);
  });
});
