import { adjacencyOf, findComponents, type Adjacency } from './find-cycles.ts';
import type { PlainGraph } from './group-graph.ts';

export interface NodeMetrics {
  /** How many modules import it. */
  readonly fanIn: number;
  /** How many modules it imports. */
  readonly fanOut: number;
  /** fanOut ÷ (fanIn + fanOut): 0 is stable, 1 unstable; 0 for a module without neighbours. */
  readonly instability: number;
  /** Longest chain of imports below it; a cycle counts as one link. */
  readonly depth: number;
}

/** Robert Martin's coupling measures per module, and the depth of what it rests on. */
export function measureGraph(graph: PlainGraph): ReadonlyMap<string, NodeMetrics> {
  const next = adjacencyOf(graph.nodes.keys(), graph.edges);
  const fanIn = new Map<string, number>();
  for (const { from, to } of graph.edges) {
    if (from !== to) fanIn.set(to, (fanIn.get(to) ?? 0) + 1);
  }
  const depths = depthsOf(next);
  return new Map(
    [...graph.nodes.keys()].map((id) => {
      const incoming = fanIn.get(id) ?? 0;
      const outgoing = (next.get(id) ?? []).filter((target) => target !== id).length;
      const total = incoming + outgoing;
      const instability = total === 0 ? 0 : Math.round((outgoing / total) * 100) / 100;
      return [id, { fanIn: incoming, fanOut: outgoing, instability, depth: depths.get(id) ?? 0 }];
    }),
  );
}

/** Components arrive after those they lead to, so one pass is enough. */
function depthsOf(next: Adjacency): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const component of findComponents(next)) {
    const members = new Set(component);
    let depth = 0;
    for (const target of component.flatMap((id) => next.get(id) ?? [])) {
      if (!members.has(target)) depth = Math.max(depth, (depths.get(target) ?? 0) + 1);
    }
    for (const id of component) depths.set(id, depth);
  }
  return depths;
}
