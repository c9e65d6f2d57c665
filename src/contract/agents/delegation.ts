import { z } from 'zod';
import type { Caller } from '../caller/index.ts';
import type { ModelLimit } from '../model/index.ts';
import type { Json } from '../plan/index.ts';
import type { CallContext } from '../server/index.ts';
import type { AgentVersions } from './versions.ts';
import type { AgentDefinition, AgentProblem, ShownAgent } from './definition.ts';

/** Where a call of an agent carries what its caller leaves it: `_meta[agentBudgetMetaKey]`. */
export const agentBudgetMetaKey = 'tutti/agentBudget';

/** What is left of the limits of a task. Each hop gets the smaller of this and the agent's own; nothing makes it larger. */
export const agentBudgetSchema = z.strictObject({
  /** The task that a person or client began. */
  root: z.string().max(200),
  /**
   * This task and those it is a part of, the first one first, each with what it and all below it may use: attempts,
   * siblings and processes that go on after a crash share it. What a run of an older Tutti left out has no limit.
   */
  tasks: z
    .array(
      z.strictObject({
        id: z.string().max(300),
        calls: z.int().min(0),
        rounds: z.int().min(0).optional(),
        tokens: z.int().min(0).optional(),
        moneyUsd: z.number().min(0).optional(),
      }),
    )
    .max(16),
  /** The agents of those tasks. */
  chain: z.array(z.string().max(64)).max(16),
  depth: z.int().min(0).max(16),
  rounds: z.int().min(0),
  calls: z.int().min(0),
  tokens: z.int().min(0),
  moneyUsd: z.number().min(0),
  /** Milliseconds since the epoch. */
  deadlineMs: z.number(),
  /** `server.tool`, all that may be called. */
  tools: z.array(z.string()).max(5_000),
});
export type AgentBudget = z.output<typeof agentBudgetSchema>;

/** Names what the models of a task and of all below it used. */
export function taskSpendingScope(id: string): string {
  return `agent:${id}`;
}

/** What a call on behalf of an agent may use of models; nothing for other calls. */
export function modelLimitsOf(meta: Readonly<Record<string, unknown>>): readonly ModelLimit[] {
  const { data } = agentBudgetSchema.safeParse(meta[agentBudgetMetaKey]);
  return (data?.tasks ?? []).map(({ id, tokens, moneyUsd }) => ({
    scope: taskSpendingScope(id),
    ...(tokens !== undefined && { tokens }),
    ...(moneyUsd !== undefined && { usd: moneyUsd }),
  }));
}

/**
 * done: seen in the outputs of our tools · unproven: it ended, and the evidence is missing · waiting: for a person ·
 * failed, refused, cancelled: it ended without a result.
 */
export const verdicts = ['done', 'unproven', 'waiting', 'failed', 'refused', 'cancelled'] as const;
export type Verdict = (typeof verdicts)[number];

const finding = z.object({
  step: z.string(),
  tool: z.string(),
  count: z.int(),
  top: z.array(z.string()),
});
const change = z.object({ step: z.string(), id: z.string(), files: z.array(z.string()) });
const evidence = z.object({
  kind: z.enum(['tests', 'verified', 'unverified', 'findings', 'change', 'ran']),
  step: z.string(),
  tool: z.string(),
  text: z.string(),
});
const attempt = z.object({
  agent: z.string(),
  version: z.string(),
  run_id: z.string().nullable(),
  verdict: z.enum(verdicts),
  error: z.string().nullable(),
});

export const delegationResultSchema = z.object({
  summary: z.string(),
  findings: z.array(finding),
  changes: z.array(change),
  artifacts: z.array(z.object({ step: z.string(), id: z.string(), bytes: z.int() })),
  evidence: z.array(evidence),
  verdict: z.enum(verdicts),
  confidence: z.number().min(0).max(1),
  agent: z.string().nullable(),
  version: z.string().nullable(),
  run_id: z.string().nullable(),
  made_by: z.enum(['procedure', 'model']).nullable(),
  output: z.json().describe('What the run returned.'),
  missing: z.array(z.string()).describe('What keeps it from being done.'),
  attempts: z.array(attempt),
});
export type DelegationResult = z.output<typeof delegationResultSchema>;
export type Evidence = z.output<typeof evidence>;

export interface DelegateRequest {
  /** The name of an agent; or `capability`. */
  readonly agent?: string;
  readonly capability?: string;
  readonly version?: string;
  readonly task: string;
  readonly inputs?: Readonly<Record<string, Json>>;
  /** A version of a context; all agents of a task get the same text. */
  readonly context?: string;
}

/** One decision about who does a task, with what became of it. */
export interface ExplainedDelegation {
  readonly key: string;
  readonly attempt: number;
  readonly agent: string;
  readonly version: string;
  readonly capability: string;
  readonly task: string;
  /** Candidates with criteria and scores, propensity, reason. */
  readonly decision: Json;
  readonly parentRun: string | null;
  readonly parentStep: string | null;
  readonly runId: string | null;
  readonly verdict: Verdict | 'running';
  readonly error: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly children: readonly ExplainedDelegation[];
}

/** What a person said of work: `feedback` is an opinion, `person` a decision to take it or not. */
export interface Judgement {
  readonly about: { readonly kind: 'run' | 'change'; readonly id: string };
  readonly isGood: boolean;
  readonly evidence: 'feedback' | 'person';
}

/** A request as a plan of agents and tools. */
export interface DecomposedTask {
  readonly template: string;
  readonly why: string;
  readonly plan: Json;
  readonly estimate: {
    readonly steps: number;
    readonly seconds: number;
    readonly from: 'history' | 'defaults';
  };
  readonly questions: readonly string[];
}

export interface ProposedAgent {
  readonly name: string;
  readonly text: string;
  /** The runs it was made from. */
  readonly runs: readonly {
    readonly runId: string;
    readonly status: string;
    readonly goal: string | null;
  }[];
  readonly shape: readonly string[];
}

export interface AddedAgents {
  readonly added: readonly {
    readonly name: string;
    readonly version: string;
    readonly file: string;
  }[];
  readonly problems: readonly AgentProblem[];
  /** Tools of imported files that are none of ours, by file. */
  readonly unknownTools: Readonly<Record<string, readonly string[]>>;
}

/** Agents as the faces use them. Errors have codes `agents.…`. */
export interface Agents {
  list(caller: Caller): Promise<{
    readonly agents: readonly ShownAgent[];
    readonly problems: readonly AgentProblem[];
    readonly notes: readonly string[];
  }>;
  /** The version that would be used where none is named; the definition stays on the machine of the agent. */
  show(
    caller: Caller,
    name: string,
    version?: string,
  ): Promise<ShownAgent & { readonly definition?: AgentDefinition }>;
  /** Has the task done, and waits for its end. The same call of a step, sent again, goes on with the same run. */
  delegate(request: DelegateRequest, context: CallContext): Promise<DelegationResult>;
  /** The decisions of a run and of those it started, as a tree. */
  why(caller: Caller, runId: string): Promise<readonly ExplainedDelegation[]>;
  /** Which agent would get a task. */
  wouldChoose(
    caller: Caller,
    request: Pick<DelegateRequest, 'agent' | 'capability' | 'task'>,
  ): Promise<Json>;
  /** Learns from it; nothing where no agent had a part in that. */
  judge(caller: Caller, judgement: Judgement): Promise<void>;
  /** Compares versions on real tasks; absent from faces that are far away. */
  readonly versions: AgentVersions;
  /** An agent, or one version of it. */
  setEnabled(
    caller: Caller,
    name: string,
    wanted: { readonly isEnabled: boolean; readonly version?: string },
  ): Promise<void>;
  /** Checks files and puts those that are right into the user's folder; agents of other assistants are imported. */
  add(files: readonly { readonly path: string; readonly text: string }[]): Promise<AddedAgents>;
  /** A plan of agents and tools for a task; after a run of it that failed, for what is left. */
  decompose(caller: Caller, task: string, afterRun?: string): Promise<DecomposedTask>;
  /** Agents that could be made from repeated runs. Nothing is written. */
  propose(caller: Caller): Promise<readonly ProposedAgent[]>;
}
