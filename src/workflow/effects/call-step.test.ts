import { describe, expect, it } from 'vitest';
import { idempotencyMetaKey, failedToolResult } from '../../contract/tool/index.ts';
import { TimeLimitError } from '../../kernel/index.ts';
import type { CallOutcome } from '../engine/activity-data.ts';
import {
  aWorkbench,
  BusyError,
  gives,
  heldOf,
  readOnly,
  says,
} from '../../../testkit/workflow/effects/a-workbench.ts';

describe('a step that calls a tool', () => {
  it('succeeds with the structured content, and says when it began and ended', async () => {
    const bench = aWorkbench({
      's.t': {
        ...readOnly,
        run: (args) => {
          bench.clock.nowMs += 5;
          return gives({ got: args });
        },
      },
    });
    expect(await bench.call({ args: { value: { a: 1 } } })).toEqual({
      kind: 'succeeded',
      held: { value: { got: { a: 1 } } },
      startedAt: 1_000_000,
      endedAt: 1_000_005,
    });
  });

  it.each([
    ['2 findings\n[eval] main.py:1', '2 findings\n[eval] main.py:1'],
    ['{"got":1}', undefined],
    ['[{"got":1}]', undefined],
    ['', undefined],
    ['x'.repeat(9_000), `${'x'.repeat(8_000)}…`],
  ])('keeps what the tool says about its structured content: %j', async (said, text) => {
    const result = { ...gives({ got: 1 }), ...says(said) };
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => result } });
    const once = aWorkbench({ 's.t': { run: () => result } });
    for (const outcome of [await bench.call({}), await once.call({})]) {
      expect([heldOf(outcome), 'text' in outcome ? outcome.text : undefined]).toEqual([
        { value: { got: 1 } },
        text,
      ]);
    }
  });

  it.each([
    ['plain words', { text: 'plain words' }],
    ['truth', { text: 'truth' }],
    ['{"a":[1]}', { text: '{"a":[1]}', json: { a: [1] } }],
    [' true\n', { text: ' true\n', json: true }],
    ['12', { text: '12', json: 12 }],
    ['{broken', { text: '{broken' }],
  ])('without structured content has blocks, text and what that says: %s', async (text, value) => {
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => says(text) } });
    const held = heldOf(await bench.call({}));
    expect(held).toEqual({ value: { content: [{ type: 'text', text }], ...value } });
  });

  it('joins the texts of several blocks', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }];
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => ({ content }) } });
    expect(heldOf(await bench.call({}))).toEqual({ value: { content, text: 'a\nb' } });
  });

  it('gives what the journal will give back: what JSON changes is changed at once', async () => {
    const odd = { at: new Date(0), none: undefined, nan: Number.NaN, list: [undefined] };
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives(odd) } });
    expect(heldOf(await bench.call({}))).toStrictEqual({
      value: { at: '1970-01-01T00:00:00.000Z', nan: null, list: [null] },
    });
  });

  it('carries the same idempotency key in every attempt, another once the step was forgotten', async () => {
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives({}) } });
    await bench.call({ attempt: 1 });
    await bench.call({ attempt: 2 });
    await bench.call({ attempt: 1 }, { generation: 1 });
    await bench.call({ step: 'b[3]' });
    await bench.call({}, { runId: 'run2' });
    const keys = bench.calls.map(({ meta }) => meta[idempotencyMetaKey]);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(4);
  });

  it('carries the trace of the run, and how deep a run would be that it starts', async () => {
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives({}) } });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const meta = { traceparent, progressToken: 7, 'tutti/runDepth': 1 };
    await bench.call({}, { meta });
    expect(bench.calls[0]?.meta).toEqual({
      traceparent,
      'tutti/budgets': ['run:run1'],
      'tutti/runDepth': 2,
      [idempotencyMetaKey]: 'run1:a:0',
    });
  });

  it('passes on how far the tool is', async () => {
    const bench = aWorkbench({
      's.t': {
        ...readOnly,
        run: (_args, context) => {
          context.progress({ progress: 1, total: 2, message: 'half' });
          return gives({});
        },
      },
    });
    const updates: unknown[] = [];
    await bench.call({}, { onProgress: (update) => updates.push(update) });
    expect(updates).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('has a row in the ledger only when a second call would be a second effect', async () => {
    const bench = aWorkbench({
      's.read': { ...readOnly, run: () => gives({}) },
      's.same': { annotations: { idempotentHint: true }, run: () => gives({}) },
      's.once': { run: () => gives({}) },
    });
    await bench.call({ step: 'a', tool: 's.read' });
    await bench.call({ step: 'b', tool: 's.same' });
    await bench.call({ step: 'c', tool: 's.once', effect: 'read' });
    await bench.call({ step: 'd', tool: 's.once', effect: 'idempotent' });
    expect(await bench.store.effects.effects('run1')).toEqual([]);
    await bench.call({ step: 'e', tool: 's.once' });
    await bench.call({ step: 'f', tool: 's.read', effect: 'once' });
    const rows = await bench.store.effects.effects('run1');
    expect(rows.map(({ step, state }) => [step, state])).toEqual([
      ['e', 'succeeded'],
      ['f', 'succeeded'],
    ]);
  });
});

describe('a step that calls a tool and fails', () => {
  it('has the code that the tool carried, and is tried again only where that passes by itself', async () => {
    const bench = aWorkbench({
      's.t': {
        ...readOnly,
        run: ({ code, details }) =>
          failedToolResult({
            code: String(code),
            message: 'it broke',
            details: Object(details),
          }),
      },
    });
    const call = (code: string, details = {}) => bench.call({ args: { value: { code, details } } });
    expect(await call('code.syntax_error', { line: 3 })).toMatchObject({
      kind: 'failed',
      error: { code: 'code.syntax_error', message: 'it broke', details: { line: 3 } },
      isRetryable: false,
    });
    expect(await call('fleet.server_unavailable')).toMatchObject({ isRetryable: true });
    expect(await call('fleet.outcome_unknown')).toMatchObject({
      kind: 'failed',
      isRetryable: true,
    });
    expect(await call('fleet.http_status', { status: 503 })).toMatchObject({ isRetryable: true });
    expect(await call('fleet.http_status', { status: 404 })).toMatchObject({ isRetryable: false });
    expect(await call('x.own', { retryable: true })).toMatchObject({ isRetryable: true });
  });

  it('has a code of ours and what the tool said when it carried none', async () => {
    const bench = aWorkbench({
      's.t': { ...readOnly, run: () => ({ ...says('no such file'), isError: true }) },
      's.mute': { ...readOnly, run: () => ({ content: [], isError: true }) },
      's.loud': { ...readOnly, run: () => ({ ...says('x'.repeat(100_000)), isError: true }) },
    });
    expect(await bench.call({})).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.tool_failed', message: 'no such file', details: { tool: 's.t' } },
      isRetryable: false,
    });
    expect(await bench.call({ tool: 's.mute' })).toMatchObject({
      error: { message: 'Tool "s.mute" failed and did not say why' },
    });
    const loud = await bench.call({ tool: 's.loud' });
    expect(JSON.stringify(loud).length).toBeLessThan(5_000);
    const error = { code: 'x.y', message: 'm'.repeat(9_000), details: { all: 'z'.repeat(99_000) } };
    const full = aWorkbench({ 's.t': { ...readOnly, run: () => failedToolResult(error) } });
    const outcome = await full.call({});
    expect(outcome).toMatchObject({ error: { code: 'x.y', details: { isOmitted: true } } });
    expect(JSON.stringify(outcome).length).toBeLessThan(5_000);
  });

  it.each([
    ['nothing', undefined],
    ['that it was never called', { code: 'fleet.server_unavailable', message: '', details: {} }],
    ['that trying again helps', { code: 'x.y', message: '', details: { retryable: true } }],
  ])(
    'by the word of a stranger’s tool that says %s is tried again unless that is a second effect',
    async (_what, error) => {
      const result = { ...says('busy'), isError: true, _meta: { 'tutti/error': error } };
      const tool = { isTrusted: false, run: () => result };
      const bench = aWorkbench({ 's.t': tool });
      expect(await bench.call({ effect: 'read' })).toMatchObject({ isRetryable: true });
      expect(await bench.call({ effect: 'idempotent' })).toMatchObject({ isRetryable: true });
      expect(await bench.call({})).toMatchObject({ kind: 'failed', isRetryable: false });
    },
  );

  it('has what was thrown as an outcome', async () => {
    const bench = aWorkbench({
      's.busy': { ...readOnly, run: () => Promise.reject(new BusyError('come back')) },
      's.bug': { ...readOnly, run: () => Promise.reject(new TypeError('x is undefined')) },
    });
    expect(await bench.call({ tool: 's.busy' })).toMatchObject({
      kind: 'failed',
      error: { code: 'test.busy', message: 'come back' },
      isRetryable: true,
    });
    expect(await bench.call({ tool: 's.bug' })).toMatchObject({
      error: { code: 'internal.bug' },
      isRetryable: false,
    });
  });

  it('says which tool is gone', async () => {
    expect(await aWorkbench({}).call({ tool: 'no.such' })).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.unknown_tool', details: { step: 'a', tool: 'no.such' } },
    });
  });

  it.each(['input_required', 'task'])('cannot do what a tool wants that answers %s', async (it) => {
    const bench = aWorkbench({
      's.t': { ...readOnly, run: () => ({ content: [], resultType: it }) },
    });
    expect(await bench.call({})).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.deferred_result', details: { resultType: it } },
      isRetryable: false,
    });
  });

  it('ends when its time is over, and tells the tool', async () => {
    let reason: unknown;
    const bench = aWorkbench({
      's.t': {
        ...readOnly,
        run: (_args, { signal }) =>
          new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason))),
      },
    });
    expect(await bench.call({ timeoutMs: 5 })).toMatchObject({
      kind: 'failed',
      error: { code: 'kernel.time_limit' },
      isRetryable: true,
    });
    expect(reason).toBeInstanceOf(TimeLimitError);
  });

  it('throws the reason of a cancellation untouched, however the tool takes it', async () => {
    const reason = { cancelled: true };
    const cancel = new AbortController();
    const bench = aWorkbench({
      's.fails': {
        ...readOnly,
        run: () => {
          cancel.abort(reason);
          return { ...says('stopped'), isError: true };
        },
      },
      's.throws': { ...readOnly, run: () => Promise.reject(new Error('stopped')) },
    });
    const { signal } = cancel;
    await expect(bench.call({ tool: 's.fails' }, { signal })).rejects.toBe(reason);
    await expect(bench.call({ tool: 's.throws' }, { signal })).rejects.toBe(reason);
    expect(bench.calls.map(({ name }) => name)).toEqual(['s.fails']);
  });

  it('gives the result of a tool that was done before the cancellation came', async () => {
    const cancel = new AbortController();
    const bench = aWorkbench({
      's.t': {
        ...readOnly,
        run: () => {
          cancel.abort(new Error('too late'));
          return gives({ done: true });
        },
      },
    });
    const outcome = await bench.call({}, { signal: cancel.signal });
    expect(outcome).toMatchObject({ kind: 'succeeded', held: { value: { done: true } } });
  });
});

describe('big values', () => {
  const big = { lines: Array.from({ length: 10_000 }, (_, index) => `line ${index}`) };

  it('are kept as an artifact that knows what made it', async () => {
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives(big) } });
    const held = heldOf(await bench.call({ step: 'b[2]', args: { value: { a: 1 } } }));
    if (!('artifact' in held)) throw new Error('inline');
    expect(held).toMatchObject({ path: [], artifact: { mediaType: 'application/json' } });
    const content = await bench.artifacts.get({ id: 'local' }, held.artifact.id);
    expect(JSON.parse(new TextDecoder().decode(content))).toEqual(big);
    const { lineage } = await bench.artifacts.describe({ id: 'local' }, held.artifact.id);
    expect(lineage).toMatchObject([
      {
        runId: 'run1',
        step: 'b[2]',
        tool: 's.t',
        argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        inputs: [],
      },
    ]);
  });

  it('are inline up to just the limit', async () => {
    const bench = aWorkbench(
      { 's.t': { ...readOnly, run: ({ size }) => gives({ x: 'ä'.repeat(Number(size)) }) } },
      { limits: { inlineBytes: 100 } },
    );
    const call = async (size: number) => heldOf(await bench.call({ args: { value: { size } } }));
    expect(await call(46)).toHaveProperty('value');
    expect(await call(47)).toHaveProperty('artifact.bytes', 102);
  });

  it('are filled into arguments where they are used, and named as what the result was made from', async () => {
    const bench = aWorkbench({
      's.t': { ...readOnly, run: () => gives(big) },
      's.echo': { ...readOnly, run: (args) => gives(args) },
    });
    const made = heldOf(await bench.call({}));
    if (!('artifact' in made)) throw new Error('inline');
    const holes = [
      { at: ['one'], parts: [{ ...made, path: ['lines', 7] }] },
      { at: ['text'], parts: ['<', { ...made, path: ['lines', 'length'] }, '>'] },
      { at: ['all', 0], parts: [made] },
    ];
    const value = { one: null, text: null, all: [null], own: 1 };
    const echoed = heldOf(await bench.call({ step: 'c', tool: 's.echo', args: { value, holes } }));
    expect(bench.calls[1]?.args).toEqual({ one: 'line 7', text: '<10000>', all: [big], own: 1 });
    if (!('artifact' in echoed)) throw new Error('inline');
    const { lineage } = await bench.artifacts.describe({ id: 'local' }, echoed.artifact.id);
    expect(lineage[0]?.inputs).toEqual([made.artifact.id]);
  });

  it('are read from the disk once, as long as there is room for them', async () => {
    const tools = {
      's.t': { ...readOnly, run: () => gives(big) },
      's.count': { ...readOnly, run: () => gives({}) },
    };
    const first = aWorkbench(tools);
    const made = heldOf(await first.call({}));
    for (const [cachedBytes, reads] of [
      [1_000_000, 1],
      [1_000, 3],
    ] as const) {
      let count = 0;
      const artifacts = {
        ...first.artifacts,
        get: (...args: Parameters<typeof first.artifacts.get>) => {
          count += 1;
          return first.artifacts.get(...args);
        },
      };
      const bench = aWorkbench(tools, { artifacts, limits: { cachedBytes } });
      const args = { value: { x: null }, holes: [{ at: ['x'], parts: [made] }] };
      for (let call = 0; call < 3; call += 1) await bench.call({ tool: 's.count', args });
      expect(count).toBe(reads);
    }
  });

  it('that cannot be found fail the step, and are looked for again next time', async () => {
    const bench = aWorkbench({ 's.t': { ...readOnly, run: () => gives({}) } });
    const artifact = { id: `sha256:${'0'.repeat(64)}`, bytes: 9, mediaType: 'application/json' };
    const args = { value: { x: null }, holes: [{ at: ['x'], parts: [{ artifact, path: [] }] }] };
    for (let call = 0; call < 2; call += 1) {
      expect(await bench.call({ args })).toMatchObject({
        kind: 'failed',
        error: { code: 'artifacts.not_found' },
      });
    }
    expect(bench.calls).toEqual([]);
  });

  it('beyond the limits are refused by name', async () => {
    const limits = { argumentBytes: 1_000, resultBytes: 2_000, loadBytes: 3_000, inlineBytes: 100 };
    const bench = aWorkbench(
      {
        's.t': { ...readOnly, run: ({ size }) => gives({ x: 'y'.repeat(Number(size)) }) },
        's.deep': { ...readOnly, run: () => gives(nested(10_000)) },
        's.odd': { ...readOnly, run: () => gives({ odd: undefined, deep: nested(600) }) },
      },
      { limits },
    );
    const codeOf = async (outcome: Promise<CallOutcome>) => {
      const it = await outcome;
      return it.kind === 'failed' ? [it.error.code, it.error.details['part']] : it.kind;
    };
    const tooLarge = 'workflow.value_too_large';
    const tooDeep = 'workflow.value_too_deep';
    const x = 'x'.repeat(1_000);
    expect(await codeOf(bench.call({ args: { value: { x } } }))).toEqual([tooLarge, 'arguments']);
    expect(await codeOf(bench.call({ args: { value: { size: 2_000 } } }))).toEqual([
      tooLarge,
      'result',
    ]);
    expect(await codeOf(bench.call({ args: { value: { size: 900 } } }))).toBe('succeeded');
    const artifact = { id: 'sha256:1', bytes: 3_001, mediaType: 'application/json' };
    const holes = [{ at: ['x'], parts: [{ artifact, path: [] }] }];
    expect(await codeOf(bench.call({ args: { value: { x: null }, holes } }))).toEqual([
      tooLarge,
      'value',
    ]);
    expect(await codeOf(bench.call({ tool: 's.deep' }))).toEqual([tooDeep, 'result']);
    expect(await codeOf(bench.call({ tool: 's.odd' }))).toEqual([tooDeep, 'result']);
    expect(await codeOf(bench.call({ args: { value: nested(10_000) } }))).toEqual([
      tooDeep,
      'arguments',
    ]);
  });
});

function nested(depth: number): { x: never } {
  let value: unknown = {};
  for (let level = 0; level < depth; level += 1) value = { x: value };
  return value as { x: never };
}
