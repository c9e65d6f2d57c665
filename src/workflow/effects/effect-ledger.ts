import type { Json } from '../../contract/plan/index.ts';
import type { AppError, ProcessIdentity } from '../../kernel/index.ts';
import type { EffectPlace, EffectRow, EffectStore, RowChange, StepRows } from './effect-ports.ts';
import { useApproval, type ApprovalUse } from './approvals.ts';

/** A call that must not be made twice, before it is made. */
export interface EffectStart extends EffectPlace {
  /** What it is called where it was not dispatched before. */
  readonly id: string;
  readonly generation: number;
  readonly attempt: number;
  readonly callerId: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly approval: Omit<ApprovalUse, 'effectId' | 'nowMs'> | undefined;
  readonly nowMs: number;
  readonly dispatcher: ProcessIdentity;
  /** This dispatch did not happen, as a lookup or a person found out: it may be made again. */
  readonly notHappened?: number;
}

export type Begun =
  /** To be sent now, under this id, by this process alone. */
  | { readonly kind: 'dispatch'; readonly id: string; readonly dispatch: number }
  /** It was sent before, and what became of it is not known. */
  | ({ readonly kind: 'open' } & Pick<
      EffectRow,
      'id' | 'dispatch' | 'dispatchedAtMs' | 'dispatcher'
    >)
  /** It has happened, with this outcome of the step. */
  | { readonly kind: 'done'; readonly outcome: Json }
  | { readonly kind: 'refused'; readonly error: AppError };

export type Settlement = {
  /** The outcome belongs to this dispatch; a later one is not touched. */
  readonly dispatch: number;
  /** The attempt that reports it to the run. */
  readonly attempt: number;
  readonly generation: number;
  readonly nowMs: number;
} & (
  | { readonly state: 'succeeded'; readonly outcome: Json }
  | { readonly state: 'failed' }
  | { readonly state: 'unknown' }
);

/**
 * What is known about calls that must not be made twice.
 *
 * 1. Of all processes that begin the same effect, one gets to dispatch it; the row that says
 *    so is on disk before that.
 * 2. A dispatch whose end was not noted is never followed by another, unless a lookup or a person said
 *    that it did not happen.
 * 3. The approval a call needs is used up in the same transaction.
 */
export interface EffectLedger {
  begin(start: EffectStart): Promise<Begun>;
  settle(place: EffectPlace, settlement: Settlement): Promise<void>;
  /** Uses up the approval of a call that needs no row. Gives the error when it may not be made. */
  approve(place: EffectPlace, use: ApprovalUse): Promise<AppError | undefined>;
}

/** `durability`: what the end of an effect survives when it is noted; its beginning survives everything. */
export function createEffectLedger(
  store: EffectStore,
  durability: 'normal' | 'full',
): EffectLedger {
  return {
    begin: ({ runId, step, ...start }) =>
      store.change({ runId, step, durability: 'full' }, (rows) =>
        begin(rows, { runId, step, ...start }),
      ),
    // Losing it with the power leaves the row as dispatched: a person is asked, nothing is repeated.
    settle: ({ runId, step }, settlement) =>
      store.change({ runId, step, durability }, ({ effect }) => settled(effect, settlement)),
    approve: ({ runId, step }, use) =>
      store.change({ runId, step, durability: 'full' }, ({ approvals }) => {
        const verdict = useApproval(approvals, use);
        const { approval } = verdict;
        const result = verdict.kind === 'refused' ? verdict.error : undefined;
        return { ...(approval ? { approval } : {}), result };
      }),
  };
}

function begin({ effect: row, approvals }: StepRows, start: EffectStart): RowChange<Begun> {
  if (row?.state === 'succeeded' && row.generation >= start.generation) {
    return { result: { kind: 'done', outcome: row.outcome } };
  }
  const isOpen = row !== undefined && (row.state === 'dispatched' || row.state === 'unknown');
  if (isOpen && !mayRepeat(row, start)) {
    const { id, dispatch, dispatchedAtMs, dispatcher } = row;
    return { result: { kind: 'open', id, dispatch, dispatchedAtMs, dispatcher } };
  }
  // The server may know the id: if it did happen after all, it can tell that this is the same call.
  const id = isOpen ? row.id : start.id;
  const use = start.approval && { ...start.approval, effectId: id, nowMs: start.nowMs };
  const verdict = use && useApproval(approvals, use);
  const approval = verdict?.approval ? { approval: verdict.approval } : {};
  if (verdict?.kind === 'refused') {
    const { error } = verdict;
    return { ...approval, result: { kind: 'refused', error } };
  }
  const dispatch = (row?.dispatch ?? 0) + 1;
  const effect = dispatchedRow(start, { id, dispatch });
  return { effect, ...approval, result: { kind: 'dispatch', id, dispatch } };
}

/** A run goes from "unknown" to its next attempt only when a person said that it did not happen. */
function mayRepeat(row: EffectRow, start: EffectStart): boolean {
  if (start.notHappened === row.dispatch) return true;
  const wasTold = row.state === 'unknown' && row.generation === start.generation;
  return wasTold && row.attempt < start.attempt;
}

function dispatchedRow(
  start: EffectStart,
  { id, dispatch }: { readonly id: string; readonly dispatch: number },
): EffectRow {
  const { runId, step, generation, attempt, callerId, server, tool, argumentsDigest } = start;
  return {
    id,
    runId,
    step,
    generation,
    attempt,
    dispatch,
    state: 'dispatched',
    callerId,
    server,
    tool,
    argumentsDigest,
    approvalId: start.approval?.approvalId ?? null,
    dispatchedAtMs: start.nowMs,
    dispatcher: start.dispatcher,
    settledAtMs: null,
    outcome: null,
  };
}

function settled(row: EffectRow | undefined, settlement: Settlement): RowChange<void> {
  const result = undefined;
  const isOpen = row?.state === 'dispatched' || row?.state === 'unknown';
  if (!row || !isOpen || row.dispatch !== settlement.dispatch) return { result };
  const { state, attempt, generation, nowMs } = settlement;
  const told = { ...row, state, attempt, generation };
  if (state === 'unknown') return { effect: told, result };
  const outcome = state === 'succeeded' ? settlement.outcome : null;
  return { effect: { ...told, outcome, settledAtMs: nowMs }, result };
}
