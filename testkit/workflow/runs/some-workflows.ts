import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/index.ts';
import type { Artifacts } from '../../../src/contract/artifact/index.ts';
import { localCaller } from '../../../src/contract/caller/index.ts';
import type { Json } from '../../../src/contract/plan/index.ts';
import type { RunView, Workflows } from '../../../src/contract/run/index.ts';
import { failedToolResult, type Tool, type ToolResult } from '../../../src/contract/tool/index.ts';
import { noFaults, ownIdentity, silentLog, systemTimers } from '../../../src/kernel/index.ts';
import { aDirectory } from '../../observe/a-directory.ts';
import type { Store } from '../../../src/store/index.ts';
import { aStore } from '../../store/a-store.ts';
import {
  approvalPolicy,
  createActivities,
  createApprovals,
  type ToolCaller,
} from '../../../src/workflow/effects/index.ts';
import {
  defaultEngineLimits,
  openEmbeddedEngine,
  type EmbeddedEngine,
} from '../../../src/workflow/embedded/index.ts';
import { interpret } from '../../../src/workflow/interpret/index.ts';
import { compilePlan } from '../../../src/workflow/plan/index.ts';
import { createPlanChecker } from '../../../src/workflow/runs/plan-checker.ts';
import { createWorkflows, embeddedExecutor } from '../../../src/workflow/runs/create-workflows.ts';
import { toStoredOutcome } from '../../../src/workflow/runs/describe-run.ts';
import type { WorkflowsParts } from '../../../src/workflow/runs/workflows-parts.ts';

type Work = (
  args: Readonly<Record<string, unknown>>,
  call: { readonly signal: AbortSignal; readonly number: number },
) => Promise<Record<string, unknown>>;

export interface SomeWorkflows {
  readonly workflows: Workflows;
  readonly parts: WorkflowsParts;
  readonly store: Store;
  readonly artifacts: Artifacts;
  /** Names of the tools that were called, in order. */
  readonly calls: string[];
  /** Starts a plan and follows it as far as it goes. */
  readonly run: (plan: object, input?: Record<string, Json>) => Promise<RunView>;
  readonly follow: (runId: string) => Promise<RunView>;
  readonly close: () => Promise<void>;
}

export interface SomeOptions {
  readonly home?: string;
  /** The folder it works in; the home where it is not given. */
  readonly place?: string;
  /** What `test.NAME` does beside the usual ones: `echo`, `effect`, `fail`, `hang`, `big`. */
  readonly tools?: Readonly<Record<string, Work>>;
  readonly limits?: Partial<WorkflowsParts['limits']>;
  /** Whether it executes what nobody waits for; it does when not given. */
  readonly isStaying?: boolean;
}

const usualTools: Readonly<Record<string, Work>> = {
  echo: async (args) => ({ ...args }),
  effect: async (args) => ({ ...args }),
  fail: async () => {
    throw new Error('it rained');
  },
  hang: (_args, { signal }) => untilAborted(signal),
  big: async () => ({ text: 'x'.repeat(100_000), rows: [1, 2, 3] }),
};

/** Does nothing until it is told to stop. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Workflows on a real store and engine in this process, with tools that are functions. */
export function someWorkflows(options: SomeOptions = {}): SomeWorkflows {
  const home = options.home ?? aDirectory();
  const store = aStore({ home });
  const index = store.artifactIndex;
  const directory = join(home, 'artifacts');
  const artifacts = openArtifacts({ directory, index, clock: systemTimers, log: silentLog });
  const calls: string[] = [];
  const { caller, tools } = callTools({ ...usualTools, ...options.tools }, calls);
  const engine = anEngine({ store, artifacts, caller });
  const parts: WorkflowsParts = {
    store: store.runs,
    plans: createPlanChecker({
      tools: async () => ({ find: (name) => tools.get(name), names: () => [...tools.keys()] }),
      limits: { maxSteps: 100, maxItems: 100 },
      policy: 'plan',
    }),
    approvals: createApprovals(store.effects, systemTimers),
    effects: store.effects,
    cache: store.stepCache,
    artifacts,
    executor: async () => embeddedExecutor(engine, () => options.isStaying ?? true),
    beginTrace: async () => ({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
    timers: systemTimers,
    log: silentLog,
    limits: {
      engine: 'embedded',
      maxRunMs: 60_000,
      maxItems: 100,
      retentionMs: 1_000,
      ...options.limits,
    },
    place: async () => options.place ?? home,
  };
  const workflows = createWorkflows(parts);
  onTestFinished(() => engine.close());
  const follow = (runId: string): Promise<RunView> =>
    workflows.follow(localCaller, runId, { execute: true, signal: new AbortController().signal });
  return {
    workflows,
    parts,
    store,
    artifacts,
    calls,
    follow,
    run: async (plan, input = {}) => {
      const source = { kind: 'data', plan } as const;
      return follow((await workflows.start(localCaller, { source, input })).runId);
    },
    close: () => engine.close(),
  };
}

interface EngineNeeds {
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly caller: ToolCaller;
}

function anEngine({ store, artifacts, caller }: EngineNeeds): EmbeddedEngine {
  return openEmbeddedEngine({
    store: store.runs,
    interpret: async ({ plan, input }, scope) => {
      const limits = { maxParallel: 10, maxItems: 100 };
      return toStoredOutcome(await interpret({ plan: compilePlan(plan), input }, scope, limits));
    },
    runActivity: createActivities({
      tools: caller,
      artifacts,
      effects: store.effects,
      cache: store.stepCache,
      policy: approvalPolicy('plan'),
      clock: systemTimers,
      log: silentLog,
      faultPoint: noFaults,
    }),
    identify: ownIdentity,
    timers: systemTimers,
    log: silentLog,
    faultPoint: noFaults,
    limits: { ...defaultEngineLimits, pollMs: 10 },
  });
}

function callTools(
  works: Readonly<Record<string, Work>>,
  calls: string[],
): { readonly caller: ToolCaller; readonly tools: ReadonlyMap<string, Tool> } {
  const tools = new Map(
    Object.keys(works).map((name): [string, Tool] => [
      `test.${name}`,
      {
        name,
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: name !== 'effect' },
      },
    ]),
  );
  return {
    tools,
    caller: {
      find(name) {
        const tool = tools.get(name);
        return tool && { server: 'test', tool };
      },
      async call(name, args, { signal }): Promise<ToolResult> {
        calls.push(name);
        const number = calls.filter((called) => called === name).length;
        const work = works[name.replace('test.', '')] ?? (async () => ({}));
        try {
          return { content: [], structuredContent: await work(args, { signal, number }) };
        } catch (error) {
          signal.throwIfAborted();
          const message = error instanceof Error ? error.message : String(error);
          return failedToolResult({ code: 'test.failed', message, details: {} });
        }
      },
    },
  };
}
