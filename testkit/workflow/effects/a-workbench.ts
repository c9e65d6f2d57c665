import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/index.ts';
import type { Artifacts } from '../../../src/contract/artifact/index.ts';
import type { Json } from '../../../src/contract/plan/index.ts';
import type { CallContext } from '../../../src/contract/server/index.ts';
import type { Tool, ToolResult } from '../../../src/contract/tool/index.ts';
import { AppError, noFaults, silentLog } from '../../../src/kernel/index.ts';
import { aDirectory } from '../../observe/a-directory.ts';
import type { Store } from '../../../src/store/index.ts';
import { aStore } from '../../store/a-store.ts';
import type {
  ApproveInput,
  ApproveOutcome,
  CallInput,
  CallOutcome,
  Held,
  LookInput,
  LookOutcome,
} from '../../../src/workflow/engine/activity-data.ts';
import type { ActivityRequest } from '../../../src/workflow/engine/run-scope.ts';
import { aNewRun } from '../a-run.ts';
import {
  approvalPolicy,
  type FoundTool,
  type ToolCaller,
} from '../../../src/workflow/effects/effect-ports.ts';
import { createApprovals, type Approvals } from '../../../src/workflow/effects/approvals.ts';
import {
  createActivities,
  type ActivitiesParts,
} from '../../../src/workflow/effects/create-activities.ts';

/** A tool as a test writes it: what it says of itself, what is known of its server, and what it does. */
export interface ScriptedTool
  extends Partial<Tool>, Pick<FoundTool, 'isTrusted' | 'endsWithCaller' | 'timeoutMs'> {
  readonly run: (
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ) => Promise<ToolResult> | ToolResult;
}

interface ScriptedCall {
  readonly name: string;
  readonly args: unknown;
  readonly meta: CallContext['meta'];
}

export interface Workbench {
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly approvals: Approvals;
  readonly clock: { nowMs: number; now(): number };
  /** Every call that reached a tool, with the `_meta` it carried. */
  readonly calls: readonly ScriptedCall[];
  call(input: Partial<CallInput>, request?: Partial<ActivityRequest>): Promise<CallOutcome>;
  ask(input: Partial<ApproveInput>, request?: Partial<ActivityRequest>): Promise<ApproveOutcome>;
  look(input: LookInput, request?: Partial<ActivityRequest>): Promise<LookOutcome>;
}

export type WorkbenchOptions = Partial<Omit<ActivitiesParts, 'tools'>> & {
  readonly home?: string;
  readonly clock?: Workbench['clock'];
};

/** Activities on a real store and real artifacts, with tools that do what the test says. */
export function aWorkbench(
  tools: Readonly<Record<string, ScriptedTool>>,
  { home = aDirectory(), ...options }: WorkbenchOptions = {},
): Workbench {
  const store = aStore({ home });
  const clock: Workbench['clock'] = options.clock ?? { nowMs: 1_000_000, now: () => clock.nowMs };
  const index = store.artifactIndex;
  const directory = join(home, 'artifacts');
  const artifacts = openArtifacts({ directory, index, clock, log: silentLog });
  const calls: ScriptedCall[] = [];
  const runActivity = createActivities({
    artifacts,
    effects: store.effects,
    cache: store.stepCache,
    policy: approvalPolicy('plan'),
    log: silentLog,
    faultPoint: noFaults,
    ...options,
    clock,
    tools: scriptedCaller(tools, calls),
  });
  // Signals are for runs that there are.
  const ready = store.runs.create(aNewRun({ idempotencyKey: 'workbench' }));
  const perform = async (
    request: Pick<ActivityRequest, 'activity' | 'key'>,
    input: object,
    more = {},
  ): Promise<Json> => {
    await ready;
    return runActivity({
      runId: 'run1',
      callerId: 'local',
      signal: new AbortController().signal,
      onProgress: () => {},
      input: input as Json,
      ...request,
      ...more,
    });
  };
  return {
    store,
    artifacts,
    approvals: createApprovals(store.effects, clock),
    clock,
    calls,
    call: async (changes, request) => {
      const input = { step: 'a', attempt: 1, tool: 's.t', args: { value: {} }, ...changes };
      const key = `${input.step}#${input.attempt}`;
      return (await perform({ activity: 'call', key }, input, request)) as unknown as CallOutcome;
    },
    ask: async (changes, request) => {
      const input = { step: 'a', tool: 's.t', args: { value: {} }, ...changes };
      const key = `${input.step}!ask`;
      const outcome = await perform({ activity: 'approve', key }, input, request);
      return outcome as unknown as ApproveOutcome;
    },
    look: async (input, request) =>
      (await perform({ activity: 'look', key: 'a=' }, input, request)) as unknown as LookOutcome,
  };
}

function scriptedCaller(
  tools: Readonly<Record<string, ScriptedTool>>,
  calls: ScriptedCall[],
): ToolCaller {
  return {
    find: (name) => foundTool(name, tools[name]),
    async call(name, args, context) {
      calls.push({ name, args, meta: context.meta });
      const tool = tools[name];
      if (!tool) throw new Error(`no ${name}`);
      return tool.run(args, context);
    },
  };
}

function foundTool(name: string, scripted: ScriptedTool | undefined): FoundTool | undefined {
  if (!scripted) return undefined;
  const { run: _run, isTrusted = true, endsWithCaller = false, timeoutMs, ...tool } = scripted;
  const [server = '', bare = ''] = name.split('.');
  const known = { isTrusted, endsWithCaller, ...(timeoutMs !== undefined && { timeoutMs }) };
  return { server, tool: { name: bare, inputSchema: {}, ...tool }, ...known };
}

/** What a tool gives: structured content, as tools of ours do. */
export function gives(structuredContent: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [], structuredContent };
}

export function says(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

export const readOnly = { annotations: { readOnlyHint: true } } as const;

/** What a step that succeeded gave. */
export function heldOf(outcome: CallOutcome): Held {
  if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome));
  return outcome.held;
}

/** A failure that may be retried. */
export class BusyError extends AppError {
  readonly code = 'test.busy';
  override readonly retryable = true;
}
