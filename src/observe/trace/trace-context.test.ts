import { describe, expect, it } from 'vitest';
import { readTraceMeta, writeTraceMeta } from './trace-context.ts';
import { traceLimits } from './trace-limits.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('trace context in _meta', () => {
  it('is read and written as W3C has it, without a prefix', () => {
    const meta = { traceparent, tracestate: 'vendor=a,other=b', baggage: 'user=1;p=2,x=y' };
    const { parent, baggage } = readTraceMeta(meta);
    expect(parent).toEqual({ traceId, spanId, isSampled: true, tracestate: 'vendor=a,other=b' });
    expect(writeTraceMeta(parent!, baggage)).toEqual(meta);
  });

  it('keeps the wish not to be sampled', () => {
    const { parent } = readTraceMeta({ traceparent: `00-${traceId}-${spanId}-00` });
    expect(parent?.isSampled).toBe(false);
    expect(writeTraceMeta(parent!, undefined)).toEqual({
      traceparent: `00-${traceId}-${spanId}-00`,
    });
  });

  it('accepts later versions of traceparent, which may be longer', () => {
    expect(readTraceMeta({ traceparent: `cc-${traceId}-${spanId}-01-more` }).parent).toEqual({
      traceId,
      spanId,
      isSampled: true,
    });
  });

  it.each([
    undefined,
    null,
    42,
    {},
    '',
    'nonsense',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-0g`,
    `00-${traceId}-${spanId}-01\n`,
    ` ${traceparent}`,
    `cc-${traceId}-${spanId}-01-${'x'.repeat(100_000)}`,
  ])('ignores a traceparent that is not valid: %j', (value) => {
    expect(readTraceMeta({ traceparent: value, tracestate: 'a=b' })).toEqual({});
  });

  it('ignores a tracestate or baggage that is too long or not plain text, and keeps the rest', () => {
    for (const bad of ['ü', 'a\nb', 7, '', 'x'.repeat(traceLimits.maxBaggageLength + 1)]) {
      const read = readTraceMeta({ traceparent, tracestate: bad, baggage: bad });
      expect(read).toEqual({ parent: { traceId, spanId, isSampled: true } });
    }
  });

  it('reads baggage that comes without a trace', () => {
    expect(readTraceMeta({ baggage: 'a=b' })).toEqual({ baggage: 'a=b' });
  });
});
