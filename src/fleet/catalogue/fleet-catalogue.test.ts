import { describe, expect, it, vi } from 'vitest';
import type { CallContext, McpServer, ServerChange } from '../../contract/server/index.ts';
import type { ServerEntry } from '../create-fleet.ts';
import {
  aFleet,
  anEntry,
  anOutside,
  ours,
  type AFleetOptions,
} from '../../../testkit/fleet/a-fleet.ts';
import { aConnection, aContext, aServer } from '../../../testkit/fleet/a-server.ts';
import { ManualTimers } from '../../../testkit/fleet/manual-timers.ts';
import { UnknownNameError } from '../errors.ts';
import { OutcomeUnknownError, UpstreamError } from '../upstream/errors.ts';

function aCatalogue(servers: readonly ServerEntry[], options: AFleetOptions = {}) {
  return aFleet({ servers, ...options }).catalogue;
}

const argument = { name: 'a', value: '' };

describe('the catalogue', () => {
  it('names tools server__tool on the wire and server.tool for people', async () => {
    const catalogue = aCatalogue([ours(aServer('one')), ours(aServer('two'))]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual([
      'one__hello',
      'two__hello',
    ]);
    expect((await catalogue.entries()).map((it) => it.name)).toEqual(['one.hello', 'two.hello']);
  });

  it('keeps bare names when it serves one server', async () => {
    const catalogue = aCatalogue([ours(aServer('one'))]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['hello']);
    expect((await catalogue.listPrompts()).map((prompt) => prompt.name)).toEqual(['greet']);
  });

  it.each(['two__hello', 'two.hello'])('finds the server of %s', async (name) => {
    const catalogue = aCatalogue([ours(aServer('one')), ours(aServer('two'))]);
    const result = await catalogue.callTool(name, {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'hello from two' });
  });

  it('joins resources, templates and prompts, and sends each request to the right server', async () => {
    const catalogue = aCatalogue([ours(aServer('one')), ours(aServer('two'))]);
    expect(await catalogue.listResources()).toHaveLength(2);
    expect(await catalogue.listResourceTemplates()).toHaveLength(2);
    expect(await catalogue.readResource('two://a', aContext())).toEqual({
      contents: [{ uri: 'two://a', text: 'two' }],
    });
    const prompt = await catalogue.getPrompt('two__greet', {}, aContext());
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'two/greet' });
    const complete = (reference: Parameters<McpServer['complete']>[0]['reference']) =>
      catalogue.complete({ reference, argument }, aContext());
    expect(await complete({ type: 'ref/prompt', name: 'one__greet' })).toEqual({
      values: ['greet'],
    });
    expect(await complete({ type: 'ref/resource', uri: 'one://{x}' })).toEqual({ values: [] });
    expect(await complete({ type: 'ref/resource', uri: 'three://{x}' })).toEqual({ values: [] });
  });

  it('asks the server whose template fits first, and passes on when it does not have it', async () => {
    const asked: string[] = [];
    const answering = (name: string, knows: boolean, parts: Partial<McpServer> = {}): ServerEntry =>
      ours(
        aServer(name, {
          listResources: async () => [],
          readResource: async (uri) => {
            asked.push(name);
            const rpc = { code: -32_002, message: 'no such resource' };
            if (!knows) throw new UpstreamError(name, 'resources/read', rpc);
            return { contents: [{ uri, text: name }] };
          },
          ...parts,
        }),
      );
    const none = { listResourceTemplates: async () => [] };
    const catalogue = aCatalogue([
      answering('one', true),
      answering('two', false),
      answering('never', true, none),
    ]);
    expect(await catalogue.readResource('two://b', aContext())).toMatchObject({
      contents: [{ text: 'one' }],
    });
    expect(asked).toEqual(['two', 'one']);
  });

  it('asks the next for a resource where a server that may have it fails, and says so at the end', async () => {
    const failing = aServer('one', { readResource: () => Promise.reject(new Error('no disk')) });
    const lists = { listResources: async () => [{ uri: 'x://listed', name: 'x' }] };
    const having = aServer('two', {
      ...lists,
      readResource: async (uri) => {
        if (uri !== 'x://hidden') throw new UnknownNameError('resource', uri);
        return { contents: [{ uri, text: 'two' }] };
      },
    });
    const catalogue = aCatalogue([ours(failing), ours(having)]);
    expect(await catalogue.readResource('x://hidden', aContext())).toMatchObject({
      contents: [{ text: 'two' }],
    });
    await expect(catalogue.readResource('x://nowhere', aContext())).rejects.toThrow('no disk');
  });

  it('lists the others when a server cannot be opened, and opens it when it can again', async () => {
    let isBroken = true;
    const broken: ServerEntry = {
      name: 'broken',
      open: async () => {
        if (isBroken) throw new Error('no');
        return aServer('broken');
      },
    };
    const catalogue = aCatalogue([broken, ours(aServer('two'))]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['two__hello']);
    expect(catalogue.failures?.()).toEqual([{ server: 'broken', message: 'no' }]);
    isBroken = false;
    const result = await catalogue.callTool('broken__hello', {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'hello from broken' });
    expect(catalogue.failures?.()).toEqual([]);
  });

  it('opens a server once for many first calls', async () => {
    const open = vi.fn(async () => aServer('one'));
    const catalogue = aCatalogue([{ name: 'one', open }]);
    await Promise.all(Array.from({ length: 4 }, () => catalogue.callTool('hello', {}, aContext())));
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('shows and calls only the tools that are enabled', async () => {
    const servers = [ours(aServer('one')), ours(aServer('two'))];
    const catalogue = aCatalogue(servers, { enabledTools: ['two.hello'] });
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['two__hello']);
    await expect(catalogue.callTool('one__hello', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });

  it.each([
    ['tool', (it: ReturnType<typeof aCatalogue>) => it.callTool('x', {}, aContext())],
    ['resource', (it: ReturnType<typeof aCatalogue>) => it.readResource('x://', aContext())],
    ['prompt', (it: ReturnType<typeof aCatalogue>) => it.getPrompt('x', {}, aContext())],
  ])('says that a %s is unknown', async (_kind, ask) => {
    await expect(ask(aCatalogue([ours(aServer('one'))]))).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });

  it.each(['two__helo', 'two.helo', 'two-hello'])('proposes a tool for %s', async (name) => {
    const catalogue = aCatalogue([ours(aServer('one')), ours(aServer('two'))]);
    await catalogue.listTools();
    await expect(catalogue.callTool(name, {}, aContext())).rejects.toThrow(
      'Did you mean "two__hello"?',
    );
  });

  it('proposes a prompt, and a resource', async () => {
    const catalogue = aCatalogue([ours(aServer('one')), ours(aServer('two'))]);
    const prompt = catalogue.getPrompt('one__gret', {}, aContext());
    await expect(prompt).rejects.toThrow('Did you mean "one__greet"?');
    const resource = catalogue.readResource('two://b', aContext());
    await expect(resource).rejects.toThrow('Did you mean "two://a"?');
  });

  it('leaves an error of the protocol one, with what the server said', async () => {
    const rpc = { code: -32_602, message: 'bad arguments' };
    const server = aServer('one', {
      callTool: () => Promise.reject(new UpstreamError('one', 'tools/call', rpc)),
    });
    const call = aCatalogue([ours(server)]).callTool('hello', {}, aContext());
    await expect(call).rejects.toMatchObject({ code: 'fleet.upstream_error', rpc });
  });

  it('closes the servers it opened', async () => {
    const close = vi.fn(async () => {});
    const catalogue = aCatalogue([ours(aServer('one', { close })), ours(aServer('two'))]);
    await catalogue.callTool('one__hello', {}, aContext());
    await catalogue.close();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('tells a client’s model what other servers say of themselves, shortened', async () => {
    const outside = anOutside([anEntry('git')], async ({ entry }) =>
      aConnection(entry.name, { instructions: 'x'.repeat(5_000) }),
    );
    const { catalogue } = aFleet({ servers: [ours(aServer('one'))], outside });
    await catalogue.listTools();
    expect(catalogue.instructions).toMatch(/^Tools of these servers: one, git\.\n\ngit: x{999}…$/);
  });

  it('offers the extensions of all servers', async () => {
    const tasks = { list: {} };
    const extensions = { 'a/b': {} };
    const catalogue = aCatalogue([
      ours(aServer('one', { extensions: () => ({ tasks }) })),
      ours(aServer('two', { extensions: () => ({ extensions }) })),
    ]);
    expect(catalogue.extensions?.()).toEqual({});
    await catalogue.listTools();
    expect(catalogue.extensions?.()).toEqual({ tasks, extensions });
  });

  it('sends log levels and watches to the servers, those opened later included', async () => {
    const seen: string[] = [];
    const server = aServer('one', {
      setLogLevel: (level) => void seen.push(level),
      watchResource: async (uri) => {
        seen.push(uri);
        return () => void seen.push('stopped');
      },
    });
    const catalogue = aCatalogue([ours(server)]);
    catalogue.setLogLevel?.('warning');
    const stop = await catalogue.watchResource?.('one://a');
    stop?.();
    catalogue.setLogLevel?.('debug');
    expect(seen).toEqual(['warning', 'one://a', 'stopped', 'debug']);
    await expect(aCatalogue([]).watchResource?.('x://')).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });
});

describe('changes of the catalogue', () => {
  function aChanging(timers: ManualTimers) {
    const listeners = new Set<(change: ServerChange) => void>();
    const offer = { tools: ['hello'], lists: 0 };
    const server = aServer('one', {
      listTools: async () => {
        offer.lists += 1;
        return offer.tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const catalogue = aCatalogue([ours(server)], { timers });
    const seen: ServerChange[] = [];
    const stop = catalogue.onChange((change) => seen.push(change));
    const change = (it: ServerChange): void => {
      for (const listener of listeners) listener(it);
    };
    return { catalogue, offer, seen, stop, change, listeners };
  }

  it('are announced when a list that was shown differs, and not before anybody saw it', async () => {
    const timers = new ManualTimers();
    const { catalogue, offer, seen, change } = aChanging(timers);
    await catalogue.listTools();
    await timers.pass(1_000);
    expect(seen).toEqual([]);
    offer.tools = ['hello', 'more'];
    change({ kind: 'tools' });
    await timers.pass(1_000);
    expect(seen).toEqual([{ kind: 'tools' }]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['hello', 'more']);
  });

  it('are not announced when nothing differs, and a thousand notices cost two looks', async () => {
    const timers = new ManualTimers();
    const { catalogue, offer, seen, change } = aChanging(timers);
    await catalogue.listTools();
    await timers.pass(1_000);
    for (let notice = 0; notice < 1_000; notice += 1) change({ kind: 'tools' });
    await timers.pass(1_000);
    expect(seen).toEqual([]);
    expect(offer.lists).toBeLessThanOrEqual(3);
  });

  it('of a resource’s contents and log messages pass at once, until the listener stops', async () => {
    const timers = new ManualTimers();
    const { catalogue, seen, change, stop, listeners } = aChanging(timers);
    await catalogue.listTools();
    const updated = { kind: 'resource', uri: 'one://a' } as const;
    change(updated);
    stop();
    change({ kind: 'log', params: { level: 'info' } });
    expect(seen).toEqual([updated]);
    await catalogue.close();
    expect(listeners.size).toBe(0);
  });
});

describe('tasks', () => {
  const task = { taskId: 'same:id', status: 'working' };
  function aTaskServer(name: string, seen: unknown[] = []): ServerEntry {
    const own = { ...task, owner: name };
    return ours(
      aServer(name, {
        extensions: () => ({ tasks: { list: {} } }),
        callTool: async () => ({ content: [], resultType: 'task', ...own }),
        request: async (method, params) => {
          seen.push([name, method, params]);
          return method === 'tasks/list' ? { tasks: [own] } : { task: own };
        },
      }),
    );
  }
  const context: CallContext = aContext();

  it('of several servers have distinct ids, and requests find their server', async () => {
    const seen: unknown[] = [];
    const catalogue = aCatalogue([aTaskServer('one', seen), aTaskServer('my two', seen)]);
    const result = await catalogue.callTool('my two.hello', {}, context);
    expect(result).toMatchObject({ taskId: 'my%20two:same:id', owner: 'my two' });
    const got = await catalogue.request?.('tasks/get', { taskId: 'my%20two:same:id' }, context);
    expect(got).toEqual({ task: { ...task, taskId: 'my%20two:same:id', owner: 'my two' } });
    expect(seen).toEqual([['my two', 'tasks/get', { taskId: 'same:id' }]]);
    expect(await catalogue.request?.('tasks/list', {}, context)).toMatchObject({
      tasks: [{ taskId: 'one:same:id' }, { taskId: 'my%20two:same:id' }],
    });
  });

  it('of the others are listed when a server fails to list its own', async () => {
    const broken = aServer('broken', {
      extensions: () => ({ tasks: { list: {} } }),
      request: () => Promise.reject(new Error('no')),
    });
    const catalogue = aCatalogue([ours(broken), aTaskServer('two')]);
    expect(await catalogue.request?.('tasks/list', {}, context)).toMatchObject({
      tasks: [{ taskId: 'two:same:id' }],
    });
    const alone = aCatalogue([ours(broken), ours(aServer('plain'))]);
    await expect(alone.request?.('tasks/list', {}, context)).rejects.toThrow('no');
  });

  it('of the only server keep their ids', async () => {
    const catalogue = aCatalogue([aTaskServer('one')]);
    expect(await catalogue.callTool('hello', {}, context)).toMatchObject({ taskId: 'same:id' });
    const got = await catalogue.request?.('tasks/get', { taskId: 'same:id' }, context);
    expect(got).toMatchObject({ task: { taskId: 'same:id' } });
  });

  it.each([
    ['tasks/get', { taskId: 'three:x' }],
    ['tasks/get', { taskId: 'x' }],
    ['tasks/get', { taskId: '%:x' }],
    ['other/method', {}],
  ])('that nobody has are unknown: %s %j', async (method, params) => {
    const catalogue = aCatalogue([aTaskServer('one'), aTaskServer('two')]);
    await expect(catalogue.request?.(method, params, context)).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });

  it.each([
    ['tasks/update', 1],
    ['tasks/get', 2],
  ])('whose request %s was lost on the way are asked %i times', async (method, times) => {
    let asked = 0;
    const outside = anOutside([anEntry('one')], async () =>
      aConnection('one', {
        request: () => {
          asked += 1;
          const lost = { server: 'one', what: method, reason: 'it ended', isRepeatable: false };
          return Promise.reject(new OutcomeUnknownError(lost));
        },
      }),
    );
    const catalogue = aCatalogue([], { outside });
    const asking = catalogue.request?.(method, { taskId: 'x' }, context);
    await expect(asking).rejects.toMatchObject({ code: 'fleet.outcome_unknown' });
    expect(asked).toBe(times);
  });

  it('are unknown to a server that does not have them', async () => {
    const catalogue = aCatalogue([ours(aServer('one'))]);
    await expect(catalogue.request?.('tasks/get', {}, context)).rejects.toThrow('tasks/get');
  });
});
