import type { Json } from '../../contract/plan/index.ts';
import type { Held, Hole } from '../engine/activity-data.ts';

/**
 * What lies at a path within a value; undefined when nothing does. Only what the value itself holds is
 * found, never what its prototype does; a list has `length`, too.
 */
export function followPath(value: Json, path: readonly (string | number)[]): Json | undefined {
  let found: Json | undefined = value;
  for (const segment of path) {
    found = follow(found, segment);
    if (found === undefined) return undefined;
  }
  return found;
}

/** The same where the value may lie in an artifact: then the path into it becomes longer. */
export function followHeld(held: Held, path: readonly (string | number)[]): Held | undefined {
  if (path.length === 0) return held;
  if ('artifact' in held) return { artifact: held.artifact, path: [...held.path, ...path] };
  if (held.holes !== undefined) return followAround(held.value, held.holes, path);
  const value = followPath(held.value, path);
  return value === undefined ? undefined : { value };
}

/** The path may end above holes, in one, or beside them. */
function followAround(
  value: Json,
  holes: readonly Hole[],
  path: readonly (string | number)[],
): Held | undefined {
  const within: Hole[] = [];
  for (const { at, parts } of holes) {
    const common = commonLength(at, path);
    const [part] = parts;
    if (common === at.length) {
      if (parts.length === 1 && typeof part === 'object')
        return followHeld(part, path.slice(common));
      // A text that is still to be put together has no members.
      return common === path.length ? { value: null, holes: [{ at: [], parts }] } : undefined;
    }
    if (common === path.length) within.push({ at: at.slice(common), parts });
  }
  const found = followPath(value, path);
  if (found === undefined) return undefined;
  return within.length === 0 ? { value: found } : { value: found, holes: within };
}

function commonLength(
  one: readonly (string | number)[],
  other: readonly (string | number)[],
): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function follow(value: Json, segment: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    if (segment === 'length') return value.length;
    return typeof segment === 'number' ? value[segment] : undefined;
  }
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}
