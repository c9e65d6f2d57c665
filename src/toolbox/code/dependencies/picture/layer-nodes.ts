import { adjacencyOf, type Adjacency } from '../find-cycles.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Gives each node a layer so that imports lead from left to right; imports that close a circle are
 * the exception. Modules nobody imports stand directly left of what they import.
 */
export function layerNodes(
  ids: readonly string[],
  edges: readonly Edge[],
): ReadonlyMap<string, number> {
  const forward = withoutBackEdges(ids, adjacencyOf(ids, edges));
  const incoming = new Map(ids.map((id) => [id, 0]));
  for (const targets of forward.values()) {
    for (const to of targets) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  }
  const sources = ids.filter((id) => incoming.get(id) === 0);
  const layers = new Map(ids.map((id) => [id, 0]));
  const queue = [...sources];
  for (const id of queue) {
    for (const to of forward.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
      const left = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, left);
      if (left === 0) queue.push(to);
    }
  }
  for (const id of sources) {
    const targets = forward.get(id) ?? [];
    const first = Math.min(...targets.map((to) => layers.get(to) ?? 0));
    if (targets.length > 0) layers.set(id, Math.max(first - 1, 0));
  }
  return layers;
}

/** Depth first with a stack of its own: an edge to a node on the current path closes a circle. */
function withoutBackEdges(ids: readonly string[], next: Adjacency): Adjacency {
  const state = new Map<string, 'open' | 'done'>();
  const kept = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const start of ids) {
    if (state.has(start)) continue;
    const frames = [{ id: start, next: 0 }];
    state.set(start, 'open');
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const to = next.get(frame.id)?.[frame.next];
      frame.next += 1;
      if (to === undefined) {
        state.set(frame.id, 'done');
        frames.pop();
        continue;
      }
      if (state.get(to) === 'open') continue;
      kept.get(frame.id)?.push(to);
      if (!state.has(to)) {
        state.set(to, 'open');
        frames.push({ id: to, next: 0 });
      }
    }
  }
  return kept;
}
