import type { Caller } from '../../../src/contract/caller/index.ts';
import type { PlanCheck } from '../../../src/contract/plan/index.ts';
import type {
  Decision,
  FollowOptions,
  NewRun,
  RunFilter,
  RunJournalPage,
  RunSummary,
  RunView,
  StepView,
  Waiting,
  Workflows,
} from '../../../src/contract/run/index.ts';
import { AppError } from '../../../src/kernel/index.ts';

class FakeUnknownRunError extends AppError {
  readonly code: string = 'workflow.unknown_run';
}

export function aStep(status: StepView['status'], parts: Partial<StepView> = {}): StepView {
  return { status, startedAt: null, endedAt: null, attempts: 1, ...parts };
}

export function anApproval(parts: Partial<Extract<Waiting, { kind: 'approval' }>> = {}): Waiting {
  return {
    kind: 'approval',
    step: 'deploy',
    approvalId: 'a1',
    message: 'Ship it?',
    tool: 'ops.deploy',
    arguments: { target: 'production' },
    expiresAt: '2026-01-08T00:00:00.000Z',
    ...parts,
  };
}

const over: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** Runs that do what the test says: each starts with two pending steps and changes by `change`. */
export class FakeWorkflows implements Workflows {
  readonly started: NewRun[] = [];
  readonly decisions: { readonly runId: string; readonly decision: Decision }[] = [];
  readonly cancelled: string[] = [];
  readonly #runs = new Map<string, { callerId: string; view: RunView }>();
  readonly #watchers = new Set<() => void>();
  checked: PlanCheck = { ok: true, errors: [], warnings: [], edges: [], optimizations: [] };
  /** What starting a run throws, if anything. */
  refusal: Error | undefined;
  onDecide: (runId: string, decision: Decision) => void = () => {};

  /** Changes a run as the engine would. */
  change(runId: string, parts: Partial<RunView>): void {
    const run = this.#runs.get(runId);
    if (!run) throw new Error(`no run ${runId}`);
    this.#runs.set(runId, { ...run, view: { ...run.view, ...parts } });
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves once somebody follows a run. */
  async untilFollowed(): Promise<void> {
    while (this.#watchers.size === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  async check(): Promise<PlanCheck> {
    return this.checked;
  }

  async draw(): Promise<string> {
    return 'a ── b';
  }

  async start(caller: Caller, run: NewRun): Promise<{ readonly runId: string }> {
    if (this.refusal) throw this.refusal;
    this.started.push(run);
    const runId = `run-${this.started.length}`;
    const view: RunView = {
      runId,
      name: 'demo',
      goal: null,
      status: 'running',
      engine: run.engine ?? 'embedded',
      createdAt: '2026-01-01T00:00:00.000Z',
      startedAt: null,
      endedAt: null,
      forkedFrom: null,
      steps: { a: aStep('pending'), b: aStep('pending') },
      waitingFor: [],
      input: run.input,
      traceId: null,
    };
    this.#runs.set(runId, { callerId: caller.id, view });
    return { runId };
  }

  async follow(
    caller: Caller,
    runId: string,
    { signal, onChange }: FollowOptions,
  ): Promise<RunView> {
    const first = await this.show(caller, runId);
    const { promise, resolve, reject } = Promise.withResolvers<RunView>();
    const look = (): void => {
      const view = this.#runs.get(runId)?.view ?? first;
      onChange?.(view);
      if (view.status === 'waiting' || over.includes(view.status)) resolve(view);
    };
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#watchers.add(look);
    if (signal.aborted) onAbort();
    look();
    try {
      return await promise;
    } finally {
      this.#watchers.delete(look);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async list(caller: Caller, { status, limit }: RunFilter): Promise<readonly RunSummary[]> {
    return [...this.#runs.values()]
      .filter((run) => run.callerId === caller.id)
      .map(({ view: { steps: _steps, waitingFor: _for, input: _in, traceId: _id, ...run } }) => run)
      .filter((run) => status === undefined || status.includes(run.status))
      .toReversed()
      .slice(0, limit);
  }

  async show(caller: Caller, runId: string): Promise<RunView> {
    const run = this.#runs.get(runId);
    if (run?.callerId !== caller.id) throw new FakeUnknownRunError(`There is no run "${runId}"`);
    return run.view;
  }

  async cancel(caller: Caller, runId: string, reason = ''): Promise<void> {
    await this.show(caller, runId);
    this.cancelled.push(`${runId}: ${reason}`);
    this.change(runId, { status: 'cancelled', waitingFor: [] });
  }

  async decide(caller: Caller, runId: string, decision: Decision): Promise<void> {
    await this.show(caller, runId);
    this.decisions.push({ runId, decision });
    this.onDecide(runId, decision);
  }

  async journal(
    caller: Caller,
    runId: string,
    _range: { readonly after: number; readonly limit: number },
  ): Promise<RunJournalPage> {
    await this.show(caller, runId);
    return { runId, entries: [], total: 0 };
  }

  async pause(): Promise<void> {}
  async resume(): Promise<void> {}
  async retry(): Promise<void> {}
  async fork(): Promise<{ readonly runId: string }> {
    return { runId: 'fork' };
  }
  async signal(): Promise<void> {}
  async resolve(): Promise<void> {}
  async repair(): Promise<void> {}
}
