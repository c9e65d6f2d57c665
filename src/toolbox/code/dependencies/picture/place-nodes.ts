import { layerNodes } from './layer-nodes.ts';
import type { Picture } from './picture-graph.ts';

/** A box to draw, or a bend (`id` undefined) through which a long edge passes its layer. */
export interface Slot {
  readonly id: string | undefined;
  readonly layer: number;
  readonly height: number;
  y: number;
  readonly neighbours: Slot[];
}

/** An edge with the bends it passes, in order from its importer. */
export interface Route {
  readonly from: string;
  readonly to: string;
  readonly bends: readonly Slot[];
}

export interface Placement {
  readonly slots: ReadonlyMap<string, Slot>;
  readonly routes: readonly Route[];
  readonly layers: number;
  readonly height: number;
}

const boxHeight = 24;
const bendHeight = 6;
const gap = 10;
/** Beyond this many bends long edges are drawn straight: the picture is crowded anyway. */
const maxBends = 2_000;
const sweeps = 12;

/** Layered placement: bends for long edges, crossings lowered by barycentres, then heights settled. */
export function placeNodes(picture: Picture): Placement {
  const ids = picture.nodes.map(({ id }) => id);
  const between = picture.edges.filter(({ from, to }) => from !== to);
  const layerOf = layerNodes(ids, between);
  const columns: Slot[][] = [];
  const addSlot = (id: string | undefined, layer: number): Slot => {
    const height = id === undefined ? bendHeight : boxHeight;
    const slot = { id, layer, height, y: 0, neighbours: [] };
    (columns[layer] ??= []).push(slot);
    return slot;
  };
  const slots = new Map(ids.map((id) => [id, addSlot(id, layerOf.get(id) ?? 0)]));
  const routes = routeEdges(between, slots, addSlot);
  const filled = Array.from(columns, (column) => column ?? []);
  for (const column of filled) stack(column);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const column of sweep % 2 === 0 ? filled : filled.toReversed()) {
      orderByNeighbours(column);
      stack(column);
    }
  }
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const column of sweep % 2 === 0 ? filled : filled.toReversed()) settle(column);
  }
  return { slots, routes, layers: filled.length, height: normalize(filled.flat()) };
}

function routeEdges(
  edges: readonly { readonly from: string; readonly to: string }[],
  slots: ReadonlyMap<string, Slot>,
  addBend: (id: undefined, layer: number) => Slot,
): Route[] {
  let bendCount = 0;
  return edges.map(({ from, to }) => {
    const [start, end] = [slots.get(from), slots.get(to)];
    if (!start || !end) return { from, to, bends: [] };
    const step = Math.sign(end.layer - start.layer);
    const bends: Slot[] = [];
    const between = Math.max(Math.abs(end.layer - start.layer) - 1, 0);
    for (let index = 1; index <= between && bendCount < maxBends; index += 1) {
      bendCount += 1;
      bends.push(addBend(undefined, start.layer + step * index));
    }
    const chain = [start, ...bends, end];
    for (let index = 1; index < chain.length; index += 1) {
      const [left, right] = [chain[index - 1], chain[index]];
      if (!left || !right) continue;
      left.neighbours.push(right);
      right.neighbours.push(left);
    }
    return { from, to, bends };
  });
}

/** One below the other, the whole column centred around zero. */
function stack(column: readonly Slot[]): void {
  const total = column.reduce((sum, { height }) => sum + height + gap, -gap);
  let y = -total / 2;
  for (const slot of column) {
    slot.y = y;
    y += slot.height + gap;
  }
}

function orderByNeighbours(column: Slot[]): void {
  const wish = new Map(column.map((slot) => [slot, meanOf(slot)]));
  column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
}

function meanOf(slot: Slot): number {
  if (slot.neighbours.length === 0) return slot.y;
  const sum = slot.neighbours.reduce((total, other) => total + other.y + other.height / 2, 0);
  return sum / slot.neighbours.length - slot.height / 2;
}

/** Moves each slot towards its neighbours, keeping the order: the mean of pushing down and pushing up. */
function settle(column: readonly Slot[]): void {
  const wishes = column.map(meanOf);
  const down: number[] = [];
  column.forEach((slot, index) => {
    const above = column[index - 1];
    const lowest = above ? (down[index - 1] ?? 0) + above.height + gap : -Infinity;
    down.push(Math.max(wishes[index] ?? slot.y, lowest));
  });
  let limit = Infinity;
  for (let index = column.length - 1; index >= 0; index -= 1) {
    const slot = column[index];
    if (!slot) continue;
    const up = Math.min(wishes[index] ?? slot.y, limit - slot.height - gap);
    limit = up;
    slot.y = ((down[index] ?? up) + up) / 2;
  }
}

/** Shifts everything to start at zero; returns the height of the whole. */
function normalize(slots: readonly Slot[]): number {
  let top = Infinity;
  let bottom = -Infinity;
  for (const slot of slots) {
    top = Math.min(top, slot.y);
    bottom = Math.max(bottom, slot.y + slot.height);
  }
  for (const slot of slots) slot.y -= top;
  return slots.length === 0 ? 0 : bottom - top;
}
