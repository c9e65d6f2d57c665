import { describe, expect, it } from 'vitest';
import { aSpan, hexId } from '../../../testkit/observe/a-span.ts';
import { formatTrace } from './format-trace.ts';
import type { SpanRecord } from './span.ts';

const base = aSpan().startedAtUs;

function span(id: number, parent: number | undefined, parts: Partial<SpanRecord> = {}): SpanRecord {
  return aSpan({
    spanId: hexId(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hexId(parent, 16) }),
    name: `span ${id}`,
    ...parts,
  });
}

/** The names in the order they are printed, with their depth. */
function tree(spans: readonly SpanRecord[]): string[] {
  return formatTrace(spans)
    .split('\n')
    .slice(2)
    .map((line) => /^ *span \d+/.exec(line)?.[0] ?? line);
}

describe('a trace on the terminal', () => {
  it('is a tree with beginnings, times, bars and outcomes', () => {
    const spans = [
      span(1, undefined, {
        name: 'tools/call code.review_code',
        durationUs: 4_000,
      }),
      span(2, 1, { name: 'lint', startedAtUs: base + 500, durationUs: 1_000 }),
      span(3, 1, {
        name: 'scan',
        startedAtUs: base + 2_000,
        durationUs: 2_000,
        status: 'error',
        statusMessage: 'no rules\nfor this',
        attributes: { 'error.type': 'tool_error' },
      }),
      span(4, 3, {
        name: 'wait',
        startedAtUs: base + 3_900,
        durationUs: 90,
        attributes: { 'tutti.cancelled': true },
      }),
    ];
    expect(formatTrace(spans)).toBe(
      [
        'trace 0af7651916cd43dd8448eb211c80319c  2026-01-01T00:00:00.000Z  4.0 ms  4 spans',
        '                                 start       time',
        'tools/call code.review_code      +0 us     4.0 ms  |========================|  ok',
        '  lint                         +500 us     1.0 ms  |   ======               |  ok',
        '  scan                         +2.0 ms     2.0 ms  |            ============|  tool_error: no rules for this',
        '    wait                       +3.9 ms      90 us  |                       =|  cancelled',
      ].join('\n'),
    );
  });

  it('says so when there is nothing', () => {
    expect(formatTrace([])).toBe('no spans');
  });

  it('puts a span whose parent is not here at the top', () => {
    expect(tree([span(2, 99), span(3, 2)])).toEqual(['span 2', '  span 3']);
  });

  it('prints each span of a circle of parents once', () => {
    expect(tree([span(1, 2), span(2, 1), span(3, 3), span(4, 2)])).toEqual([
      'span 1',
      '  span 2',
      '    span 4',
      'span 3',
    ]);
  });

  it('prints children in the order they began, each subtree together', () => {
    const spans = [
      span(1, undefined),
      span(2, 1, { startedAtUs: base + 30 }),
      span(3, 1, { startedAtUs: base + 10 }),
      span(4, 3, { startedAtUs: base + 40 }),
    ];
    expect(tree(spans)).toEqual(['span 1', '  span 3', '    span 4', '  span 2']);
  });

  it('takes very deep and very wide traces', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) => span(n + 1, n === 0 ? undefined : n));
    expect(tree(chain)).toHaveLength(10_000);
    const fan = Array.from({ length: 10_000 }, (_, n) => span(n + 1, n === 0 ? undefined : 1));
    expect(tree(fan)).toHaveLength(10_000);
  });

  it('shows seconds, and spans that took no time', () => {
    const text = formatTrace([
      span(1, undefined, { durationUs: 2_500_000 }),
      span(2, 1, { startedAtUs: base + 2_500_000, durationUs: 0 }),
    ]);
    expect(text).toContain('2.50 s');
    expect(text).toContain('0 us  |                       =|');
  });

  it('lets no control character through to the terminal', () => {
    const text = formatTrace([span(1, undefined, { name: 'evil\u001b[2J\u0007name' })]);
    expect(text).toContain('evil [2J name');
  });
});
