import { graphlib, layout } from '@dagrejs/dagre';
import { adjacencyOf, findComponents } from './find-cycles.ts';
import { groupByFolder, type PlainGraph } from './import-graph.ts';
import { lookupTable } from '../../../kernel/index.ts';

/** A graph small enough to be drawn. */
interface Picture {
  readonly nodes: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly PictureEdge[];
  /** What was simplified, for the reader of the picture; empty when nothing was. */
  readonly note: string;
}

interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly isInCycle: boolean;
  /** Not needed when the program runs: drawn dashed. */
  readonly isWeak: boolean;
}

const maxPictureNodes = 200;
/** Mermaid refuses to draw more edges than this by default. */
const maxPictureEdges = 500;

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

/** The picture as a Mermaid flowchart; imports that are part of a cycle are red. */
export function drawMermaid(picture: Picture): string {
  const names = new Map(picture.nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ['flowchart LR'];
  if (picture.note !== '') lines.push(`  %% ${picture.note}`);
  for (const { id, label } of picture.nodes)
    lines.push(`  ${names.get(id)}["${escapeLabel(label)}"]`);
  const red: number[] = [];
  picture.edges.forEach((edge, index) => {
    const arrow = edge.isWeak ? '-.->' : '-->';
    lines.push(`  ${names.get(edge.from)} ${arrow} ${names.get(edge.to)}`);
    if (edge.isInCycle) red.push(index);
  });
  if (red.length > 0) lines.push(`  linkStyle ${red.join(',')} stroke:#d22,stroke-width:2px`);
  return `${lines.join('\n')}\n`;
}

/** Mermaid reads `#name;` as an entity; everything that could end or format the label becomes one. */
function escapeLabel(text: string): string {
  return text.replaceAll(/[^\w ./()@+,=$~-]/gu, (character) => `#${character.codePointAt(0)};`);
}

const box = { width: 210, height: 24 };
const margin = 20;
const headerHeight = 34;
const minWidth = 640;
const maxLabelLength = 30;

/**
 * The picture as SVG: importers on the left, what they import on the right, circles in red. The same
 * graph always gives the same text.
 */
export function drawSvg(picture: Picture): string {
  const placed = placeNodes(picture);
  const { width: columns = 0, height: rows = 0 } = placed.graph;
  const width = Math.max(Math.ceil(columns) + 2 * margin, minWidth);
  const height = Math.ceil(rows) + 2 * margin + headerHeight;
  // Red edges last, so that nothing hides them.
  const edges = picture.edges.toSorted((a, b) => Number(a.isInCycle) - Number(b.isInCycle));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    '<defs>',
    marker('arrow', '#8a94a6'),
    marker('arrow-cycle', '#d22'),
    '</defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin}" y="${margin + 4}" fill="#555">${escapeXml(caption(picture))}</text>`,
    `<g transform="translate(${margin} ${margin + headerHeight - 10})">`,
    ...edges.map((edge) => drawEdge(edge, placed.pointsOf(edge))),
    ...picture.nodes.map((node) => drawBox(node, placed.middleOf(node.id))),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Placement {
  readonly graph: { readonly width?: number; readonly height?: number };
  readonly middleOf: (id: string) => Point;
  readonly pointsOf: (edge: PictureEdge) => readonly Point[];
}

function placeNodes({ nodes, edges }: Picture): Placement {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 10, edgesep: 6, ranksep: 90, ranker: 'tight-tree' });
  // Names of our own: ids of files may be names that objects inherit.
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const nameOf = (id: string): string => names.get(id) ?? '';
  for (const name of names.values()) graph.setNode(name, { ...box });
  for (const { from, to } of edges) graph.setEdge(nameOf(from), nameOf(to), {});
  layout(graph);
  return {
    graph: graph.graph(),
    middleOf: (id) => graph.node(nameOf(id)),
    pointsOf: ({ from, to }) => graph.edge(nameOf(from), nameOf(to)).points,
  };
}

function caption({ nodes, edges, note }: Picture): string {
  const red = edges.filter(({ isInCycle }) => isInCycle).length;
  const size = `${nodes.length} nodes, ${edges.length} imports, ${red} of them in a cycle (red)`;
  return note === '' ? `${size} · A → B: A imports B` : `${size} · ${note}`;
}

function marker(id: string, colour: string): string {
  return `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
}

function drawBox(
  { id, label }: { readonly id: string; readonly label: string },
  at: Point,
): string {
  const [x, y] = [round(at.x - box.width / 2), round(at.y - box.height / 2)];
  const shown = label.length > maxLabelLength ? `…${label.slice(1 - maxLabelLength)}` : label;
  return (
    `<g><title>${escapeXml(id)}</title>` +
    `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="4" fill="#f3f6fb" stroke="#4a6fa5"/>` +
    `<text x="${round(x + 8)}" y="${round(at.y + 4)}" fill="#1b2a41">${escapeXml(shown)}</text></g>`
  );
}

function drawEdge(edge: PictureEdge, points: readonly Point[]): string {
  const colour = edge.isInCycle ? '#d22' : '#8a94a6';
  const dash = edge.isWeak ? ' stroke-dasharray="4 3"' : '';
  const end = edge.isInCycle ? 'arrow-cycle' : 'arrow';
  const path = points.map(({ x, y }, index) => {
    const before = points[index - 1];
    if (!before) return `M${round(x)} ${round(y)}`;
    const middle = round((before.x + x) / 2);
    return `C${middle} ${round(before.y)} ${middle} ${round(y)} ${round(x)} ${round(y)}`;
  });
  return (
    `<path d="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="${edge.isInCycle ? 2 : 1}"${dash} marker-end="url(#${end})">` +
    `<title>${escapeXml(`${edge.from} → ${edge.to}`)}</title></path>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Readonly<Record<string, string>> = lookupTable({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});

/** Control characters have no place in XML at all. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001F\u007F\uFFFE\uFFFF]/g, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
