import { describe, expect, it } from 'vitest';
import { anAgency, type Behave } from '../../../testkit/agents/an-agency.ts';
import { anAgentFile } from '../../../testkit/agents/an-agent-file.ts';
import {
  agencyTools as tools,
  anAgent,
  codeOf,
  passing,
} from '../../../testkit/agents/an-agent.ts';
import { MemoryDelegationStore } from '../../../testkit/agents/memory-delegation-store.ts';
import { PaidModels, pieceTokens, tokenUsd } from '../../../testkit/agents/paid-models.ts';
import { agentBudgetMetaKey } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { idempotencyMetaKey } from '../../contract/tool/index.ts';
import type { ModelLoop } from './run-attempt.ts';

const withModel = (name: string, lines: readonly string[] = []) =>
  anAgentFile([`name: ${name}`, 'criteria: [tests_pass]', 'tools: ["*.*"]', ...lines], {
    path: `${name}.md`,
  });

/** A loop whose model writes so many pieces in so many rounds, and then breaks. */
function aSpender(models: PaidModels, { pieces = 1, rounds = 1 } = {}) {
  const seen: { rounds: number; tokens: number }[] = [];
  const loop: Partial<ModelLoop> = {
    isThere: async () => true,
    run: async ({ budget, caller, onRound }) => {
      const one = { rounds: 0, tokens: budget.tokens };
      seen.push(one);
      for (; one.rounds < rounds; one.rounds += 1) {
        await onRound();
        await models.ask({ caller, meta: { [agentBudgetMetaKey]: budget } }, pieces);
      }
      throw new Error('the model broke');
    },
  };
  return { loop, seen };
}

async function spentAtAll(models: PaidModels, root: string) {
  const [spent] = await models.spentBy(localCaller, [root]);
  return spent ?? { tokens: 0, usd: 0 };
}

const key = 'run-0:step:0';
const meta = { [idempotencyMetaKey]: key };

describe('a budget of a task', () => {
  it.each([
    ['tokens', { tokens: 100 }, 100],
    ['money', { moneyUsd: 100 * tokenUsd }, 100],
  ] as const)(
    'of %s is shared by an agent and those that follow it',
    async (_unit, limits, max) => {
      const models = new PaidModels();
      const { loop, seen } = aSpender(models, { pieces: 6 });
      const files = ['a', 'b', 'c'].map((name) => withModel(name));
      const agency = anAgency({ files, tools, behave: passing, loop, models, limits });
      const result = await agency.delegate({ capability: 'things.do' }, { meta });
      expect(result.verdict).toBe('failed');
      const { tokens } = await spentAtAll(models, key);
      expect(tokens).toBeGreaterThanOrEqual(60);
      expect(tokens).toBeLessThan(max + 2 * pieceTokens);
      expect(seen.length).toBeLessThanOrEqual(2);
      expect(result.summary).toMatch(/No other agent began: The limit of (tokens|money)/);
    },
  );

  it('of rounds is shared by an agent and those that follow it', async () => {
    const models = new PaidModels();
    const { loop, seen } = aSpender(models, { rounds: 4 });
    const files = ['a', 'b', 'c'].map((name) => withModel(name));
    const agency = anAgency({ files, tools, behave: passing, loop, models, limits: { rounds: 5 } });
    await agency.delegate({ capability: 'things.do' }, { meta });
    expect(seen.map(({ rounds }) => rounds)).toEqual([4, 1]);
  });

  it('is shared by the agents that one agent began', async () => {
    const models = new PaidModels();
    const { loop } = aSpender(models, { pieces: 6 });
    const limits = { tokens: 10_000 };
    const steps = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { agent: name }]));
    const files = [
      anAgent('only', steps, ['limits: { depth: 2, tokens: 100 }']),
      ...['a', 'b', 'c'].map((name) => withModel(name)),
    ];
    const agency = anAgency({ files, tools, behave: passing, loop, models, limits });
    await agency.delegate({ agent: 'only' }, { meta });
    const { tokens } = await spentAtAll(models, key);
    // Those that write at the same time each stop at the piece that is too much.
    expect(tokens).toBeLessThan(100 + 4 * pieceTokens);
  });

  it('holds for models that tools ask for a procedure', async () => {
    const models = new PaidModels();
    const behave: Behave = async (_tool, _args, context) => {
      await models.ask(context, 50);
      return { passed: 1, failed: 0 };
    };
    const files = [anAgent('only', { a: 'exec.run_tests' }, ['limits: { tokens: 100 }'])];
    const agency = anAgency({ files, tools, behave, models, limits: { moneyUsd: 100 } });
    expect(await agency.delegate({ agent: 'only' }, { meta })).toMatchObject({
      verdict: 'failed',
      summary: expect.stringContaining('100 tokens'),
    });
    expect((await spentAtAll(models, key)).tokens).toBeLessThan(100 + 2 * pieceTokens);
  });

  it('goes on where it was after a crash: tokens, rounds and calls', async () => {
    const models = new PaidModels();
    const store = new MemoryDelegationStore();
    const { loop, seen } = aSpender(models, { pieces: 2, rounds: 3 });
    const limits = { tokens: 1_000, rounds: 4, calls: 5 };
    const again = async (files: Parameters<typeof anAgency>[0]['files'], agent: string) => {
      const agency = anAgency({ files, tools, behave: passing, loop, models, limits, store });
      const ended = await codeOf(
        agency.delegate({ agent }, { meta: { [idempotencyMetaKey]: agent } }),
      );
      for (const [index, row] of store.rows.entries())
        store.rows[index] = { ...row, verdict: 'running', result: null, endedAtMs: null };
      return { ended, calls: agency.calls.length };
    };
    await again([withModel('loops')], 'loops');
    await again([withModel('loops')], 'loops');
    expect(seen.map(({ rounds }) => rounds)).toEqual([3, 1]);
    const calling = [
      anAgent('calls', { a: 'exec.run_tests', b: 'exec.run_tests', c: 'exec.run_tests' }),
    ];
    expect((await again(calling, 'calls')).calls).toBe(3);
    expect((await again(calling, 'calls')).calls).toBe(2);
  });

  it('is what the chooser is told as the cost, tools and agents below included', async () => {
    const models = new PaidModels();
    const behave: Behave = async (_tool, _args, context) => {
      await models.ask(context, 5);
      return { passed: 1, failed: 0 };
    };
    const files = [
      anAgent('only', { a: 'exec.run_tests', b: { agent: 'below' } }, ['limits: { depth: 2 }']),
      anAgent('below', { a: 'exec.run_tests' }),
      anAgent('free', { a: 'code.scan_secrets' }, ['criteria: [ran]']),
    ];
    const paying: Behave = (tool, ...given) =>
      tool === 'exec.run_tests' ? behave(tool, ...given) : { findings_total: 0 };
    const agency = anAgency({ files, tools, behave: paying, models });
    for (const agent of ['only', 'free']) await agency.delegate({ agent });
    const costs = agency.recorded.map(({ costUsd }) => costUsd);
    const [below = 0, whole = 0, free] = costs;
    expect(below).toBeGreaterThan(4 * pieceTokens * tokenUsd);
    expect(whole).toBeCloseTo(2 * below, 2);
    expect(free).toBe(0);
  });
});
