import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import type { ClientPort } from '../contract/server/index.ts';
import { errorMetaKey } from '../contract/tool/index.ts';
import { silentLog, type LogFields } from '../kernel/index.ts';
import { CallExecutor, type ExecutorCall } from './call-executor.ts';
import type { CallTracer, TracedCall } from './call-tracer.ts';
import type { ServerEntry } from './create-fleet.ts';
import { aFleet, ours, type AFleetOptions } from '../../testkit/fleet/a-fleet.ts';
import { aContext, aServer } from '../../testkit/fleet/a-server.ts';

function aTracer(
  seen: TracedCall[] = [],
  failures: string[] = [],
  cancel: () => void = () => {},
): CallTracer {
  return {
    open: (call) => {
      seen.push(call);
      return {
        setAttributes: (attributes) =>
          failures.push(String(attributes['tutti.error.code'] ?? attributes['error.type'] ?? '')),
        fail: () => {},
        cancel,
        outgoingMeta: () => ({ traceparent: 'next' }),
        runIn: (work) => work(),
        end: () => {},
      };
    },
  };
}

function aCatalogue(servers: readonly ServerEntry[], options: AFleetOptions = {}) {
  return aFleet({ servers, ...options }).catalogue;
}

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
    const catalogue = aCatalogue([ours(server)], { tracer: aTracer(seen) });
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
    const catalogue = aCatalogue([ours(never)], { limits: { timeoutMs: 5 } });
    const result = await catalogue.callTool('hello', {}, aContext());
    expect(result._meta?.[errorMetaKey]).toMatchObject({
      code: 'kernel.time_limit',
      message: 'Tool "one.hello" did not finish within 5 ms',
    });
  });

  it('that finds the queue full is refused as too busy', async () => {
    const cancel = new AbortController();
    const never = aServer('one', { callTool: () => new Promise(() => {}) });
    const catalogue = aCatalogue([ours(never)]);
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

  it('that ignores its abort loses its slot after a while, which is logged', async () => {
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
    const catalogue = aCatalogue([ours(stubborn)], { limits, log });
    const first = catalogue.callTool('hello', {}, aContext({ signal: cancel.signal }));
    const second = catalogue.callTool('hello', {}, aContext());
    await expect(first).rejects.toThrow('enough');
    expect(await second).toEqual({ content: [] });
    expect(warnings).toEqual([{ tool: 'one.hello', graceMs: 5 }]);
  });

  it.each([{ entersSpan: true }, { entersSpan: false }])(
    'that ignores its end says so inside its span: %o',
    async ({ entersSpan }) => {
      const spans = new AsyncLocalStorage<string>();
      const plain = aTracer();
      const tracer: CallTracer = {
        open: (call) => ({ ...plain.open(call), runIn: (work) => spans.run('mine', work) }),
      };
      const warned = Promise.withResolvers<unknown>();
      const log = { ...silentLog, warn: () => warned.resolve(spans.getStore()) };
      const limits = { maxConcurrent: 1, maxWaiting: 1, timeoutMs: 5, abortGraceMs: 5 };
      const begunIn: unknown[] = [];
      const work: ExecutorCall['work'] = (_context, inSpan) => {
        begunIn.push(
          spans.getStore(),
          inSpan?.(() => spans.getStore()),
        );
        return new Promise(() => {});
      };
      const [entry] = await aCatalogue([ours(aServer('one'))]).entries();
      if (!entry) throw new Error('The server has a tool');
      const call = new CallExecutor(limits, tracer, log).run(
        { entry, entersSpan, work },
        aContext(),
      );
      await expect(call).rejects.toMatchObject({ code: 'kernel.time_limit' });
      expect(begunIn).toEqual(entersSpan ? [undefined, 'mine'] : ['mine', undefined]);
      expect(await warned.promise).toBe('mine');
    },
  );

  it('that is cancelled is recorded as such, whatever the reason; one that took too long is not', async () => {
    const cancelled = vi.fn();
    const tracer = aTracer([], [], cancelled);
    const never = aServer('one', { callTool: () => new Promise(() => {}) });
    const catalogue = aCatalogue([ours(never)], { tracer, limits: { timeoutMs: 5 } });
    await catalogue.callTool('hello', {}, aContext());
    expect(cancelled).not.toHaveBeenCalled();
    const signal = AbortSignal.abort(new Error('the connection closed'));
    await expect(catalogue.callTool('hello', {}, aContext({ signal }))).rejects.toThrow('closed');
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it('that throws fails its span with the error, and then ends it', async () => {
    const error = new Error('broken');
    const events: unknown[] = [];
    const plain = aTracer();
    const tracer: CallTracer = {
      open: (call) => ({
        ...plain.open(call),
        fail: (reason) => events.push(reason),
        end: () => events.push('ended'),
      }),
    };
    const server = aServer('one', { callTool: () => Promise.reject(error) });
    const catalogue = aCatalogue([ours(server)], { tracer });
    await expect(catalogue.callTool('hello', {}, aContext())).rejects.toBe(error);
    expect(events).toEqual([error, 'ended']);
  });

  it('that is cancelled throws the reason', async () => {
    const cancel = new AbortController();
    const server = aServer('one', {
      callTool: async () => {
        cancel.abort(new Error('enough'));
        return new Promise(() => {});
      },
    });
    const call = aCatalogue([ours(server)]).callTool(
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
    const catalogue = aCatalogue([ours(failing), ours(foreign)], {
      tracer: aTracer([], failures),
    });
    await catalogue.callTool('one.hello', {}, aContext());
    await catalogue.callTool('two.hello', {}, aContext());
    expect(failures).toEqual(['code.syntax_error', 'tool_error']);
  });

  it('that hits a bug throws it, for the face to report', async () => {
    const server = aServer('one', { callTool: () => Promise.reject(new TypeError('bug')) });
    await expect(aCatalogue([ours(server)]).callTool('hello', {}, aContext())).rejects.toThrow(
      'bug',
    );
  });
});

describe('the time limit of a call', () => {
  const reports = (result: object): unknown =>
    (result as { _meta?: Record<string, unknown> })._meta?.[errorMetaKey];

  it('begins anew with every progress, and every progress reaches the client', async () => {
    const seen: number[] = [];
    const server = aServer('one', {
      callTool: async (_name, _args, context) => {
        for (let step = 1; step <= 5; step += 1) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          context.progress({ progress: step });
        }
        return { content: [] };
      },
    });
    const catalogue = aCatalogue([ours(server)], { limits: { timeoutMs: 100 } });
    const context = aContext({ progress: ({ progress }) => seen.push(progress) });
    expect(await catalogue.callTool('hello', {}, context)).toEqual({ content: [] });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('stands still while the client is being asked', async () => {
    const client: ClientPort = {
      id: 'a',
      era: 'handshake',
      capabilities: {},
      ask: () => new Promise((resolve) => setTimeout(() => resolve({ action: 'accept' }), 80)),
      notify: () => {},
    };
    const server = aServer('one', {
      callTool: async (_name, _args, context) => {
        const request = { method: 'elicitation/create', params: {} };
        const answer = await context.client?.ask(request, context.signal);
        return { content: [], _meta: { answer } };
      },
    });
    const catalogue = aCatalogue([ours(server)], { limits: { timeoutMs: 20 } });
    const result = await catalogue.callTool('hello', {}, aContext({ client }));
    expect(result._meta).toEqual({ answer: { action: 'accept' } });
  });

  it('ends a call that makes progress for ever, after the most it may take in all', async () => {
    const server = aServer('one', {
      callTool: (_name, _args, context) =>
        new Promise((_resolve, reject) => {
          const timer = setInterval(() => context.progress({ progress: 1 }), 2);
          context.signal.addEventListener('abort', () => {
            clearInterval(timer);
            reject(context.signal.reason);
          });
        }),
    });
    const limits = { timeoutMs: 1_000, maxTotalMs: 30 };
    const catalogue = aCatalogue([ours(server)], { limits });
    expect(reports(await catalogue.callTool('hello', {}, aContext()))).toMatchObject({
      code: 'kernel.time_limit',
      details: { limitMs: 30 },
    });
  });

  it('holds for prompts and resources too', async () => {
    const server = aServer('one', {
      getPrompt: () => new Promise(() => {}),
      readResource: () => new Promise(() => {}),
    });
    const catalogue = aCatalogue([ours(server)], { limits: { timeoutMs: 5 } });
    const late = { code: 'kernel.time_limit' };
    await expect(catalogue.getPrompt('greet', {}, aContext())).rejects.toMatchObject(late);
    await expect(catalogue.readResource('one://a', aContext())).rejects.toMatchObject(late);
  });
});
