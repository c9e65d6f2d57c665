import { z } from 'zod';
import type { Artifacts } from '../../contract/artifact/index.ts';
import { type Workflows, shownRunSchema, type ShownRun } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import {
  errorMetaKey,
  idempotencyMetaKey,
  reconcileMetaKey,
  type ToolResult,
} from '../../contract/tool/index.ts';
import { AppError, reportError } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { RunNotSucceededError } from './run-tasks.ts';
import { followRun } from './follow-run.ts';
import { planArgument, sourceOf } from './check-plan-tool.ts';
import { showRun, summarizeRun } from './show-run.ts';
import texts from './tools.json' with { type: 'json' };

/** Names a context: an id from create_context, a unique beginning of one, `name` or `name@3`. */
export const contextField = z.string().min(1).max(100).optional();

export const runPlanInput = z.strictObject({
  plan: planArgument,
  input: z.record(z.string(), z.json()).default({}).describe("Values for the plan's inputs."),
  context: contextField.describe(
    'A context whose text becomes the input `context` of the plan, which has to declare it.',
  ),
  engine: z
    .enum(['embedded', 'restate'])
    .optional()
    .describe('What executes the run; the setting `workflow.engine` when not given.'),
  wait: z
    .boolean()
    .optional()
    .describe(
      'false: return at once, get_run tells the rest. true: wait for the end. Without it a client that knows tasks gets a task, others wait.',
    ),
  cancel_with_request: z
    .boolean()
    .default(true)
    .describe('Whether cancelling this call while it waits cancels the run.'),
});

type RunPlanRequest = z.output<typeof runPlanInput>;

interface RunPlanParts {
  readonly workflows: Workflows;
  readonly artifacts: Artifacts;
  /** Told when a run that was waited for has ended or waits. */
  readonly onSettled: () => void;
}

/** The tool `run_plan`: a durable run of a plan. */
export function runPlanTool(parts: RunPlanParts): DefinedTool {
  const tool = defineTool({
    ...texts.run_plan,
    input: runPlanInput,
    output: shownRunSchema,
    run: (request, context) => runPlan(parts, request, context),
    summarize: summarizeRun,
  });
  return {
    name: tool.name,
    declare() {
      const declared = tool.declare();
      return {
        ...declared,
        execution: { taskSupport: 'optional' },
        // A step that asks again after a crash goes on waiting for the run it started.
        _meta: { ...declared._meta, [reconcileMetaKey]: { repeat: true } },
      };
    },
    call: async (args, context) => markFailure(await tool.call(args, context)),
  };
}

/** Starts a run. The same request of the same plan step, sent twice, starts one. */
export async function startRun(
  { workflows }: Pick<RunPlanParts, 'workflows'>,
  { plan, input, context: contextRef, engine }: RunPlanRequest,
  { caller, meta }: CallContext,
): Promise<string> {
  const key = meta[idempotencyMetaKey];
  const { runId } = await workflows.start(caller, {
    source: sourceOf(plan),
    input,
    ...(contextRef !== undefined && { context: contextRef }),
    ...(engine !== undefined && { engine }),
    ...(typeof key === 'string' && { idempotencyKey: key }),
    meta,
  });
  return runId;
}

/** A run that ended without success, as the failed result of the call that wanted it; with all it tells. */
export function markFailure(result: ToolResult): ToolResult {
  const parsed = shownRunSchema.safeParse(result.structuredContent);
  if (!parsed.success || !['failed', 'cancelled'].includes(parsed.data.status)) return result;
  const { runId, status, error } = parsed.data;
  const failure = new RunNotSucceededError({ runId, status, reason: error?.message ?? '' });
  return {
    ...result,
    isError: true,
    _meta: { ...result._meta, [errorMetaKey]: reportError(failure) },
  };
}

async function runPlan(
  parts: RunPlanParts,
  request: RunPlanRequest,
  context: CallContext,
): Promise<ShownRun> {
  const { workflows, artifacts, onSettled } = parts;
  const { caller, signal } = context;
  const runId = await startRun(parts, request, context);
  context.annotate?.({ 'tutti.run.id': runId });
  if (request.wait === false) {
    return showRun(await workflows.show(caller, runId), { artifacts, caller });
  }
  try {
    const view = await followRun(workflows, runId, context);
    return await showRun(view, { artifacts, caller });
  } catch (error) {
    if (signal.aborted && request.cancel_with_request && isCancellation(signal.reason)) {
      await workflows.cancel(caller, runId, 'the call that waited for it was cancelled');
    }
    throw error;
  } finally {
    onSettled();
  }
}

/** A client that is gone or a call that took too long did not ask for the run to end: it goes on. */
const lostContact: readonly string[] = [
  'gateway.connection_closed',
  'gateway.input_expired',
  'kernel.time_limit',
  'workflow.run_let_go',
];

function isCancellation(reason: unknown): boolean {
  return !(reason instanceof AppError && lostContact.includes(reason.code));
}
