import { budgetsMetaKey } from '../../src/contract/model/index.ts';
import type { Caller } from '../../src/contract/caller/index.ts';
import { planSchema, type Json, type Step } from '../../src/contract/plan/index.ts';
import type { NewRun, RunView, StepView } from '../../src/contract/run/index.ts';
import type { CallContext } from '../../src/contract/server/index.ts';
import { idempotencyMetaKey } from '../../src/contract/tool/index.ts';
import { AppError, orAborted, reportError } from '../../src/kernel/index.ts';
import { aCallContext } from '../toolbox/call-context.ts';

export class UnknownFakeRunError extends AppError {
  readonly code = 'workflow.unknown_run';
}

type CallTool = (
  tool: string,
  args: Readonly<Record<string, Json>>,
  context: CallContext,
) => Promise<unknown>;

interface FakeRun {
  readonly run: NewRun;
  readonly caller: Caller;
  view?: Promise<RunView>;
}

/** Runs in memory: all steps of a plan begin together, as if none referred to another. */
export class ParallelRuns {
  readonly cancelled: string[] = [];
  readonly #runs = new Map<string, FakeRun>();
  readonly #byKey = new Map<string, string>();
  readonly #callTool: CallTool;

  constructor(callTool: CallTool) {
    this.#callTool = callTool;
  }

  start(caller: Caller, run: NewRun): { readonly runId: string } {
    const key = run.idempotencyKey ?? '';
    const known = this.#byKey.get(key);
    const runId = known ?? `run-${this.#runs.size + 1}`;
    if (known === undefined) this.#runs.set(runId, { run, caller });
    this.#byKey.set(key, runId);
    return { runId };
  }

  async follow(runId: string, signal: AbortSignal): Promise<RunView> {
    const found = this.#runs.get(runId);
    if (!found) throw new UnknownFakeRunError(runId);
    found.view ??= this.#execute(runId, found, signal);
    return orAborted(found.view, signal);
  }

  async #execute(runId: string, { run, caller }: FakeRun, signal: AbortSignal): Promise<RunView> {
    const plan = planSchema.parse(Object(run.source).plan);
    const contextOf = (id: string): CallContext =>
      aCallContext({
        caller: { id: caller.id },
        signal,
        meta: {
          ...run.meta,
          [budgetsMetaKey]: [`run:${runId}`],
          [idempotencyMetaKey]: `${runId}:${id}:0`,
        },
      });
    const steps = await Promise.all(
      plan.steps.map(
        async (step) => [step.id, await this.#doStep(step, contextOf(step.id))] as const,
      ),
    );
    const failed = steps.find(([, { status }]) => status === 'failed')?.[1];
    return {
      runId,
      name: null,
      goal: null,
      engine: 'embedded',
      createdAt: '',
      startedAt: '',
      endedAt: '',
      forkedFrom: null,
      waitingFor: [],
      input: {},
      traceId: null,
      status: failed ? 'failed' : 'succeeded',
      steps: Object.fromEntries(steps),
      output: Object.fromEntries(steps.map(([id, { output = null }]) => [id, output])),
      ...(failed?.error && { error: failed.error }),
    };
  }

  async #doStep({ tool = '', args = {} }: Step, context: CallContext): Promise<StepView> {
    const now = new Date().toISOString();
    const times = { startedAt: now, endedAt: now, attempts: 1, tool };
    try {
      const output = await this.#callTool(tool, args, context);
      // What tests give is JSON.
      return { ...times, status: 'succeeded', output: output as Json };
    } catch (error) {
      context.signal.throwIfAborted();
      return { ...times, status: 'failed', error: reportError(error) };
    }
  }
}
