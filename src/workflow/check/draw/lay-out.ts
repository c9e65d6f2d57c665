import type { Drawing } from './drawing.ts';

/** Where a box, or the bend of an edge that passes a layer, is placed. */
export interface Placed {
  /** Index of the box; undefined for a bend. */
  readonly box: number | undefined;
  readonly width: number;
  /** Its middle. */
  x: number;
  readonly layer: number;
}

export interface Layout {
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
 * Layers from top to bottom: edges that pass layers get a place in each, the order in a layer follows the
 * neighbours, and then everything moves towards its neighbours as far as there is room.
 */
export function layOut({ boxes, layers }: Drawing, widths: readonly number[]): Layout {
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
      order(row, isDown ? neighbours.above : neighbours.below);
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

function order(row: Placed[], neighbours: ReadonlyMap<Placed, readonly Placed[]>): void {
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
      group = join(last, group);
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

function join(left: Group, right: Group): Group {
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
