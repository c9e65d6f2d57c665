import { expect, it } from 'vitest';
import { anAgency } from '../../../testkit/agents/an-agency.ts';
import { agencyTools as tools, anAgent, passing } from '../../../testkit/agents/an-agent.ts';
import { AppError } from '../../kernel/index.ts';

/** Numbers that look random and are the same in every run. */
function aSequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const graphs = process.env['TUTTI_PROOF'] === '1' ? 10_000 : 150;

it(`random agents that delegate to each other all end, and none exceeds a limit (${graphs} graphs)`, async () => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= graphs; seed += 1) {
    const random = aSequence(seed);
    const count = 2 + random(7);
    const files = Array.from({ length: count }, (_, index) => {
      const steps = Array.from({ length: random(5) }, (_step, number) => {
        const other = `n${random(count)}`;
        const kinds = [
          'exec.run_tests',
          { agent: other },
          { agent: other },
          { capability: 'things.do' },
        ];
        return [`s${number}`, kinds[random(kinds.length)] ?? 'exec.run_tests'] as const;
      });
      const limits = `limits: { depth: ${random(4)}, calls: ${1 + random(30)} }`;
      return anAgent(`n${index}`, Object.fromEntries([['own', 'exec.run_tests'], ...steps]), [
        limits,
      ]);
    });
    const limits = {
      depth: 1 + random(3),
      hops: 1 + random(20),
      calls: 1 + random(60),
      attempts: 1 + random(3),
    };
    const agency = anAgency({ files, tools, behave: passing, limits });
    const ended = await agency.delegate({ agent: 'n0' }).then(
      ({ verdict }) => verdict,
      (error: unknown) => (error instanceof AppError ? error.code : 'bug'),
    );
    outcomes.set(ended, (outcomes.get(ended) ?? 0) + 1);
    const { rows } = agency.store;
    expect(
      rows.every(({ verdict }) => verdict !== 'running'),
      `seed ${seed}`,
    ).toBe(true);
    expect(agency.calls.length, `seed ${seed}`).toBeLessThanOrEqual(limits.calls);
    expect(Math.max(...agency.calls.map(({ chain }) => chain.length), 0)).toBeLessThanOrEqual(
      limits.depth,
    );
    for (const { chain } of agency.calls) expect(new Set(chain).size).toBe(chain.length);
    const tasks = new Set(rows.map(({ key }) => key)).size;
    expect(tasks, `seed ${seed}`).toBeLessThanOrEqual(limits.hops);
  }
  expect([...outcomes.keys()].sort()).toEqual(['done', 'failed']);
}, 300_000);
