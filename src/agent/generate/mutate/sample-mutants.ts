import type { Mutant, MutantKind } from './find-mutants.ts';

/** What tells most about tests first. */
const kindOrder: readonly MutantKind[] = [
  'return',
  'condition',
  'boundary',
  'arithmetic',
  'constant',
  'statement',
  'call',
];

/** At most `max` mutants, spread evenly over branches, and over kinds within a branch. The same for the same code. */
export function sampleMutants(mutants: readonly Mutant[], max: number): Mutant[] {
  if (mutants.length <= max) return [...mutants];
  const byBranch = Map.groupBy(mutants, ({ function: name, branch }) => `${name} ${branch}`);
  const queues = [...byBranch.values()].map(interleaveKinds);
  const chosen: Mutant[] = [];
  for (let nth = 0; chosen.length < max; nth += 1) {
    const row = queues.flatMap((queue) => queue[nth] ?? []);
    chosen.push(...row.slice(0, max - chosen.length));
  }
  return chosen;
}

/** The first of each kind, then the second of each kind, and so on. */
function interleaveKinds(mutants: readonly Mutant[]): Mutant[] {
  const seen = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const nth = seen.get(mutant.kind) ?? 0;
    seen.set(mutant.kind, nth + 1);
    return { mutant, nth, kind: kindOrder.indexOf(mutant.kind) };
  });
  return ranked.sort((a, b) => a.nth - b.nth || a.kind - b.kind).map(({ mutant }) => mutant);
}
