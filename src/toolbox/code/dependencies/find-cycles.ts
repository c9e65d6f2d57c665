import type { DependencyReport } from './analyze-dependencies-tool.ts';

/** Neighbours by node, in a stable order. */
export type Adjacency = ReadonlyMap<string, readonly string[]>;

/** Neighbour lists of a graph; nodes without edges are in it too. */
export function adjacencyOf(
  ids: Iterable<string>,
  edges: Iterable<{ readonly from: string; readonly to: string }>,
): Adjacency {
  const next = new Map<string, string[]>([...ids].map((id) => [id, []]));
  for (const { from, to } of edges) next.get(from)?.push(to);
  for (const list of next.values()) list.sort();
  return next;
}

interface Frame {
  readonly id: string;
  next: number;
}

/**
 * Strongly connected components by Tarjan's algorithm with a stack of its own, so that a chain of
 * any length is fine. A component comes after every component it leads to.
 */
export function findComponents(next: Adjacency): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const onPath = new Set<string>();
  const path: string[] = [];
  const components: string[][] = [];
  const enter = (id: string): Frame => {
    order.set(id, order.size);
    low.set(id, order.get(id) ?? 0);
    path.push(id);
    onPath.add(id);
    return { id, next: 0 };
  };
  const lower = (id: string, value: number): void => {
    low.set(id, Math.min(low.get(id) ?? value, value));
  };
  for (const start of next.keys()) {
    if (order.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const target = next.get(frame.id)?.[frame.next];
      frame.next += 1;
      if (target !== undefined) {
        if (!order.has(target)) frames.push(enter(target));
        else if (onPath.has(target)) lower(frame.id, order.get(target) ?? 0);
        continue;
      }
      frames.pop();
      const parent = frames.at(-1);
      if (parent) lower(parent.id, low.get(frame.id) ?? 0);
      if (low.get(frame.id) === order.get(frame.id)) {
        const component = path.splice(path.indexOf(frame.id));
        for (const id of component) onPath.delete(id);
        components.push(component);
      }
    }
  }
  return components;
}

/** A group of modules that import one another in a circle, and one shortest circle among them. */
export type Cycle = DependencyReport['cycles'][number];

/** Components with more than one member, and modules that import themselves; largest first. */
export function findCycles(next: Adjacency): Cycle[] {
  return findComponents(next)
    .filter(([first = '', ...rest]) => rest.length > 0 || next.get(first)?.includes(first))
    .map((component) => {
      const members = component.toSorted();
      return { members, shortest: shortestCycle(members, next) };
    })
    .sort(
      (a, b) =>
        b.members.length - a.members.length ||
        ((a.members[0] ?? '') < (b.members[0] ?? '') ? -1 : 1),
    );
}

/** Starts at which the shortest circle is looked for; the bound keeps huge components cheap. */
const maxStarts = 50;

function shortestCycle(members: readonly string[], next: Adjacency): string[] {
  const inside = new Set(members);
  let best: string[] | undefined;
  for (const start of members.slice(0, maxStarts)) {
    const found = cycleThrough(start, inside, next);
    if (found && (!best || found.length < best.length)) best = found;
    if (best && best.length <= 2) break;
  }
  return best ?? [...members];
}

function cycleThrough(
  start: string,
  inside: ReadonlySet<string>,
  next: Adjacency,
): string[] | undefined {
  const parent = new Map<string, string>();
  const queue = [start];
  for (const id of queue) {
    for (const target of next.get(id) ?? []) {
      if (target === start) {
        const cycle: string[] = [];
        for (let at: string | undefined = id; at !== undefined; at = parent.get(at))
          cycle.unshift(at);
        return cycle;
      }
      if (!inside.has(target) || parent.has(target)) continue;
      parent.set(target, id);
      queue.push(target);
    }
  }
  return undefined;
}
