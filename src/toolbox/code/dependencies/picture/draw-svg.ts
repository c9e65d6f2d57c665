import type { Picture, PictureEdge } from './picture-graph.ts';
import { placeNodes, type Placement, type Slot } from './place-nodes.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const boxWidth = 210;
const columnGap = 90;
const margin = 20;
const headerHeight = 34;
const maxLabelLength = 30;

/**
 * The picture as SVG: importers on the left, what they import on the right, circles in red. The same
 * graph always gives the same text.
 */
export function drawSvg(picture: Picture): string {
  const placement = placeNodes(picture);
  const columns = Math.max(placement.layers, 1);
  const width = Math.max(columns * (boxWidth + columnGap) - columnGap + 2 * margin, 640);
  const height = Math.ceil(placement.height) + 2 * margin + headerHeight;
  const routes = new Map(
    placement.routes.map((route) => [`${route.from}\n${route.to}`, route.bends]),
  );
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
    ...edges.map((edge) => drawEdge(edge, placement, routes.get(`${edge.from}\n${edge.to}`) ?? [])),
    ...picture.nodes.map((node) => drawBox(node, placement.slots.get(node.id))),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function caption({ nodes, edges, note }: Picture): string {
  const red = edges.filter(({ isInCycle }) => isInCycle).length;
  const size = `${nodes.length} nodes, ${edges.length} imports, ${red} of them in a cycle (red)`;
  return note === '' ? `${size} · A → B: A imports B` : `${size} · ${note}`;
}

function marker(id: string, colour: string): string {
  return `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
}

function xOf(layer: number): number {
  return layer * (boxWidth + columnGap);
}

function middleOf(slot: Slot): number {
  return slot.y + slot.height / 2;
}

function drawBox(
  { id, label }: { readonly id: string; readonly label: string },
  slot: Slot | undefined,
): string {
  if (!slot) return '';
  const [x, y] = [xOf(slot.layer), round(slot.y)];
  const shown = label.length > maxLabelLength ? `…${label.slice(1 - maxLabelLength)}` : label;
  return (
    `<g><title>${escapeXml(id)}</title>` +
    `<rect x="${x}" y="${y}" width="${boxWidth}" height="${slot.height}" rx="4" fill="#f3f6fb" stroke="#4a6fa5"/>` +
    `<text x="${x + 8}" y="${round(middleOf(slot) + 4)}" fill="#1b2a41">${escapeXml(shown)}</text></g>`
  );
}

function drawEdge(edge: PictureEdge, placement: Placement, bends: readonly Slot[]): string {
  const [from, to] = [placement.slots.get(edge.from), placement.slots.get(edge.to)];
  if (!from || !to) return '';
  const colour = edge.isInCycle ? '#d22' : '#8a94a6';
  const dash = edge.isWeak ? ' stroke-dasharray="4 3"' : '';
  const end = edge.isInCycle ? 'arrow-cycle' : 'arrow';
  return (
    `<path d="${pathOf(from, to, bends)}" fill="none" stroke="${colour}" stroke-width="${edge.isInCycle ? 2 : 1}"${dash} marker-end="url(#${end})">` +
    `<title>${escapeXml(`${edge.from} → ${edge.to}`)}</title></path>`
  );
}

/** Leaves and enters boxes sideways; a way back, or inside one column, runs around the right side. */
function pathOf(from: Slot, to: Slot, bends: readonly Slot[]): string {
  const [y1, y2] = [round(middleOf(from)), round(middleOf(to))];
  const right = xOf(from.layer) + boxWidth;
  if (from.layer === to.layer) {
    const out = right + columnGap / 2;
    const spread = from === to ? 8 : 0;
    const start = `M${right} ${y1 - spread}`;
    return `${start} C${out} ${y1 - spread} ${out} ${y2 + spread} ${right} ${y2 + spread}`;
  }
  const isForward = to.layer > from.layer;
  const points: [number, number][] = [[isForward ? right : xOf(from.layer), y1]];
  for (const bend of bends) {
    const [near, far] = [xOf(bend.layer), xOf(bend.layer) + boxWidth];
    const y = round(middleOf(bend));
    points.push([isForward ? near : far, y], [isForward ? far : near, y]);
  }
  points.push([isForward ? xOf(to.layer) : xOf(to.layer) + boxWidth, y2]);
  return points
    .map(([x, y], index) => {
      const before = points[index - 1];
      if (!before) return `M${x} ${y}`;
      const middle = (before[0] + x) / 2;
      return `C${middle} ${before[1]} ${middle} ${y} ${x} ${y}`;
    })
    .join(' ');
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
