import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/index.ts';
import type { Workflows } from '../../../src/contract/run/index.ts';
import type { ToolResult } from '../../../src/contract/tool/index.ts';
import {
  noFaults,
  ownIdentity,
  silentLog,
  systemTimers,
  type Log,
} from '../../../src/kernel/index.ts';
import { traceLimits } from '../../../src/observe/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import {
  approvalPolicy,
  createActivities,
  createApprovals,
  type ToolCaller,
} from '../../../src/workflow/effects/index.ts';
import {
  defaultEngineLimits,
  openEmbeddedEngine,
  type RunEnd,
} from '../../../src/workflow/embedded/index.ts';
import type { RunRecord, RunScope } from '../../../src/workflow/engine/index.ts';
import { interpret } from '../../../src/workflow/interpret/index.ts';
import { compilePlan } from '../../../src/workflow/plan/index.ts';
import {
  createRestateEngine,
  defaultRestateLimits,
  restateMaxParallel,
  type RestateEngine,
  type RestateLimits,
} from '../../../src/workflow/restate/index.ts';
import {
  createPlanChecker,
  createWorkflows,
  embeddedExecutor,
  toStoredOutcome,
} from '../../../src/workflow/runs/index.ts';
import { countedTools } from './counted-tools.ts';

export interface RigOptions {
  readonly home: string;
  readonly toolsUrl: string;
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly limits?: Partial<RestateLimits>;
  readonly log?: Log;
  readonly identityKey?: string;
}

/** Plans and runs on both engines, with tools that are counted elsewhere. */
export interface Rig {
  readonly store: Store;
  readonly workflows: Workflows;
  readonly restate: RestateEngine;
  close(): Promise<void>;
}

const maxItems = 1_000;

export function openRig(options: RigOptions): Rig {
  const { home, toolsUrl, ingressUrl, adminUrl } = options;
  const store = openStore({ home, traceLimits });
  const clock = systemTimers;
  const log = options.log ?? silentLog;
  const artifacts = openArtifacts({
    directory: join(home, 'artifacts'),
    index: store.artifactIndex,
    clock,
    log,
  });
  const runActivity = createActivities({
    tools: remoteTools(toolsUrl),
    artifacts,
    effects: store.effects,
    cache: store.stepCache,
    policy: approvalPolicy('plan'),
    clock,
    log,
    faultPoint: noFaults,
  });
  const parts = { store: store.runs, runActivity, identify: ownIdentity, timers: clock, log };
  const run =
    (maxParallel: number) =>
    async (record: RunRecord, scope: RunScope): Promise<RunEnd> => {
      const planned = { plan: compilePlan(record.plan), input: record.input };
      return toStoredOutcome(await interpret(planned, scope, { maxParallel, maxItems }));
    };
  const embedded = openEmbeddedEngine({
    ...parts,
    interpret: run(256),
    faultPoint: noFaults,
    limits: defaultEngineLimits,
  });
  const restate = createRestateEngine({
    ...parts,
    ingressUrl,
    adminUrl,
    identityKey: options.identityKey,
    interpret: run(restateMaxParallel),
    limits: { ...defaultRestateLimits, ...options.limits },
  });
  const executors = { embedded: embeddedExecutor(embedded, () => true), restate };
  const workflows = createWorkflows({
    store: store.runs,
    plans: createPlanChecker({
      tools: async () => ({
        find: (name: string) => countedTools.find((tool) => `t.${tool.name}` === name),
        names: () => countedTools.map(({ name }) => `t.${name}`),
      }),
      limits: { maxSteps: 1_000, maxItems },
      policy: 'plan',
    }),
    approvals: createApprovals(store.effects, clock),
    effects: store.effects,
    cache: store.stepCache,
    artifacts,
    executor: async (engine) => executors[engine],
    beginTrace: async () => ({}),
    timers: clock,
    log,
    place: async () => home,
    limits: { engine: 'restate', maxRunMs: 600_000, maxItems, retentionMs: 86_400_000 },
  });
  return {
    store,
    workflows,
    restate,
    close: async () => {
      await embedded.close();
      store.close();
    },
  };
}

function remoteTools(url: string): ToolCaller {
  return {
    find: (name) => {
      const tool = countedTools.find((it) => `t.${it.name}` === name);
      return tool && { server: 't', tool };
    },
    call: async (name, args, { meta, signal }) => {
      const body = { tool: name.slice('t.'.length), key: meta['tutti/idempotencyKey'], args };
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
      return (await response.json()) as ToolResult;
    },
  };
}
