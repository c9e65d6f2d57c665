import type {
  ApprovalRow,
  EffectRow,
  EffectStore,
  RowChange,
  RowRequest,
  StepRows,
} from '../../../src/workflow/effects/effect-ports.ts';

/** Effects and approvals as the port promises them, for one process and no longer than that lives. */
export class MemoryEffectStore implements EffectStore {
  readonly #effects = new Map<string, EffectRow>();
  readonly #approvals = new Map<string, ApprovalRow>();
  readonly #onSignal: SignalListener;

  constructor(onSignal: SignalListener = () => {}) {
    this.#onSignal = onSignal;
  }

  async change<Result>(
    { runId, step }: RowRequest,
    decide: (rows: StepRows) => RowChange<Result>,
  ): Promise<Result> {
    const key = `${runId} ${step}`;
    const approvals = inOrder(this.#approvals, (it) => it.runId === runId && it.step === step);
    const change = decide({ effect: this.#effects.get(key), approvals });
    if (change.effect) this.#effects.set(key, structuredClone(change.effect));
    if (change.approval) {
      this.#approvals.set(change.approval.approvalId, structuredClone(change.approval));
    }
    if (change.signal) this.#onSignal(runId, change.signal);
    return change.result;
  }

  async approvals(runId: string): Promise<readonly ApprovalRow[]> {
    return inOrder(this.#approvals, (it) => it.runId === runId);
  }

  async approval(approvalId: string): Promise<ApprovalRow | undefined> {
    return this.#approvals.get(approvalId);
  }

  async effects(runId: string): Promise<readonly EffectRow[]> {
    const rows = [...this.#effects.values()].filter((it) => it.runId === runId);
    return rows.toSorted((a, b) => (a.step < b.step ? -1 : 1));
  }
}

type SignalListener = (runId: string, signal: NonNullable<RowChange<unknown>['signal']>) => void;

function inOrder(
  rows: ReadonlyMap<string, ApprovalRow>,
  isWanted: (row: ApprovalRow) => boolean,
): readonly ApprovalRow[] {
  return [...rows.values()]
    .filter(isWanted)
    .toSorted((a, b) => a.askedAtMs - b.askedAtMs || (a.approvalId < b.approvalId ? -1 : 1));
}
