import { label, type Box, type Drawing } from './drawing.ts';

const margin = 24;
const titleHeight = 32;
const lineHeight = 17;
const padding = 12;
const layerGap = 46;
/** An average character of the font, in its two sizes. */
const boldWidth = 8.2;
const plainWidth = 6.7;
const maxLabel = 34;
const minWidth = 96;

const colours: Readonly<Record<Box['kind'], readonly [fill: string, stroke: string]>> = {
  call: ['#eef4ff', '#4a6fb5'],
  sleep: ['#f3f3f3', '#808080'],
  wait: ['#fff8e1', '#b08900'],
  gate: ['#fdecea', '#b5493f'],
  plan: ['#f1ecfb', '#7556b0'],
};

/** A self-contained drawing: no script, no font and no image from elsewhere. */
export function drawSvg(drawing: Drawing): string {
  const texts = drawing.boxes.map((box) =>
    [box.does, ...box.notes].map((line) => label(line, maxLabel)),
  );
  const widths = drawing.boxes.map((box, index) => widthOf(box, texts[index] ?? []));
  const layout = layOut(drawing, widths);
  const rows = rowsOf(drawing, texts);
  const title = label(drawing.title, 80);
  const width = Math.ceil(Math.max(layout.width, title.length * boldWidth) + 2 * margin);
  const last = rows.at(-1);
  const height = Math.ceil((last ? last.top + last.height : titleHeight) + margin);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#777"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${margin}" y="${margin + 4}" font-size="15" font-weight="600" fill="#222">${escape(title)}</text>`,
    ...layout.routes.map((route) => drawRoute(route, rows)),
    ...drawing.boxes.flatMap((box, index) =>
      drawBox(box, texts[index] ?? [], { at: layout.boxes[index], rows }),
    ),
    '</svg>',
    '',
  ].join('\n');
}

interface Row {
  readonly top: number;
  readonly height: number;
}

function widthOf(box: Box, lines: readonly string[]): number {
  const widest = Math.max(
    box.id.length * boldWidth,
    ...lines.map((line) => line.length * plainWidth),
  );
  return Math.max(minWidth, Math.ceil(widest + 2 * padding));
}

function heightOf(lines: readonly string[]): number {
  return (lines.length + 1) * lineHeight + padding;
}

/** A layer is as high as its highest box. */
function rowsOf(drawing: Drawing, texts: readonly (readonly string[])[]): Row[] {
  const heights: number[] = Array.from({ length: drawing.layers }, () => 0);
  for (const [index, box] of drawing.boxes.entries()) {
    heights[box.layer] = Math.max(heights[box.layer] ?? 0, heightOf(texts[index] ?? []));
  }
  let top = margin + titleHeight;
  return heights.map((height) => {
    const row = { top, height };
    top += height + layerGap;
    return row;
  });
}

function drawRoute(route: Layout['routes'][number], rows: readonly Row[]): string {
  const points = route.flatMap((item, index) => {
    const row = rows[item.layer] ?? { top: 0, height: 0 };
    const x = item.x + margin;
    if (index === 0) return [[x, row.top + row.height] as const];
    if (index === route.length - 1) return [[x, row.top - 1] as const];
    return [[x, row.top] as const, [x, row.top + row.height] as const];
  });
  let path = '';
  let before: readonly [number, number] | undefined;
  for (const [x, y] of points) {
    if (!before) path = `M${round(x)} ${round(y)}`;
    else if (before[0] === x) path += `V${round(y)}`;
    else {
      const middle = (before[1] + y) / 2;
      path += `C${round(before[0])} ${round(middle)} ${round(x)} ${round(middle)} ${round(x)} ${round(y)}`;
    }
    before = [x, y];
  }
  return `<path d="${path}" fill="none" stroke="#777" stroke-width="1.2" marker-end="url(#arrow)"/>`;
}

interface BoxPlace {
  readonly at: Placed | undefined;
  readonly rows: readonly Row[];
}

/** A box is as high as its layer, so that every edge ends at one. */
function drawBox(box: Box, lines: readonly string[], { at, rows }: BoxPlace): string[] {
  const row = rows[box.layer];
  if (!at || !row) return [];
  const [fill, stroke] = colours[box.kind];
  const left = round(at.x + margin - at.width / 2);
  const middle = round(at.x + margin);
  const radius = box.kind === 'sleep' || box.kind === 'wait' ? 16 : 6;
  const dashed = box.notes.some((note) => note.startsWith('when '))
    ? ' stroke-dasharray="5 3"'
    : '';
  const frame = `<rect x="${left}" y="${row.top}" width="${at.width}" height="${row.height}" rx="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${box.kind === 'plan' ? 2.5 : 1.3}"${dashed}/>`;
  const top = row.top + (row.height - heightOf(lines)) / 2 + padding / 2 + lineHeight - 4;
  const texts = [box.id, ...lines].map((line, index) => {
    const style = index === 0 ? 'font-size="13" font-weight="600" fill="#222"' : 'fill="#555"';
    return `<text x="${middle}" y="${round(top + index * lineHeight)}" text-anchor="middle" ${style}>${escape(line)}</text>`;
  });
  return [frame, ...texts];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** What XML does not allow at all, such as half of a pair, becomes U+FFFD. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd');
}

/** Where a box, or the bend of an edge that passes a layer, is placed. */
interface Placed {
  /** Index of the box; undefined for a bend. */
  readonly box: number | undefined;
  readonly width: number;
  /** Its middle. */
  x: number;
  readonly layer: number;
}

interface Layout {
  /** Boxes by their index. */
  readonly boxes: readonly Placed[];
  /** Each edge with what it passes, both ends included. */
  readonly routes: readonly (readonly Placed[])[];
  readonly width: number;
}

const gap = 28;
const bendWidth = 12;
/** Beyond this many bends, edges go straight. */
const maxBends = 4_000;
const sweeps = 8;

/**
 * Layers from top to bottom: edges that pass layers get a place in each, the orderRow in a layer follows the
 * neighbours, and then everything moves towards its neighbours as far as there is room.
 */
function layOut({ boxes, layers }: Drawing, widths: readonly number[]): Layout {
  const rows: Placed[][] = Array.from({ length: layers }, () => []);
  const placed = boxes.map((box, index): Placed => ({
    box: index,
    width: widths[index] ?? 0,
    x: 0,
    layer: box.layer,
  }));
  for (const item of placed) rows[item.layer]?.push(item);
  const routes: Placed[][] = [];
  let bends = 0;
  for (const [index, box] of boxes.entries()) {
    for (const need of box.needs) {
      const [from, to] = [placed[need], placed[index]];
      if (!from || !to) continue;
      const route = [from];
      bends += to.layer - from.layer - 1;
      const end = bends <= maxBends ? to.layer : from.layer;
      for (let layer = from.layer + 1; layer < end; layer += 1) {
        const bend: Placed = { box: undefined, width: bendWidth, x: 0, layer };
        rows[layer]?.push(bend);
        route.push(bend);
      }
      routes.push([...route, to]);
    }
  }
  const neighbours = neighboursOf(routes);
  for (const row of rows) spread(row);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed())
      orderRow(row, isDown ? neighbours.above : neighbours.below);
  }
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed())
      pull(row, isDown ? neighbours.above : neighbours.below);
  }
  return { boxes: placed, routes, width: moveToOrigin(rows) };
}

interface Neighbours {
  readonly above: ReadonlyMap<Placed, readonly Placed[]>;
  readonly below: ReadonlyMap<Placed, readonly Placed[]>;
}

function neighboursOf(routes: readonly (readonly Placed[])[]): Neighbours {
  const above = new Map<Placed, Placed[]>();
  const below = new Map<Placed, Placed[]>();
  const add = (map: Map<Placed, Placed[]>, key: Placed, value: Placed): void => {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
  };
  for (const route of routes) {
    for (const [index, item] of route.entries()) {
      const next = route[index + 1];
      if (!next) continue;
      add(below, item, next);
      add(above, next, item);
    }
  }
  return { above, below };
}

/** Side by side, in the middle around 0. */
function spread(row: readonly Placed[]): void {
  const total = row.reduce((sum, item) => sum + item.width + gap, -gap);
  let left = -total / 2;
  for (const item of row) {
    item.x = left + item.width / 2;
    left += item.width + gap;
  }
}

function orderRow(row: Placed[], neighbours: ReadonlyMap<Placed, readonly Placed[]>): void {
  const wanted = new Map(row.map((item) => [item, middleOf(neighbours.get(item)) ?? item.x]));
  row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  spread(row);
}

/** Each goes where its neighbours are; who would overlap is moved together with whom it pushes. */
function pull(row: readonly Placed[], neighbours: ReadonlyMap<Placed, readonly Placed[]>): void {
  const groups: { items: Placed[]; offsets: number[]; sum: number }[] = [];
  for (const item of row) {
    const wanted = middleOf(neighbours.get(item)) ?? item.x;
    let group = { items: [item], offsets: [0], sum: wanted };
    for (let last = groups.at(-1); last && overlaps(last, group); last = groups.at(-1)) {
      groups.pop();
      group = joinGroups(last, group);
    }
    groups.push(group);
  }
  for (const { items, offsets, sum } of groups) {
    const start = sum / items.length;
    for (const [index, item] of items.entries()) item.x = start + (offsets[index] ?? 0);
  }
}

interface Group {
  readonly items: Placed[];
  /** Of the middle of each, from the middle of the first. */
  readonly offsets: number[];
  /** Of where each would like the first to be. */
  readonly sum: number;
}

function overlaps(left: Group, right: Group): boolean {
  return left.sum / left.items.length + distance(left, right) > right.sum / right.items.length;
}

/** From the middle of the first of `left` to that of the first of `right`, side by side. */
function distance(left: Group, right: Group): number {
  const [last, first] = [left.items.at(-1), right.items[0]];
  return (left.offsets.at(-1) ?? 0) + (last?.width ?? 0) / 2 + gap + (first?.width ?? 0) / 2;
}

function joinGroups(left: Group, right: Group): Group {
  const shift = distance(left, right);
  return {
    items: [...left.items, ...right.items],
    offsets: [...left.offsets, ...right.offsets.map((offset) => offset + shift)],
    sum: left.sum + right.sum - shift * right.items.length,
  };
}

function middleOf(items: readonly Placed[] | undefined): number | undefined {
  if (!items || items.length === 0) return undefined;
  return items.reduce((sum, item) => sum + item.x, 0) / items.length;
}

function moveToOrigin(rows: readonly (readonly Placed[])[]): number {
  let [left, right] = [Infinity, -Infinity];
  for (const item of rows.flat()) {
    left = Math.min(left, item.x - item.width / 2);
    right = Math.max(right, item.x + item.width / 2);
  }
  for (const item of rows.flat()) item.x -= left;
  return Math.max(0, right - left);
}
