import type { SpanNode } from './span-tree.ts';

/** A piece of the time line that only this span accounts for. */
export interface PathPiece {
  /** Undefined between spans without a common parent. */
  readonly node: SpanNode | undefined;
  readonly fromUs: number;
  readonly untilUs: number;
  /** After the span's own end, while others inside it were still to come. */
  readonly isAfterEnd: boolean;
}

interface Visit {
  readonly node: SpanNode | undefined;
  readonly fromUs: number;
  readonly children: readonly SpanNode[];
  next: number;
  cursorUs: number;
}

/**
 * What the whole had to wait for: from the end backwards, always the span that ended last before. The
 * pieces cover the time line without gaps, earliest first; shortening any of them shortens the whole.
 */
export function criticalPath(tops: readonly SpanNode[]): readonly PathPiece[] {
  if (tops.length === 0) return [];
  const fromUs = tops.reduce((least, { span }) => Math.min(least, span.startedAtUs), Infinity);
  const untilUs = tops.reduce((most, { endUs }) => Math.max(most, endUs), -Infinity);
  const pieces: PathPiece[] = [];
  const stack: Visit[] = [visitOf(undefined, { fromUs, untilUs, children: tops })];
  for (let visit = stack.at(-1); visit; visit = stack.at(-1)) {
    const child = nextChild(visit);
    const untilOwnUs = child ? Math.min(child.endUs, visit.cursorUs) : visit.fromUs;
    addPieces(pieces, visit.node, { fromUs: untilOwnUs, untilUs: visit.cursorUs });
    if (!child) {
      stack.pop();
      continue;
    }
    const childFromUs = Math.max(child.span.startedAtUs, visit.fromUs);
    visit.cursorUs = childFromUs;
    const bounds = { fromUs: childFromUs, untilUs: untilOwnUs, children: child.children };
    stack.push(visitOf(child, bounds));
  }
  return pieces.toReversed();
}

function visitOf(
  node: SpanNode | undefined,
  { fromUs, untilUs, children }: { fromUs: number; untilUs: number; children: readonly SpanNode[] },
): Visit {
  const byEnd = children.toSorted((a, b) => b.endUs - a.endUs);
  return { node, fromUs, children: byEnd, next: 0, cursorUs: untilUs };
}

/** The one that ended last of those that began before what is accounted for. */
function nextChild(visit: Visit): SpanNode | undefined {
  while (visit.next < visit.children.length) {
    const child = visit.children[visit.next];
    visit.next += 1;
    const isBefore = child && child.span.startedAtUs < visit.cursorUs;
    if (isBefore && Math.min(child.endUs, visit.cursorUs) > visit.fromUs) return child;
  }
  return undefined;
}

function addPieces(
  pieces: PathPiece[],
  node: SpanNode | undefined,
  { fromUs, untilUs }: { readonly fromUs: number; readonly untilUs: number },
): void {
  if (untilUs <= fromUs) return;
  const endUs = node?.ownEndUs ?? fromUs;
  const splitUs = Math.min(Math.max(endUs, fromUs), untilUs);
  if (untilUs > splitUs) pieces.push({ node, fromUs: splitUs, untilUs, isAfterEnd: true });
  if (splitUs > fromUs) pieces.push({ node, fromUs, untilUs: splitUs, isAfterEnd: false });
}
