import type { ApprovalRow, EffectRow } from '../../../src/workflow/effects/effect-ports.ts';

export function anEffectRow(changes: Partial<EffectRow> = {}): EffectRow {
  return {
    id: 'run1:pay:0',
    runId: 'run1',
    step: 'pay',
    generation: 0,
    attempt: 1,
    dispatch: 1,
    state: 'dispatched',
    callerId: 'local',
    server: 'bank',
    tool: 'bank.pay',
    argumentsDigest: 'sha256:1',
    approvalId: null,
    dispatchedAtMs: 1_000,
    dispatcher: { pid: 7, processStart: 'here|1' },
    settledAtMs: null,
    outcome: null,
    ...changes,
  };
}

export function anApprovalRow(changes: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    approvalId: 'a1',
    callerId: 'local',
    runId: 'run1',
    step: 'pay',
    server: 'bank',
    tool: 'bank.pay',
    argumentsDigest: 'sha256:1',
    arguments: { amount: 5, to: 'ü "x"' },
    policyVersion: '1:plan',
    toolDigest: 'sha256:2',
    message: 'Pay?',
    preview: { text: 'Pays 5', basis: { account: '7', other: null } },
    askedAtMs: 1_000,
    expiresAtMs: 61_000,
    state: 'pending',
    decidedBy: null,
    decidedAtMs: null,
    reason: null,
    usedBy: null,
    ...changes,
  };
}
