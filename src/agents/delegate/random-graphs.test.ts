import { expect, it } from 'vitest';
import { anAgency, type Behave } from '../../../testkit/agents/an-agency.ts';
import { anAgentFile } from '../../../testkit/agents/an-agent-file.ts';
import { agencyTools as tools, anAgent } from '../../../testkit/agents/an-agent.ts';
import { PaidModels, pieceTokens, tokenUsd } from '../../../testkit/agents/paid-models.ts';
import { ManualTimers } from '../../../testkit/fleet/manual-timers.ts';
import { agentBudgetMetaKey } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { ModelLoop } from './run-attempt.ts';

/** Numbers that look random and are the same in every run. */
function aSequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

type Random = ReturnType<typeof aSequence>;

/** Agents that call tools, one another or a model. */
function someAgents(random: Random) {
  const count = 2 + random(7);
  return Array.from({ length: count }, (_, index) => {
    const limits =
      `limits: { depth: ${random(4)}, calls: ${1 + random(30)}, rounds: ${1 + random(6)}, ` +
      `tokens: ${50 + random(400)}, money_usd: ${(1 + random(300)) * tokenUsd}, minutes: ${1 + random(10)} }`;
    if (index > 0 && random(3) === 0) {
      const lines = [`name: n${index}`, 'tools: ["*.*"]', 'criteria: [tests_pass]', limits];
      return anAgentFile(lines, { path: `n${index}.md` });
    }
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
    return anAgent(`n${index}`, Object.fromEntries([['own', 'exec.run_tests'], ...steps]), [
      limits,
    ]);
  });
}

/** Tools and models that work, spend, fail or hang. */
function aWorld(random: Random, models: PaidModels) {
  let rounds = 0;
  const behave: Behave = async (_tool, _args, context) => {
    const what = random(12);
    if (what === 0) throw new Error('it broke');
    if (what === 1) return new Promise(() => {});
    if (what < 5) await models.ask(context, 1 + random(10));
    return { passed: 3, failed: 0 };
  };
  const loop: Partial<ModelLoop> = {
    isThere: async () => true,
    run: async ({ budget, caller, onRound, signal }) => {
      const meta = { [agentBudgetMetaKey]: budget };
      for (let left = 1 + random(8); left > 0; left -= 1) {
        await onRound();
        rounds += 1;
        await models.ask({ caller, meta }, 1 + random(8));
      }
      if (random(6) === 0)
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      return { answer: 'Done.', isAnswered: random(2) === 0 };
    },
  };
  return { behave, loop, rounds: () => rounds };
}

async function play(seed: number) {
  const random = aSequence(seed);
  const models = new PaidModels();
  const files = someAgents(random);
  const { behave, loop, rounds } = aWorld(random, models);
  const limits = {
    depth: 1 + random(3),
    hops: 1 + random(20),
    calls: 1 + random(60),
    attempts: 1 + random(3),
    rounds: 1 + random(12),
    tokens: 50 + random(800),
    moneyUsd: (50 + random(800)) * tokenUsd,
    minutes: 1 + random(20),
  };
  const timers = new ManualTimers();
  const beganMs = timers.now();
  const agency = anAgency({ files, tools, behave, loop, models, limits, timers });
  const end: { outcome?: string; afterMs: number } = { afterMs: 0 };
  void agency
    .delegate({ agent: 'n0' })
    .then(
      ({ verdict }) => verdict,
      (error: unknown) => (error instanceof AppError ? error.code : `bug: ${String(error)}`),
    )
    .then((outcome) => {
      end.outcome = outcome;
      end.afterMs = timers.now() - beganMs;
    });
  for (let minute = 0; minute < 60 && end.outcome === undefined; minute += 1)
    await timers.pass(60_000);
  const root = agency.store.rows[0]?.root ?? '';
  const [spent = { tokens: 0, usd: 0 }] = await models.spentBy(localCaller, [root]);
  return { ended: end.outcome, endedMs: end.afterMs, spent, rounds: rounds(), agency, limits };
}

const graphs = process.env['TUTTI_PROOF'] === '1' ? 10_000 : 150;

it(`random agents that fail, hang, spend and delegate all end, and none exceeds a limit (${graphs} graphs)`, async () => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= graphs; seed += 1) {
    const { ended, endedMs, spent, rounds, agency, limits } = await play(seed);
    const at = `seed ${seed}`;
    expect(ended, at).toMatch(/^(done|unproven|failed|agents\.\w+)$/);
    outcomes.set(ended ?? '', (outcomes.get(ended ?? '') ?? 0) + 1);
    const { rows } = agency.store;
    expect(
      rows.filter(({ verdict }) => verdict === 'running').map(({ key }) => key),
      at,
    ).toEqual([]);
    expect(endedMs, at).toBeLessThanOrEqual(limits.minutes * 60_000);
    expect(agency.calls.length, at).toBeLessThanOrEqual(limits.calls);
    expect(rounds, at).toBeLessThanOrEqual(limits.rounds);
    // Models that write at the same time each stop at the piece that is too much.
    const slack = pieceTokens * 2 * Math.max(rows.length, agency.calls.length);
    expect(spent.tokens, at).toBeLessThan(limits.tokens + slack);
    expect(spent.usd, at).toBeLessThan(limits.moneyUsd + slack * tokenUsd);
    expect(Math.max(...agency.calls.map(({ chain }) => chain.length), 0)).toBeLessThanOrEqual(
      limits.depth,
    );
    for (const { chain } of agency.calls) expect(new Set(chain).size).toBe(chain.length);
    const tasks = new Set(rows.map(({ key }) => key)).size;
    expect(tasks, at).toBeLessThanOrEqual(limits.hops);
  }
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['done', 'failed']));
}, 1_800_000);
