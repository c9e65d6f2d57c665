import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { aCollector } from '../../../testkit/observe/a-collector.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { ActiveSpans } from './span.ts';
import { createTracing, type Tracing } from './create-tracing.ts';
import type { OtlpOptions } from './otlp-exporter.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${spanId}-01` };

function aTracing(otlp: OtlpOptions): { tracing: Tracing; lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const tracing = createTracing({
    activeSpans: new ActiveSpans(),
    log: recordedLog(lines),
    otlp,
    clock: { now: () => 1_767_225_600_000 },
  });
  return { tracing, lines };
}

describe('export by OTLP', () => {
  it('sends spans to the collector with their context, times, status and service', async () => {
    const collector = await aCollector();
    const { tracing, lines } = aTracing({
      endpoint: collector.endpoint,
      headers: { 'x-key': new Secret('open sesame') },
      serviceVersion: '1.2.3',
    });
    const attributes = { text: 'a', count: 2, flag: true, list: ['x', 'y'] };
    await tracing.traced(
      { name: 'tools/call x', kind: 'server', attributes, parentMeta: sampled },
      async (scope) => scope.fail('no'),
    );
    await tracing.close();
    expect(lines).toEqual([]);
    expect(collector.requests).toHaveLength(1);
    const [{ path, headers, body }] = collector.requests as [(typeof collector.requests)[number]];
    expect(path).toBe('/v1/traces');
    expect(headers['x-key']).toBe('open sesame');
    expect(body).toMatchObject({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'tutti' } },
              { key: 'service.version', value: { stringValue: '1.2.3' } },
            ],
          },
          scopeSpans: [
            {
              spans: [
                {
                  traceId,
                  parentSpanId: spanId,
                  name: 'tools/call x',
                  kind: 2,
                  startTimeUnixNano: '1767225600000000000',
                  status: { code: 2, message: 'no' },
                  attributes: [
                    { key: 'tutti.text', value: { stringValue: 'a' } },
                    { key: 'tutti.count', value: { intValue: 2 } },
                    { key: 'tutti.flag', value: { boolValue: true } },
                    {
                      key: 'tutti.list',
                      value: {
                        arrayValue: { values: [{ stringValue: 'x' }, { stringValue: 'y' }] },
                      },
                    },
                    { key: 'error.type', value: { stringValue: 'tool_error' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each(['', '/', '/v1/traces', '/v1/traces/'])(
    'takes an endpoint that ends in "%s"',
    async (end) => {
      const collector = await aCollector();
      const { tracing } = aTracing({ endpoint: `${collector.endpoint}${end}` });
      await tracing.traced({ name: 'a', kind: 'internal' }, async () => {});
      await tracing.close();
      expect(collector.requests.map((request) => request.path)).toEqual(['/v1/traces']);
    },
  );

  it('does not send traces that their beginner does not want sampled', async () => {
    const collector = await aCollector();
    const { tracing, lines } = aTracing({ endpoint: collector.endpoint });
    const parentMeta = { traceparent: `00-${traceId}-${spanId}-00` };
    await tracing.traced({ name: 'a', kind: 'internal', parentMeta }, async () => {});
    await tracing.close();
    expect(collector.requests).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('never hurts a call when the collector refuses, and says so in the log', async () => {
    const collector = await aCollector(400);
    const { tracing, lines } = aTracing({ endpoint: collector.endpoint });
    expect(await tracing.traced({ name: 'a', kind: 'internal' }, async () => 1)).toBe(1);
    await tracing.close();
    expect(lines).toMatchObject([
      { level: 'warn', message: 'spans dropped', fields: { target: 'collector', count: 1 } },
    ]);
  });

  it('waits for a collector that does not answer only so long when it closes', async () => {
    const collector = await aCollector('never');
    const { tracing } = aTracing({ endpoint: collector.endpoint });
    for (let n = 0; n < 2_000; n += 1) {
      await tracing.traced({ name: 'a', kind: 'internal' }, async () => {});
    }
    const startedAt = performance.now();
    await tracing.close();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(collector.requests).toHaveLength(1);
  });
});
