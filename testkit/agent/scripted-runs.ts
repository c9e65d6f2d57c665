import type { CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import {
  planSchema,
  type Json,
  type Plan,
  type PlanProblem,
} from '../../src/contract/plan/index.ts';
import type { NewRun, RunView, StepView, Waiting } from '../../src/contract/run/index.ts';
import type { AgentParts } from '../../src/agent/ask/index.ts';
import { ScriptedModelError } from './scripted-models.ts';

/** What a tool gives for its arguments as the plan has them; an error fails the step. */
export type ToolScript = (args: Readonly<Record<string, Json>>) => Json | Error;

/** Runs whose steps do what the test says; a step with approval waits. */
export class ScriptedRuns {
  readonly started: { readonly runId: string; readonly plan: Plan; readonly run: NewRun }[] = [];
  readonly checked: Plan[] = [];
  readonly called: string[] = [];
  readonly cancelled: string[] = [];
  readonly repaired: (Readonly<Record<string, Json>> | null)[] = [];
  readonly approved = new Set<string>();
  /** The code of steps that fail. */
  failWith = 'workflow.tool_failed';
  readonly #views = new Map<string, RunView>();
  readonly #entries: readonly CatalogueEntry[];
  readonly #tools: Readonly<Record<string, ToolScript>>;

  constructor(entries: readonly CatalogueEntry[], tools: Readonly<Record<string, ToolScript>>) {
    this.#entries = entries;
    this.#tools = tools;
  }

  get workflows(): AgentParts['workflows'] {
    return {
      check: async (_caller, source) => {
        const plan = planSchema.parse(source.kind === 'data' ? source.plan : undefined);
        this.checked.push(plan);
        const errors = this.#problemsOf(plan);
        const none = { warnings: [], edges: [], optimizations: [] };
        return { ok: errors.length === 0, errors, plan, ...none };
      },
      start: async (_caller, run) => {
        const plan = planSchema.parse(run.source.kind === 'data' ? run.source.plan : undefined);
        if (this.#problemsOf(plan).length > 0) throw new ScriptedModelError('plan.invalid');
        const key = run.idempotencyKey;
        const same = this.started.find(
          (one) => key !== undefined && one.run.idempotencyKey === key,
        );
        if (same) return { runId: same.runId };
        const runId = `run-${this.started.length + 1}`;
        this.started.push({ runId, plan, run });
        return { runId };
      },
      show: async (_caller, runId) => {
        const view = this.#views.get(runId);
        if (!view) throw new Error(`no run ${runId}`);
        return view;
      },
      list: async (_caller, { status }) =>
        [...this.#views.values()]
          .filter((run) => status?.includes(run.status) ?? true)
          .toReversed(),
      cancel: async (_caller, runId) => void this.cancelled.push(runId),
      repair: async (...[_caller, runId, step, args]) => {
        this.repaired.push(args);
        const started = this.started.find((one) => one.runId === runId);
        const planned = started?.plan.steps.find(({ id }) => id === step);
        if (planned) Object.assign(planned, args ? { args } : { onFailure: 'stop' });
      },
    };
  }

  follow: AgentParts['follow'] = async (_caller, runId, { onChange, signal }) => {
    signal.throwIfAborted();
    const started = this.started.find((one) => one.runId === runId);
    if (!started) throw new Error(`no run ${runId}`);
    const known = this.#views.get(runId);
    const isOver = known?.status === 'succeeded' || known?.status === 'failed';
    const view = isOver ? known : this.#execute(runId, started.plan);
    this.#views.set(runId, view);
    onChange(view);
    signal.throwIfAborted();
    return view;
  };

  #execute(runId: string, plan: Plan): RunView {
    const steps: Record<string, StepView> = {};
    const waitingFor: Waiting[] = [];
    let failure: Error | undefined;
    for (const { id, tool = '', args = {}, approval, onFailure } of plan.steps) {
      const known = { startedAt: null, endedAt: null, attempts: 1, tool };
      if (failure || waitingFor.length > 0) steps[id] = { ...known, status: 'pending' };
      else if (approval !== undefined && !this.approved.has(id)) {
        steps[id] = { ...known, status: 'waiting' };
        const expiresAt = '2026-01-02T00:00:00.000Z';
        const asked = { step: id, approvalId: id, message: '', tool, arguments: args, expiresAt };
        waitingFor.push({ kind: 'approval', ...asked });
      } else {
        this.called.push(tool);
        const given = this.#tools[tool]?.(args) ?? {};
        if (!(given instanceof Error)) steps[id] = { ...known, status: 'succeeded', output: given };
        else {
          const error = { code: this.failWith, message: given.message, details: {} };
          if (onFailure === 'repair') waitingFor.push({ kind: 'repair', step: id, error });
          else failure = given;
          steps[id] = { ...known, status: onFailure === 'repair' ? 'waiting' : 'failed', error };
        }
      }
    }
    const status = waitingFor.length > 0 ? 'waiting' : failure ? 'failed' : 'succeeded';
    const times = { createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, endedAt: null };
    return {
      runId,
      name: plan.name ?? null,
      goal: plan.goal ?? null,
      status,
      engine: 'embedded',
      ...times,
      forkedFrom: null,
      steps,
      waitingFor,
      input: {},
      traceId: null,
      ...(failure && {
        error: { code: 'workflow.step_failed', message: failure.message, details: {} },
      }),
    };
  }

  #problemsOf(plan: Plan): PlanProblem[] {
    return plan.steps.flatMap(({ id, tool, args = {} }, index): PlanProblem[] => {
      const entry = this.#entries.find(({ name }) => name === tool);
      const at = { step: id, line: null, severity: 'error' } as const;
      if (!entry) {
        const message = `There is no tool "${tool ?? ''}"`;
        return [{ ...at, path: `steps[${index}].tool`, code: 'plan.unknown_tool', message }];
      }
      const required: unknown = entry.tool.inputSchema['required'];
      const missing = (Array.isArray(required) ? required : []).filter((key) => !(key in args));
      return missing.map((key) => ({
        ...at,
        path: `steps[${index}].args.${String(key)}`,
        code: 'plan.missing_argument',
        message: `"${String(key)}" is missing`,
      }));
    });
  }
}
