import type { Evidence } from '../../../contract/generation/index.ts';
import type { Branch } from '../mutate/add-probes.ts';

const maxShown = 5;

/** Which branches the probed program tells of in its output. */
export function readBranches(
  all: readonly Branch[],
  output: string,
  sign: string,
): Evidence['branches'] {
  if (all.length === 0) return null;
  const lines = output.split('\n').filter((line) => line.includes(`${sign} `));
  const ran = new Set(lines.flatMap((line) => line.slice(line.indexOf(sign)).trim().split(' ')));
  const missing = all.filter(({ id }) => !ran.has(id));
  return {
    total: all.length,
    run: all.length - missing.length,
    missing: missing.map(({ description }) => description),
  };
}

/** Guards that no test gets to are tolerated up to this part of the branches. */
const mostGuards = 0.1;

/** Why too few branches were run; empty when all were that have to be. */
export function judgeBranches(branches: Evidence['branches'], all: readonly Branch[]): string[] {
  if (branches === null || branches.missing.length === 0) return [];
  const guards = new Set(all.flatMap((one) => (one.isGuard ? [one.description] : [])));
  const areGuards = branches.missing.every((description) => guards.has(description));
  if (areGuards && branches.missing.length <= branches.total * mostGuards) return [];
  const shown = branches.missing.slice(0, maxShown).join('; ');
  return [
    `The tests run ${branches.run} of ${branches.total} branches of the code. Not run: ${shown}.`,
  ];
}
