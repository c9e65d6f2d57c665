import { CallCounter } from '../agents/index.ts';
import type { Artifacts } from '../contract/artifact/index.ts';
import type { Workflows } from '../contract/run/index.ts';
import type { FaultPoint } from '../kernel/index.ts';
import { createFaultPoints, readRegularFile, systemTimers } from '../kernel/index.ts';
import { approvalPolicy, createActivities, createApprovals } from '../workflow/effects/index.ts';
import type { RunActivity } from '../workflow/engine/index.ts';
import { type PreparePlan, preparePlans } from '../workflow/interpret/index.ts';
import {
  createPlanChecker,
  createWorkflows,
  keepPruning,
  type WorkflowsParts,
} from '../workflow/runs/index.ts';
import { knownAgents } from './agent-files.ts';
import { recordSteps } from './record-steps.ts';
import { createEngines, executeRuns } from './engines.ts';
import { knownTools, lookUp, type KnownTools, runTraces, type RunTraces } from './tool-caller.ts';
import { tuneCollector } from './tune-collector.ts';
import type { WorkflowParts, WorkOptions } from './workflow.ts';

/** Plans and runs with all they need. */
export interface OpenWorkflows {
  readonly workflows: Workflows;
  /** Starts to claim orphaned runs and to prune old ones. */
  resumeUnfinished(): void;
  work(options: WorkOptions): Promise<void>;
  /** Runs that this process executes. */
  count(): number;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

type Parts = WorkflowParts & { readonly artifacts: Artifacts };

export function openWorkflows(parts: Parts): OpenWorkflows {
  const { settings, store, recording } = parts;
  const log = parts.log.child({ room: 'workflow' });
  const faultPoint = createFaultPoints(parts.request.env['TUTTI_FAULT']);
  const calls = new CallCounter(store.delegations, systemTimers);
  const tools = knownTools(parts.catalogue(), { access: parts.access, calls });
  const traces = runTraces(settings, parts.tracing);
  const activities = activitiesOf({ ...parts, log }, { tools, traces, faultPoint });
  const reported = { store, tools: tools.caller, log };
  const runActivity = recording
    ? recordSteps(activities, { ...reported, ...recording })
    : activities;
  const prepare = preparePlans();
  let stopPruning: (() => void) | undefined;
  const engines = createEngines({
    settings,
    store: store.runs,
    runActivity,
    prepare,
    log,
    faultPoint,
    isStaying: () => stopPruning !== undefined,
  });
  const runs: WorkflowsParts = {
    ...portsOf(parts, tools, prepare),
    executor: engines.executor,
    beginTrace: async (run) => {
      // Before the run is stored: it must not be found without what it may do.
      await parts.access?.grantRun(run.runId, run.caller);
      return traces.beginTrace(run);
    },
    log,
  };
  const resumeUnfinished = (): void => {
    tuneCollector();
    engines.embedded.start();
    stopPruning ??= keepPruning(runs);
  };
  return {
    workflows: createWorkflows(runs),
    resumeUnfinished,
    work: (options) => {
      resumeUnfinished();
      return executeRuns(engines, settings.workflow, options);
    },
    count: () => engines.embedded.size,
    async close() {
      stopPruning?.();
      await engines.close();
      tools.close();
    },
  };
}

interface ActivityPorts {
  readonly tools: KnownTools;
  readonly traces: RunTraces;
  readonly faultPoint: FaultPoint;
}

function activitiesOf(parts: Parts, { tools, traces, faultPoint }: ActivityPorts): RunActivity {
  const { workflow } = parts.settings;
  return createActivities({
    tools: tools.caller,
    artifacts: parts.artifacts,
    effects: parts.store.effects,
    cache: parts.store.stepCache,
    policy: approvalPolicy(workflow.approval),
    ...(parts.preview && { preview: parts.preview }),
    ...(traces.tracer && { tracer: traces.tracer }),
    clock: systemTimers,
    log: parts.log,
    faultPoint,
    durability: workflow.durability,
    limits: {
      inlineBytes: workflow.inline_bytes,
      approvalMs: workflow.approval_hours * hourMs,
      callMs: parts.settings.performance.timeout_seconds * 1_000,
    },
  });
}

/** What runs need of the settings, the store and the tools. */
function portsOf(
  { settings, store, request, artifacts, roots, catalogue }: Parts,
  tools: KnownTools,
  prepare: PreparePlan,
): Omit<WorkflowsParts, 'executor' | 'beginTrace' | 'log'> {
  const { workflow } = settings;
  return {
    store: store.runs,
    plans: createPlanChecker({
      tools: (caller) => lookUp(tools, catalogue(), caller),
      limits: { maxSteps: workflow.max_steps, maxItems: workflow.max_items },
      policy: workflow.approval,
      prepare,
      readFile: readRegularFile,
      agents: () => knownAgents({ settings, request }),
    }),
    approvals: createApprovals(store.effects, systemTimers),
    effects: store.effects,
    cache: store.stepCache,
    artifacts,
    timers: systemTimers,
    limits: {
      engine: workflow.engine,
      maxRunMs: workflow.max_run_ms,
      maxItems: workflow.max_items,
      retentionMs: workflow.retention_days * 24 * hourMs,
    },
    place: () => roots.folder(),
  };
}
