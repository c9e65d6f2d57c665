import {
  CallCounter,
  createAgents,
  type AgentFile,
  type ModelLoop,
} from '../../src/agents/index.ts';
import {
  agentBudgetMetaKey,
  type Agents,
  type AgentVersions,
  type Chooser,
  type DelegateRequest,
  type DelegationResult,
  type Outcome,
} from '../../src/contract/agents/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { Json } from '../../src/contract/plan/index.ts';
import type { CallContext } from '../../src/contract/server/index.ts';
import { silentLog, systemTimers, type Timers } from '../../src/kernel/index.ts';
import { aCallContext } from '../toolbox/call-context.ts';
import { chooseByHealth } from './choose-by-health.ts';
import { MemoryDelegationStore } from './memory-delegation-store.ts';
import { PaidModels } from './paid-models.ts';
import { ParallelRuns, UnknownFakeRunError } from './parallel-runs.ts';

/** What a tool gives; throws where it fails. */
export type Behave = (
  tool: string,
  args: Readonly<Record<string, Json>>,
  context: Pick<CallContext, 'signal' | 'caller' | 'meta'>,
) => unknown;

type Limits = Parameters<typeof createAgents>[0]['limits'];

interface AgencyOptions {
  readonly files: readonly AgentFile[];
  readonly tools: readonly string[];
  readonly behave: Behave;
  readonly timers?: Timers;
  readonly loop?: Partial<ModelLoop>;
  readonly limits?: Partial<Limits>;
  readonly currentVersions?: ReadonlyMap<string, readonly string[]>;
  /** Thrown in place of starting a run. */
  readonly startError?: Error;
  /** In place of one that learns nothing. */
  readonly chooser?: Chooser;
  /** What tools and loops ask. */
  readonly models?: PaidModels;
  /** Of a process that died. */
  readonly store?: MemoryDelegationStore;
}

export interface Agency {
  readonly agents: Agents;
  readonly store: MemoryDelegationStore;
  /** Every call of a tool that was let through, with the chain of agents it was made for. */
  readonly calls: readonly { readonly tool: string; readonly chain: readonly string[] }[];
  readonly cancelled: readonly string[];
  /** What the chooser was told. */
  readonly recorded: readonly Outcome[];
  close(): Promise<void>;
  delegate(
    request: Partial<DelegateRequest>,
    context?: Partial<CallContext>,
  ): Promise<DelegationResult>;
}

const usualLimits: Limits = {
  depth: 3,
  rounds: 8,
  calls: 40,
  tokens: 1_000,
  moneyUsd: 1,
  minutes: 10,
  hops: 20,
  attempts: 3,
};

/** Agents whose runs are carried out at once, in memory. */
export function anAgency(options: AgencyOptions): Agency {
  const { store = new MemoryDelegationStore(), models = new PaidModels() } = options;
  const calls: { tool: string; chain: readonly string[] }[] = [];
  const counter = new CallCounter(store, options.timers ?? systemTimers);
  const runs = new ParallelRuns(async (tool, args, context) => {
    await counter.take(context, tool);
    calls.push({ tool, chain: chainOf(context.meta) });
    if (tool !== 'agent.delegate') return options.behave(tool, args, context);
    // Steps hold the arguments of the tool.
    const result = await agents.delegate(args as unknown as DelegateRequest, context);
    if (unsuccessful.includes(result.verdict)) throw new Error(result.summary);
    return result;
  });
  const recorded: Outcome[] = [];
  const chooser: Chooser = {
    ...(options.chooser ?? chooseByHealth()),
    record: async (caller, outcome) => {
      recorded.push(outcome);
      await options.chooser?.record(caller, outcome);
    },
  };
  const { spentBy } = models;
  const agents = createAgents({ ...partsOf(options, runs), chooser, store, spentBy });
  return {
    agents,
    store,
    calls,
    cancelled: runs.cancelled,
    recorded,
    close: () => agents.close(),
    delegate: ({ task = 'Do the thing', ...request }, context = {}) =>
      agents.delegate({ ...request, task }, aCallContext({ caller: localCaller, ...context })),
  };
}

const unsuccessful: readonly string[] = ['failed', 'refused', 'cancelled'];
const nothing = (): Promise<never> => Promise.reject(new UnknownFakeRunError('not in memory'));
const noVersions: AgentVersions = {
  start: nothing,
  compare: nothing,
  decide: async () => [],
  rollback: nothing,
  status: async () => [],
};

function partsOf(
  options: AgencyOptions,
  runs: ParallelRuns,
): Omit<Parameters<typeof createAgents>[0], 'store' | 'chooser' | 'spentBy'> {
  const { files, tools, timers = systemTimers, loop, limits, startError } = options;
  return {
    files: async () => ({ files, notes: [] }),
    checks: {
      tools: async () => tools,
      servers: async () => [...new Set(tools.map((tool) => tool.split('.')[0] ?? ''))],
      checkPlan: async () => ({ ok: true, errors: [], warnings: [], edges: [], optimizations: [] }),
    },
    findTool: async (name) => ({
      name,
      inputSchema: {},
      annotations: { readOnlyHint: !name.includes('change') },
    }),
    currentVersions: async () => options.currentVersions ?? new Map(),
    versions: noVersions,
    workflows: {
      start: async (caller, run) => {
        if (startError) throw startError;
        return runs.start(caller, run);
      },
      cancel: async (_caller, runId) => void runs.cancelled.push(runId),
      show: nothing,
    },
    follow: (runId, { signal }) => runs.follow(runId, signal),
    loop: { isThere: async () => false, run: nothing, ...loop },
    isOwnTool: (tool) => !tool.startsWith('foreign.'),
    timers,
    limits: { ...usualLimits, ...limits },
    toolsFor: async ({ scopes }) => tools.filter((tool) => scopes?.includes(tool) ?? true),
    project: async () => 'shop',
    pinContext: async (_caller, { ref }) => `pinned-${ref}`,
    pastRuns: async () => [],
    pathExists: () => false,
    projectPaths: async () => [],
    showRun: nothing,
    writeFile: async (name) => name,
    log: silentLog,
  };
}

function chainOf(meta: Readonly<Record<string, unknown>>): readonly string[] {
  return Object(meta[agentBudgetMetaKey]).chain ?? [];
}
