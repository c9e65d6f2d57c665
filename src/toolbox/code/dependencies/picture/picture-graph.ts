import { groupByFolder, type PlainGraph } from '../group-graph.ts';
import { adjacencyOf, findComponents } from '../find-cycles.ts';

/** A graph small enough to be drawn. */
export interface Picture {
  readonly nodes: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly PictureEdge[];
  /** What was simplified, for the reader of the picture; empty when nothing was. */
  readonly note: string;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly isInCycle: boolean;
  /** Not needed when the program runs: drawn dashed. */
  readonly isWeak: boolean;
}

export const maxPictureNodes = 200;
/** Mermaid refuses to draw more edges than this by default. */
export const maxPictureEdges = 500;

/** Groups by folder, ever more coarsely, until the graph can be drawn and read. */
export function pictureOf(graph: PlainGraph): Picture {
  if (isDrawable(graph)) return toPicture(graph, '');
  const deepest = Math.max(...[...graph.nodes.keys()].map((id) => id.split('/').length));
  let grouped = groupByFolder(graph);
  for (let depth = deepest; depth > 1 && !isDrawable(grouped); depth -= 1) {
    grouped = groupByFolder(graph, depth - 1);
  }
  const note = `${graph.nodes.size} modules, drawn as ${grouped.nodes.size} folders`;
  if (isDrawable(grouped)) return toPicture(grouped, note);
  const heaviest = grouped.edges.toSorted((a, b) => b.count - a.count).slice(0, maxPictureEdges);
  const busiest = [...new Set(heaviest.flatMap(({ from, to }) => [from, to]))];
  const kept = new Set(busiest.slice(0, maxPictureNodes));
  const nodes = new Map([...grouped.nodes].filter(([id]) => kept.has(id)));
  const edges = heaviest.filter(({ from, to }) => kept.has(from) && kept.has(to));
  return toPicture(
    { nodes, edges },
    `${note}; only the ${nodes.size} busiest and ${edges.length} heaviest edges are shown`,
  );
}

function isDrawable({ nodes, edges }: PlainGraph): boolean {
  return nodes.size <= maxPictureNodes && edges.length <= maxPictureEdges;
}

function toPicture({ nodes, edges }: PlainGraph, note: string): Picture {
  const needs = edges.filter((edge) => edge.kind === 'import');
  const componentOf = new Map<string, number>();
  findComponents(adjacencyOf(nodes.keys(), needs)).forEach((members, index) => {
    for (const id of members) componentOf.set(id, index);
  });
  const ids = [...nodes.keys()].sort();
  return {
    nodes: ids.map((id) => {
      const files = nodes.get(id)?.files ?? 1;
      return { id, label: files > 1 ? `${id} (${files})` : id };
    }),
    edges: edges
      .map((edge) => ({
        from: edge.from,
        to: edge.to,
        isInCycle:
          edge.kind === 'import' && componentOf.get(edge.from) === componentOf.get(edge.to),
        isWeak: edge.kind !== 'import',
      }))
      .sort((a, b) => (a.from + a.to < b.from + b.to ? -1 : 1)),
    note,
  };
}
