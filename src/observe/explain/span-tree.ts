import type { SpanRecord } from '../trace/span.ts';

/** A span with those inside it. `endUs` is that of the last span inside: a run goes on after its own span. */
export interface SpanNode {
  readonly span: SpanRecord;
  readonly ownEndUs: number;
  endUs: number;
  readonly children: SpanNode[];
  readonly parent: SpanNode | undefined;
}

/** The tops of a trace; every span is in it exactly once, also one whose parent is elsewhere or in a circle. */
export function spanTree(spans: readonly SpanRecord[]): readonly SpanNode[] {
  const byAge = spans.toSorted((a, b) => a.startedAtUs - b.startedAtUs);
  const ids = new Set(byAge.map(({ spanId }) => spanId));
  const below = Map.groupBy(byAge, ({ parentSpanId }) => parentSpanId ?? '');
  const isTop = ({ parentSpanId }: SpanRecord): boolean =>
    parentSpanId === undefined || !ids.has(parentSpanId);
  const seen = new Set<SpanRecord>();
  const order: SpanNode[] = [];
  const tops: SpanNode[] = [];
  for (const top of [...byAge.filter(isTop), ...byAge]) {
    if (seen.has(top)) continue;
    seen.add(top);
    const waiting = [nodeOf(top, undefined)];
    tops.push(...waiting);
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      order.push(node);
      for (const span of below.get(node.span.spanId) ?? []) {
        if (seen.has(span)) continue;
        seen.add(span);
        const child = nodeOf(span, node);
        node.children.push(child);
        waiting.push(child);
      }
    }
  }
  // Children come after their parents, so that backwards each end is known before it is passed up.
  for (const node of order.toReversed()) {
    if (node.parent) node.parent.endUs = Math.max(node.parent.endUs, node.endUs);
  }
  return tops;
}

export function allNodes(tops: readonly SpanNode[]): readonly SpanNode[] {
  const nodes: SpanNode[] = [];
  const waiting = [...tops];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    nodes.push(node);
    waiting.push(...node.children);
  }
  return nodes;
}

function nodeOf(span: SpanRecord, parent: SpanNode | undefined): SpanNode {
  const ownEndUs = span.startedAtUs + span.durationUs;
  return { span, ownEndUs, endUs: ownEndUs, children: [], parent };
}
