import { describe, expect, it, vi } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { CallContext, McpServer, ServerChange } from '../contract/server/index.ts';
import { errorMetaKey } from '../contract/tool/index.ts';
import { AppError, silentLog, type Log, type LogFields } from '../kernel/index.ts';
import { CallLane, type LaneLimits } from './call-lane.ts';
import type { CallTracer, TracedCall } from './call-tracer.ts';
import { createCatalogue } from './catalogue.ts';
import type { ServerEntry } from './fleet-server.ts';

class MissingError extends AppError {
  readonly code = 'test.not_found';
}

/** A server with one tool, one resource and one prompt, all answering with the server's name. */
function aServer(name: string, parts: Partial<McpServer> = {}): McpServer {
  return {
    name,
    title: name,
    version: '1',
    listTools: async () => [{ name: 'hello', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: `hello from ${name}` }] }),
    listResources: async () => [{ uri: `${name}://a`, name: 'a' }],
    listResourceTemplates: async () => [{ uriTemplate: `${name}://{x}`, name: 'x' }],
    readResource: async (uri) => {
      if (uri !== `${name}://a`) throw new MissingError('no such resource');
      return [{ uri, text: name }];
    },
    listPrompts: async () => [{ name: 'greet' }],
    getPrompt: async (prompt) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${name}/${prompt}` } }],
    }),
    complete: async (request) => ({
      values: request.reference.type === 'ref/prompt' ? [request.reference.name] : [],
    }),
    onChange: () => () => {},
    close: async () => {},
    ...parts,
  };
}

const entry = (server: McpServer): ServerEntry => ({ name: server.name, open: async () => server });

function aContext(parts: Partial<CallContext> = {}): CallContext {
  return {
    caller: localCaller,
    signal: new AbortController().signal,
    progress: () => {},
    meta: {},
    ...parts,
  };
}

function aTracer(
  seen: TracedCall[] = [],
  failures: string[] = [],
  cancel: () => void = () => {},
): CallTracer {
  return {
    traced: (call, work) => {
      seen.push(call);
      return work({
        setAttributes: (attributes) =>
          failures.push(attributes['tutti.error.code'] ?? attributes['error.type'] ?? ''),
        fail: () => {},
        cancel,
        outgoingMeta: () => ({ traceparent: 'next' }),
      });
    },
  };
}

function aCatalogue(
  servers: readonly ServerEntry[],
  options: {
    tracer?: CallTracer;
    enabledTools?: string[];
    limits?: Partial<LaneLimits>;
    log?: Log;
  } = {},
) {
  const limits = { maxConcurrent: 2, maxWaiting: 2, timeoutMs: 10_000, ...options.limits };
  const log = options.log ?? silentLog;
  return createCatalogue({
    title: 'Tutti',
    version: '1',
    servers,
    lane: new CallLane(limits, options.tracer ?? aTracer(), log),
    enabledTools: options.enabledTools ?? [],
    log,
  });
}

describe('the catalogue', () => {
  it('names tools server__tool on the wire and server.tool for people', async () => {
    const catalogue = aCatalogue([entry(aServer('one')), entry(aServer('two'))]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual([
      'one__hello',
      'two__hello',
    ]);
    expect((await catalogue.entries()).map((it) => it.name)).toEqual(['one.hello', 'two.hello']);
  });

  it('keeps bare names when it serves one server', async () => {
    const catalogue = aCatalogue([entry(aServer('one'))]);
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['hello']);
    expect((await catalogue.listPrompts()).map((prompt) => prompt.name)).toEqual(['greet']);
  });

  it.each(['two__hello', 'two.hello'])('finds the server of %s', async (name) => {
    const catalogue = aCatalogue([entry(aServer('one')), entry(aServer('two'))]);
    const result = await catalogue.callTool(name, {}, aContext());
    expect(result.content[0]).toMatchObject({ text: 'hello from two' });
  });

  it('joins resources, templates and prompts, and sends each request to the right server', async () => {
    const catalogue = aCatalogue([entry(aServer('one')), entry(aServer('two'))]);
    expect(await catalogue.listResources()).toHaveLength(2);
    expect(await catalogue.listResourceTemplates()).toHaveLength(2);
    expect(await catalogue.readResource('two://a', aContext())).toEqual([
      { uri: 'two://a', text: 'two' },
    ]);
    const prompt = await catalogue.getPrompt('two__greet', {});
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'two/greet' });
    const argument = { name: 'a', value: '' };
    expect(
      await catalogue.complete({ reference: { type: 'ref/prompt', name: 'one__greet' }, argument }),
    ).toEqual({ values: ['greet'] });
    expect(
      await catalogue.complete({ reference: { type: 'ref/resource', uri: 'one://{x}' }, argument }),
    ).toEqual({ values: [] });
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
    const catalogue = aCatalogue([broken, entry(aServer('two'))]);
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
    const servers = [entry(aServer('one')), entry(aServer('two'))];
    const catalogue = aCatalogue(servers, { enabledTools: ['two.hello'] });
    expect((await catalogue.listTools()).map((tool) => tool.name)).toEqual(['two__hello']);
    await expect(catalogue.callTool('one__hello', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });

  it.each([
    ['tool', (it: ReturnType<typeof aCatalogue>) => it.callTool('x', {}, aContext())],
    ['resource', (it: ReturnType<typeof aCatalogue>) => it.readResource('x://', aContext())],
    ['prompt', (it: ReturnType<typeof aCatalogue>) => it.getPrompt('x', {})],
  ])('says that a %s is unknown', async (_kind, ask) => {
    await expect(ask(aCatalogue([entry(aServer('one'))]))).rejects.toMatchObject({
      code: 'fleet.not_found',
    });
  });

  it('passes changes of every server on until it is told to stop', async () => {
    const listeners = new Set<(change: ServerChange) => void>();
    const changing = aServer('one', {
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const catalogue = aCatalogue([entry(changing)]);
    const seen: ServerChange[] = [];
    const stop = catalogue.onChange((change) => seen.push(change));
    await vi.waitFor(() => expect(listeners.size).toBe(1));
    for (const listener of listeners) listener({ kind: 'prompts' });
    stop();
    expect(listeners.size).toBe(0);
    expect(seen).toEqual([{ kind: 'prompts' }]);
  });

  it('closes the servers it opened', async () => {
    const close = vi.fn(async () => {});
    const catalogue = aCatalogue([entry(aServer('one', { close })), entry(aServer('two'))]);
    await catalogue.callTool('one__hello', {}, aContext());
    await catalogue.close();
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('a call', () => {
  it('runs inside a span that knows the tool and the caller’s trace, and passes the trace on', async () => {
    const seen: TracedCall[] = [];
    const metas: unknown[] = [];
    const server = aServer('one', {
      callTool: async (_name, _args, context) => {
        metas.push(context.meta);
        return { content: [] };
      },
    });
    const catalogue = aCatalogue([entry(server)], { tracer: aTracer(seen) });
    await catalogue.callTool('hello', {}, aContext({ meta: { traceparent: 'mine', other: 1 } }));
    expect(seen[0]).toMatchObject({
      name: 'tools/call one.hello',
      parentMeta: { traceparent: 'mine' },
      attributes: { 'gen_ai.tool.name': 'one.hello' },
    });
    expect(metas).toEqual([{ traceparent: 'next', other: 1 }]);
  });

  it('that takes too long ends with a result that says so', async () => {
    const never = aServer('one', { callTool: () => new Promise(() => {}) });
    const catalogue = aCatalogue([entry(never)], { limits: { timeoutMs: 5 } });
    const result = await catalogue.callTool('hello', {}, aContext());
    expect(result._meta?.[errorMetaKey]).toMatchObject({
      code: 'kernel.time_limit',
      message: 'Tool "one.hello" did not finish within 5 ms',
    });
  });

  it('that finds no place in the queue is told to come back', async () => {
    const cancel = new AbortController();
    const never = aServer('one', { callTool: () => new Promise(() => {}) });
    const catalogue = aCatalogue([entry(never)]);
    const signal = cancel.signal;
    const waiting = Array.from({ length: 4 }, () =>
      catalogue.callTool('hello', {}, aContext({ signal })),
    );
    const settled = Promise.allSettled(waiting);
    await vi.waitFor(async () => {
      const result = await catalogue.callTool('hello', {}, aContext());
      expect(result._meta?.[errorMetaKey]).toMatchObject({ code: 'kernel.too_busy' });
    });
    cancel.abort(new Error('done'));
    expect((await settled).every((it) => it.status === 'rejected')).toBe(true);
  });

  it('that ignores its end gives its place up after a while, and the log says so', async () => {
    const warnings: LogFields[] = [];
    const log = {
      ...silentLog,
      warn: (_: string, fields: LogFields = {}) => warnings.push(fields),
    };
    const cancel = new AbortController();
    const stubborn = aServer('one', {
      callTool: async () => {
        if (cancel.signal.aborted) return { content: [] };
        cancel.abort(new Error('enough'));
        return new Promise(() => {});
      },
    });
    const limits = { maxConcurrent: 1, timeoutMs: 500, abortGraceMs: 5 };
    const catalogue = aCatalogue([entry(stubborn)], { limits, log });
    const first = catalogue.callTool('hello', {}, aContext({ signal: cancel.signal }));
    const second = catalogue.callTool('hello', {}, aContext());
    await expect(first).rejects.toThrow('enough');
    expect(await second).toEqual({ content: [] });
    expect(warnings).toEqual([{ tool: 'one.hello', graceMs: 5 }]);
  });

  it('that is cancelled is recorded as such, whatever the reason; one that took too long is not', async () => {
    const cancelled = vi.fn();
    const tracer = aTracer([], [], cancelled);
    const never = aServer('one', { callTool: () => new Promise(() => {}) });
    const catalogue = aCatalogue([entry(never)], { tracer, limits: { timeoutMs: 5 } });
    await catalogue.callTool('hello', {}, aContext());
    expect(cancelled).not.toHaveBeenCalled();
    const signal = AbortSignal.abort(new Error('the connection closed'));
    await expect(catalogue.callTool('hello', {}, aContext({ signal }))).rejects.toThrow('closed');
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it('that is cancelled throws the reason', async () => {
    const cancel = new AbortController();
    const server = aServer('one', {
      callTool: async () => {
        cancel.abort(new Error('enough'));
        return new Promise(() => {});
      },
    });
    const call = aCatalogue([entry(server)]).callTool(
      'hello',
      {},
      aContext({ signal: cancel.signal }),
    );
    await expect(call).rejects.toThrow('enough');
  });

  it('whose tool failed marks its span with the code', async () => {
    const failures: string[] = [];
    const failing = aServer('one', {
      callTool: async () => ({
        content: [],
        isError: true,
        _meta: { [errorMetaKey]: { code: 'code.syntax_error' } },
      }),
    });
    const foreign = aServer('two', { callTool: async () => ({ content: [], isError: true }) });
    const catalogue = aCatalogue([entry(failing), entry(foreign)], {
      tracer: aTracer([], failures),
    });
    await catalogue.callTool('one.hello', {}, aContext());
    await catalogue.callTool('two.hello', {}, aContext());
    expect(failures).toEqual(['code.syntax_error', 'tool_error']);
  });

  it('that hits a bug throws it, for the face to report', async () => {
    const server = aServer('one', { callTool: () => Promise.reject(new TypeError('bug')) });
    await expect(aCatalogue([entry(server)]).callTool('hello', {}, aContext())).rejects.toThrow(
      'bug',
    );
  });
});
