import { describe, expect, it } from 'vitest';
import type { FleetEntry } from '../contract/fleet/index.ts';
import type { ServerChange } from '../contract/server/index.ts';
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
const namesOf = (items: readonly { readonly name: string }[]): string[] =>
  items.map(({ name }) => name);

describe('an edit of the configuration', () => {
  const settled = async (entries: readonly FleetEntry[]) => {
    const connections = new Map<string, FakeConnection>();
    const outside = anOutside(entries, async ({ entry }) => {
      const connection = aConnection(entry.name);
      connections.set(entry.name, connection);
      return connection;
    });
    const timers = new ManualTimers();
    const fleet = aFleet({ outside, timers });
    await fleet.catalogue.listTools();
    return { ...fleet, outside, connections, timers };
  };

  it('stops, starts and restarts only the servers it changed', async () => {
    const { catalogue, outside, connections, timers } = await settled([
      anEntry('kept'),
      anEntry('changed'),
      anEntry('removed'),
    ]);
    const seen: ServerChange[] = [];
    catalogue.onChange((change) => seen.push(change));
    const before = new Map(connections);
    outside.edit([anEntry('kept'), anEntry('changed', { args: ['--more'] }), anEntry('added')]);
    expect(namesOf(await catalogue.listTools())).toEqual([
      'added__hello',
      'changed__hello',
      'kept__hello',
    ]);
    await timers.pass(1_000);
    expect(seen).toContainEqual({ kind: 'tools' });
    const closed = (name: string): number | undefined => before.get(name)?.closed.count;
    expect([closed('kept'), closed('changed'), closed('removed')]).toEqual([0, 1, 1]);
    expect(outside.connected.toSorted()).toEqual(
      ['added', 'changed', 'changed', 'kept', 'removed'].toSorted(),
    );
    await expect(catalogue.callTool('removed.hello', {}, aContext())).rejects.toThrow('Unknown');
  });

  it('shows disabled and untrusted servers, and starts them when they are allowed', async () => {
    const { catalogue, control, outside } = await settled([
      anEntry('off', {}, { state: 'disabled' }),
      anEntry('new', { url: 'http://x.test/', command: undefined }, { state: 'untrusted' }),
      anEntry('old', { url: 'http://x.test/', type: 'sse', command: undefined }),
    ]);
    const statuses = await control.status();
    expect(statuses.map(({ name, state, transport }) => [name, state, transport])).toEqual([
      ['new', 'untrusted', 'http'],
      ['off', 'disabled', 'stdio'],
      ['old', 'ready', 'sse'],
    ]);
    await expect(control.restart('off')).rejects.toMatchObject({
      code: 'fleet.server_unavailable',
    });
    expect(await control.logs('off', 10)).toEqual([]);
    outside.edit([anEntry('off'), anEntry('old', { url: 'http://x.test/', command: undefined })]);
    expect(namesOf(await catalogue.listTools())).toEqual(['off__hello', 'old__hello']);
  });

  it('that adds a server announces its tools once they are known', async () => {
    const { catalogue, outside, timers } = await settled([anEntry('a')]);
    const seen: ServerChange[] = [];
    catalogue.onChange((change) => seen.push(change));
    outside.edit([anEntry('a'), anEntry('b')]);
    await timers.pass(1_000);
    expect(seen).toContainEqual({ kind: 'tools' });
    expect(outside.connected).toEqual(['a', 'b']);
  });

  it('of what is offered under which name does not touch the running server', async () => {
    const { catalogue, control, outside, connections, timers } = await settled([
      anEntry('a'),
      anEntry('b'),
    ]);
    const b = anEntry('b');
    outside.edit([anEntry('a', { prefix: 'x', timeoutMs: 50 }), b]);
    expect(namesOf(await catalogue.listTools())).toEqual(['x__hello', 'b__hello']);
    outside.edit([anEntry('a', { tools: { exclude: ['hel*'] } }), b]);
    expect(namesOf(await catalogue.listTools())).toEqual(['b__hello']);
    outside.edit([anEntry('a'), b]);
    expect(namesOf(await catalogue.listTools())).toEqual(['a__hello', 'b__hello']);
    await timers.pass(1_000);
    expect(outside.connected).toEqual(['a', 'b']);
    expect(connections.get('a')?.closed.count).toBe(0);
    expect((await control.status()).map(({ state }) => state)).toEqual(['ready', 'ready']);
  });

  it('of how a server is kept running restarts it, and its tools stay listed', async () => {
    const { catalogue, outside, connections } = await settled([anEntry('a'), anEntry('b')]);
    const listed = await catalogue.listTools();
    const first = connections.get('a');
    outside.edit([anEntry('a', { idleStopMs: 1_000 }), anEntry('b')]);
    const during = catalogue.listTools();
    expect(first?.closed.count).toBe(1);
    expect(await during).toEqual(listed);
    expect(outside.connected).toEqual(['a', 'b']);
  });

  it('of how a server is reached takes the resources that are watched on it along', async () => {
    const watched: string[] = [];
    const outside = anOutside([anEntry('a'), anEntry('b')], async ({ entry }) => {
      const { args } = entry.settings;
      return aConnection(entry.name, {
        watchResource: async (uri) => {
          watched.push(`${args.join()} ${uri}`);
          return () => watched.push(`${args.join()} stopped`);
        },
      });
    });
    const { catalogue } = aFleet({ outside });
    const stop = await catalogue.watchResource?.('a://a');
    outside.edit([anEntry('a', { args: ['new'] }), anEntry('b')]);
    await expect.poll(() => watched).toContain('new a://a');
    stop?.();
    await settle();
    expect(watched.at(-1)).toBe('new stopped');
    outside.edit([anEntry('b')]);
    outside.edit([anEntry('a'), anEntry('b')]);
    await settle();
    expect(watched.at(-1)).toBe('new stopped');
  });

  it('of a server that a call waits for sends the call to its replacement', async () => {
    const cache = aMemoryCache();
    await aFleet({ outside: anOutside([anEntry('a')], connects), cache }).catalogue.listTools();
    let starts = 0;
    const outside = anOutside([anEntry('a')], (request) => {
      starts += 1;
      return starts === 1 ? new Promise(() => {}) : connects(request);
    });
    const { catalogue } = aFleet({ outside, cache });
    const call = catalogue.callTool('hello', {}, aContext());
    const reading = catalogue.readResource('a://a', aContext());
    await settle();
    outside.edit([anEntry('a', { idleStopMs: 5_000 })]);
    expect((await call).content[0]).toMatchObject({ text: 'hello from a' });
    expect((await reading).contents).toHaveLength(1);
  });

  it('that is no edit at all touches nothing', async () => {
    const { outside, connections } = await settled([anEntry('a')]);
    outside.edit([anEntry('a')]);
    await settle();
    expect(connections.get('a')?.closed.count).toBe(0);
    expect(outside.connected).toEqual(['a']);
  });
});

describe('a configured server with the name of one of ours', () => {
  it('is reported as renamed for as long as it is, whatever else changes', async () => {
    const outside = anOutside([anEntry('one')], connects);
    const { control } = aFleet({ servers: [ours(aServer('one'))], outside });
    const renamed = [expect.stringContaining('available as "one-2"')];
    expect(control.collisions()).toEqual(renamed);
    outside.edit([anEntry('one'), anEntry('z')]);
    expect(control.collisions()).toEqual(renamed);
  });

  it('gives up its number to a server that has it as its name', async () => {
    const outside = anOutside([anEntry('one')], connects);
    const { control } = aFleet({ servers: [ours(aServer('one'))], outside });
    outside.edit([anEntry('one'), anEntry('one-2')]);
    const names = namesOf(await control.status());
    expect(names.toSorted()).toEqual(['one', 'one-2', 'one-3']);
  });
});
