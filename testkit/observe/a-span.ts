import type { SpanRecord } from '../../src/observe/trace/span.ts';

/** A span for tests; name only what the test is about. Without ids it is the first of its trace. */
export function aSpan(parts: Partial<SpanRecord> = {}): SpanRecord {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    name: 'tools/call format_code',
    kind: 'server',
    startedAtUs: 1_767_225_600_000_000,
    durationUs: 1_500,
    status: 'unset',
    attributes: {},
    callerId: 'local',
    ...parts,
  };
}

/** The n-th of many ids of `length` hex digits. */
export function hexId(n: number, length: 16 | 32): string {
  return n.toString(16).padStart(length, '0');
}
