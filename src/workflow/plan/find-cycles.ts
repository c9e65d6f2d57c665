/** Circles in "needs", each as the indexes on it, one per tangle. Takes time linear in the edges. */
export function findCycles(
  steps: readonly { readonly needs: readonly number[] }[],
): readonly (readonly number[])[] {
  const tangled = withoutOrdered(steps);
  const cycles: number[][] = [];
  const visitedBy = new Map<number, number>();
  for (const start of tangled) {
    const walk: number[] = [];
    let at: number | undefined = start;
    // Each step that is left needs another that is left, so the walk meets itself or an earlier one.
    while (at !== undefined && !visitedBy.has(at)) {
      visitedBy.set(at, start);
      walk.push(at);
      at = steps[at]?.needs.find((need) => tangled.has(need));
    }
    if (at !== undefined && visitedBy.get(at) === start) cycles.push(walk.slice(walk.indexOf(at)));
  }
  return cycles;
}

/** The steps that are on a circle or come after one. */
function withoutOrdered(
  steps: readonly { readonly needs: readonly number[] }[],
): ReadonlySet<number> {
  const missing = steps.map(({ needs }) => needs.length);
  const neededBy: number[][] = steps.map(() => []);
  for (const [index, { needs }] of steps.entries()) {
    for (const need of needs) neededBy[need]?.push(index);
  }
  const ready = missing.flatMap((count, index) => (count === 0 ? [index] : []));
  const tangled = new Set(steps.keys());
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    tangled.delete(index);
    for (const next of neededBy[index] ?? []) {
      const left = (missing[next] ?? 0) - 1;
      missing[next] = left;
      if (left === 0) ready.push(next);
    }
  }
  return tangled;
}
