import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import conventions from '../observe/trace/conventions.json' with { type: 'json' };
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { openSystem } from './open-system.ts';
import { traceModels } from './trace-rooms.ts';
import { createTracing, ActiveSpans, type SpanRecord } from '../observe/index.ts';
import { createFakeModels, someModels } from '../../testkit/cli/fake-models.ts';
import { silentLog } from '../kernel/index.ts';

const signal = new AbortController().signal;

it('gives calls, the agent and memory spans whose keys are of the conventions or our own', async () => {
  const cwd = aDirectory();
  const flags = { 'server.port': 0, home: join(cwd, 'data'), 'models.autodetect': false };
  const system = await openSystem({ flags, env: {}, cwd });
  onTestFinished(() => system.close());
  const context = { caller: localCaller, signal, progress: () => {}, meta: {} };
  await system.catalogue.callTool('code.format_code', { language: 'python', code: 'x=1' }, context);
  await system.catalogue.callTool('code.format_code', { language: 7 }, context).catch(() => {});
  await system.memoryItems.search({ caller: localCaller, text: 'tea', limit: 3, signal });
  await system.agent.ask({ caller: localCaller, message: 'hello' }, { signal });
  const spans = await allSpans(system, 4);
  const keys = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
  const unknown = [...keys].filter(
    (key) => !key.startsWith('tutti.') && !conventions.attributes.includes(key),
  );
  expect(unknown).toEqual([]);
  const names = new Set(spans.map(({ name }) => name.split(' ')[0]));
  expect([...names].filter((name) => !conventions.spanNames.includes(name ?? ''))).toEqual([]);
  expect(names).toEqual(new Set(['tools/call', 'search_memory', 'invoke_agent']));
});

/** Spans are written in the background. */
async function allSpans(
  system: Awaited<ReturnType<typeof openSystem>>,
  atLeast: number,
): Promise<readonly SpanRecord[]> {
  return expect
    .poll(async () => (await system.traces.recent(50)).length, { timeout: 5_000 })
    .toBeGreaterThanOrEqual(atLeast)
    .then(async () => {
      const traces = await system.traces.recent(50);
      return (await Promise.all(traces.map(({ traceId }) => system.traces.find(traceId)))).flat();
    });
}

it('records what a turn of a model used, and an unknown key under our own prefix', async () => {
  const spans: SpanRecord[] = [];
  const tracing = createTracing({
    activeSpans: new ActiveSpans(),
    log: silentLog,
    onSpan: (span) => spans.push(span),
  });
  const usage = { inputTokens: 12, outputTokens: 3, isEstimated: false, costUsd: 0.5 };
  const models = traceModels(
    Object.assign(createFakeModels(someModels), {
      text: async () => ({ text: 'hi', finish: 'stop' as const, model: 'a/b', usage }),
    }),
    tracing,
  );
  await models.text('agent', { messages: [] }, { caller: localCaller, signal });
  expect(spans[0]).toMatchObject({
    name: 'chat agent',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'a/b',
      'gen_ai.usage.input_tokens': 12,
      'tutti.cost_usd': 0.5,
    },
  });
  await tracing.traced({ name: 'run x', kind: 'internal', attributes: { odd: 1 } }, async () => 1);
  expect(spans[1]?.attributes).toEqual({ 'tutti.odd': 1 });
});
