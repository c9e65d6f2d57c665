import type { Json } from '../../contract/plan/index.ts';
import type { Held, Hole, Resolved } from '../engine/activity-data.ts';

type Place = readonly (string | number)[];

/** A list of what the elements gave; null where there is nothing. */
export function listOf(elements: readonly (Held | undefined)[]): Resolved {
  const holes: Hole[] = [];
  const value = elements.map((held, index) =>
    held === undefined ? null : put(held, [index], holes),
  );
  return holes.length === 0 ? { value } : { value, holes };
}

/** An object of what there is, by name. */
export function recordOf(members: readonly (readonly [name: string, held: Held])[]): Resolved {
  const holes: Hole[] = [];
  const value = Object.fromEntries(members.map(([name, held]) => [name, put(held, [name], holes)]));
  return holes.length === 0 ? { value } : { value, holes };
}

/** Gives what stands at the place, and notes what is to be filled in there. */
function put(held: Held, at: Place, holes: Hole[]): Json {
  if ('artifact' in held) {
    holes.push({ at, parts: [held] });
    return null;
  }
  for (const hole of held.holes ?? []) holes.push({ at: [...at, ...hole.at], parts: hole.parts });
  return held.value;
}

/** The elements a `forEach` goes over, one at a time, without loading any. */
export interface ItemList {
  readonly count: number;
  at(index: number): Held;
}

export function itemsOfValue(list: readonly Json[], holes: readonly Hole[]): ItemList {
  if (holes.length === 0)
    return { count: list.length, at: (index) => ({ value: list[index] ?? null }) };
  const byIndex = Map.groupBy(holes, (hole) => hole.at[0]);
  return {
    count: list.length,
    at: (index) => {
      const own = byIndex.get(index) ?? [];
      const whole = own.find((hole) => hole.at.length === 1)?.parts;
      const [part] = whole ?? [];
      if (whole?.length === 1 && part !== undefined && typeof part !== 'string') return part;
      const value = list[index] ?? null;
      if (own.length === 0) return { value };
      return { value, holes: own.map((hole) => ({ at: hole.at.slice(1), parts: hole.parts })) };
    },
  };
}

export function itemsOfPlace(list: Extract<Held, { artifact: unknown }>, count: number): ItemList {
  return {
    count,
    at: (index) => ({ artifact: list.artifact, path: [...list.path, index] }),
  };
}
