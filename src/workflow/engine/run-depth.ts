/** Where calls of a run say how deep it is: a run started by a step of a run is one deeper. */
export const depthMetaKey = 'tutti/runDepth';

/** From 0, for a run that no step of another run started. */
export function runDepth(meta: Readonly<Record<string, unknown>>): number {
  const depth = meta[depthMetaKey];
  return typeof depth === 'number' && Number.isInteger(depth) && depth >= 0 ? depth : 0;
}
