import { posix } from 'node:path';
import { mergeEdges, type GraphEdge, type GraphNode } from './import-graph.ts';

export interface PlainGraph {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly edges: readonly GraphEdge[];
}

/** The same graph with folders as nodes, cut after `maxDepth` levels; imports inside one vanish. */
export function groupByFolder(graph: PlainGraph, maxDepth = Infinity): PlainGraph {
  const groupOf = (id: string): string => {
    const node = graph.nodes.get(id);
    const folder = node?.language === 'go' ? id : posix.dirname(id);
    return folder.split('/').slice(0, maxDepth).join('/');
  };
  const nodes = new Map<string, { language: string; files: number; external: Set<string> }>();
  for (const node of graph.nodes.values()) {
    const id = groupOf(node.id);
    const group = nodes.get(id) ?? { language: node.language, files: 0, external: new Set() };
    group.files += node.files;
    if (group.language !== node.language) group.language = 'mixed';
    for (const name of node.external) group.external.add(name);
    nodes.set(id, group);
  }
  const edges = graph.edges
    .map((edge) => ({ ...edge, from: groupOf(edge.from), to: groupOf(edge.to) }))
    .filter(({ from, to }) => from !== to);
  return {
    nodes: new Map([...nodes].map(([id, group]) => [id, { id, ...group }])),
    edges: mergeEdges(edges),
  };
}
