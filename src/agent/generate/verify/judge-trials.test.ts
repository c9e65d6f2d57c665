import { expect, it } from 'vitest';
import type { Branch } from '../mutate/add-probes.ts';
import { judgeBranches, readBranches } from './judge-trials.ts';

/** Ten branches, of which some are guards. */
function tenBranches(...guards: number[]): Branch[] {
  return Array.from({ length: 10 }, (_, number) => ({
    id: `${number}+`,
    description: `branch ${number}`,
    isGuard: guards.includes(number),
  }));
}

function judge(all: readonly Branch[], ...missing: number[]): string[] {
  const ran = all.filter((_one, number) => !missing.includes(number)).map(({ id }) => id);
  return judgeBranches(readBranches(all, `noise\nSIGN ${ran.join(' ')}\n`, 'SIGN'), all);
}

it('is content when every branch was run', () => {
  expect(judge(tenBranches())).toEqual([]);
  expect(judge([])).toEqual([]);
});

it('names what was not run', () => {
  expect(judge(tenBranches(), 3, 4)).toEqual([
    'The tests run 8 of 10 branches of the code. Not run: branch 3; branch 4.',
  ]);
});

it('tolerates one guard in ten branches, and nothing beside it', () => {
  expect(judge(tenBranches(3), 3)).toEqual([]);
  expect(judge(tenBranches(3, 4), 3, 4)).toHaveLength(1);
  expect(judge(tenBranches(3), 3, 4)).toHaveLength(1);
  expect(judge(tenBranches(3).slice(0, 9), 3)).toHaveLength(1);
});
