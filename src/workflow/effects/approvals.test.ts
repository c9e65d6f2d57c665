import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ApproveOutcome, CallInput } from '../engine/activity-data.ts';
import type { ActivityRequest } from '../engine/run-scope.ts';
import { approvalPolicy, type ApprovalRow } from './effect-ports.ts';
import { createApprovals, type Approvals } from './approvals.ts';
import {
  aWorkbench,
  gives,
  readOnly,
  says,
  type Workbench,
  type WorkbenchOptions,
} from '../../../testkit/workflow/effects/a-workbench.ts';
import { UnknownApprovalError } from './errors.ts';
import { MemoryEffectStore } from '../../../testkit/workflow/effects/memory-effect-store.ts';
import { anApprovalRow } from '../../../testkit/workflow/effects/rows.ts';

const args = { value: { amount: 5, to: 'x' } };
const dayMs = 86_400_000;

type Decide = Approvals['decide'];

function aBench(options: WorkbenchOptions = {}): Workbench {
  return aWorkbench(
    {
      's.t': { run: () => gives({ done: true }) },
      's.other': { run: () => gives({ done: true }) },
      'r.t': { run: () => gives({ done: true }) },
      's.read': { ...readOnly, run: () => gives({ done: true }) },
      's.fails': { run: () => ({ ...says('no'), isError: true }) },
    },
    options,
  );
}

function idOf(outcome: ApproveOutcome): string {
  if (outcome.kind !== 'asked') throw new Error(JSON.stringify(outcome));
  return outcome.approvalId;
}

/** Asks for what `call` will do, and has it approved. */
async function approved(bench: Workbench, tool = 's.t'): Promise<string> {
  const approvalId = idOf(await bench.ask({ tool, args }));
  await bench.approvals.decide(localCaller, { approvalId }, { verdict: 'approved' });
  return approvalId;
}

describe('asking for approval', () => {
  it('is written down, bound to what is to be done, before the run waits for it', async () => {
    const bench = aBench();
    const outcome = await bench.ask({ args, message: { value: 'Pay 5?' }, expiresMs: 60_000 });
    expect(outcome).toEqual({
      kind: 'asked',
      approvalId: expect.stringMatching(/^[0-9a-f]{16}$/),
      expiresInMs: 60_000,
      startedAt: 1_000_000,
    });
    expect(await bench.approvals.open(localCaller, 'run1')).toEqual([
      {
        approvalId: idOf(outcome),
        callerId: 'local',
        runId: 'run1',
        step: 'a',
        server: 's',
        tool: 's.t',
        argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        arguments: args.value,
        policyVersion: '1:plan',
        toolDigest: expect.stringMatching(/^sha256:/) as string,
        message: 'Pay 5?',
        preview: null,
        askedAtMs: 1_000_000,
        expiresAtMs: 1_060_000,
        state: 'pending',
        decidedBy: null,
        decidedAtMs: null,
        reason: null,
        usedBy: null,
      } satisfies ApprovalRow,
    ]);
  });

  it('again for the very same, as after a crash, is the same question', async () => {
    const bench = aBench();
    const first = idOf(await bench.ask({ args }));
    bench.clock.nowMs += 5;
    const reordered = { value: { to: 'x', amount: 5 } };
    const again = await bench.ask({ args: reordered });
    expect(again).toMatchObject({ approvalId: first, expiresInMs: 7 * dayMs - 5 });
    await bench.approvals.decide(localCaller, { runId: 'run1' }, { verdict: 'approved' });
    expect(idOf(await bench.ask({ args }))).toBe(first);
  });

  it('again for what was approved meanwhile tells the run once more', async () => {
    const bench = aBench();
    const approvalId = await approved(bench);
    const name = `approval:${approvalId}`;
    const raw = new DatabaseSync(bench.store.path);
    raw.exec('DELETE FROM run_signals');
    raw.close();
    expect(idOf(await bench.ask({ args }))).toBe(approvalId);
    const payload = { verdict: 'approved', by: 'local', atMs: 1_000_000 };
    expect(await bench.store.runs.signals('run1')).toEqual([{ name, payload }]);
  });

  it('for something else, or after it was denied, used or too late, is another question', async () => {
    const bench = aBench();
    const first = idOf(await bench.ask({ args }));
    expect(idOf(await bench.ask({ args: { value: { amount: 6 } } }))).not.toBe(first);
    await bench.approvals.decide(localCaller, { approvalId: first }, { verdict: 'denied' });
    const second = idOf(await bench.ask({ args }));
    expect(second).not.toBe(first);
    bench.clock.nowMs += 7 * dayMs;
    const third = await approved(bench);
    expect(third).not.toBe(second);
    await bench.call({ args, approvalId: third });
    expect(idOf(await bench.ask({ args }))).not.toBe(third);
  });

  it('is possible for a gate, which calls nothing', async () => {
    const bench = aBench();
    await bench.ask({ tool: null });
    expect(await bench.approvals.open(localCaller, 'run1')).toMatchObject([
      { server: null, tool: null, message: 'Step "a" waits for approval' },
    ]);
  });

  it('shows the beginning of arguments that are too long to be read', async () => {
    const bench = aBench();
    await bench.ask({ args: { value: { text: 'x'.repeat(100_000) } } });
    const [open] = await bench.approvals.open(localCaller, 'run1');
    expect(open?.arguments).toMatch(/^\{"text":"x+…$/);
    expect(JSON.stringify(open?.arguments).length).toBeLessThan(20_000);
    expect(open?.message).toBe('Step "a" wants to call s.t');
  });

  it('fails for a tool that is not there, and ends with the run', async () => {
    const bench = aBench();
    expect(await bench.ask({ tool: 'no.such' })).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.unknown_tool' },
    });
    const signal = AbortSignal.abort('stop');
    await expect(bench.ask({}, { signal })).rejects.toBe('stop');
  });
});

describe('what a person is asked', () => {
  it.each([
    [{ value: { amount: 5 } }, '{"amount":5}'],
    [
      { value: 'x'.repeat(5_000) },
      `${'x'.repeat(1_000)}… [3000 of 5000 characters left out] …${'x'.repeat(1_000)}`,
    ],
  ])('is a text of a length somebody reads', async (message, text) => {
    const bench = aBench();
    await bench.ask({ args, message });
    const [open] = await bench.approvals.open(localCaller, 'run1');
    expect(open?.message).toBe(text);
  });
});

describe('a preview', () => {
  const basis = { file: 'sha256:1' };

  it('is kept with the question, and its basis goes to the tool with the call', async () => {
    const asked: unknown[] = [];
    const bench = aBench({
      preview: async (call) => {
        asked.push(call);
        return { text: '-old\n+new', basis };
      },
    });
    const approvalId = await approved(bench);
    expect(asked).toEqual([{ server: 's', tool: 't', args: args.value }]);
    expect(await bench.store.effects.approval(approvalId)).toMatchObject({
      preview: { text: '-old\n+new', basis },
    });
    await bench.call({ args, approvalId });
    expect(bench.calls[0]?.meta).toMatchObject({ 'tutti/approvedBasis': basis });
  });

  it('that is another when the step asks again makes it another question', async () => {
    let now = basis;
    const bench = aBench({ preview: async () => ({ text: 'x', basis: now }) });
    const first = idOf(await bench.ask({ args }));
    expect(idOf(await bench.ask({ args }))).toBe(first);
    now = { file: 'sha256:2' };
    expect(idOf(await bench.ask({ args }))).not.toBe(first);
  });

  it('that says the call changes nothing approves it unasked, unless the plan has a question of its own', async () => {
    const bench = aBench({ preview: async () => ({ text: 'x', basis, changesNothing: true }) });
    const approvalId = idOf(await bench.ask({ args }));
    expect(await bench.approvals.open(localCaller, 'run1')).toEqual([]);
    await bench.call({ args, approvalId });
    expect(bench.calls[0]?.meta).toMatchObject({ 'tutti/approvedBasis': basis });
    await bench.ask({ args, message: { value: 'Really?' } });
    expect(await bench.approvals.open(localCaller, 'run1')).toMatchObject([{ message: 'Really?' }]);
  });

  it('that fails ends the step before anybody is asked', async () => {
    const bench = aBench({
      preview: async () => {
        throw new UnknownApprovalError('no such file');
      },
    });
    expect(await bench.ask({ args })).toMatchObject({ kind: 'failed' });
    expect(await bench.approvals.open(localCaller, 'run1')).toEqual([]);
  });
});

describe('deciding', () => {
  it('stores the verdict and tells the run, as one', async () => {
    const bench = aBench();
    const approvalId = idOf(await bench.ask({ args }));
    bench.clock.nowMs += 5;
    const verdict = { verdict: 'denied', reason: 'too much' } as const;
    expect(await bench.approvals.decide(localCaller, { approvalId }, verdict)).toMatchObject({
      state: 'denied',
      decidedBy: 'local',
      decidedAtMs: 1_000_005,
      reason: 'too much',
    });
    expect(await bench.store.runs.signals('run1')).toEqual([
      { name: `approval:${approvalId}`, payload: { ...verdict, by: 'local', atMs: 1_000_005 } },
    ]);
    expect(await bench.approvals.open(localCaller, 'run1')).toEqual([]);
  });

  it('the same once more changes nothing; otherwise is refused', async () => {
    const bench = aBench();
    const approvalId = await approved(bench);
    const decide: Decide = (...choice) => bench.approvals.decide(...choice);
    await decide(localCaller, { approvalId }, { verdict: 'approved', reason: 'again' });
    await expect(decide(localCaller, { approvalId }, { verdict: 'denied' })).rejects.toMatchObject({
      code: 'workflow.approval_decided',
    });
    expect(await bench.store.effects.approval(approvalId)).toMatchObject({
      state: 'approved',
      reason: null,
    });
    expect(await bench.store.runs.signals('run1')).toHaveLength(1);
  });

  it('by run and step finds the one that is open', async () => {
    const bench = aBench();
    await bench.ask({ step: 'a' });
    await bench.ask({ step: 'b[1]' });
    const decide: Decide = (...choice) => bench.approvals.decide(...choice);
    const approve = { verdict: 'approved' } as const;
    await expect(decide(localCaller, { runId: 'run1' }, approve)).rejects.toMatchObject({
      code: 'workflow.approval_ambiguous',
      details: { steps: ['a', 'b[1]'] },
    });
    expect(await decide(localCaller, { runId: 'run1', step: 'b[1]' }, approve)).toMatchObject({
      step: 'b[1]',
    });
    expect(await decide(localCaller, { runId: 'run1' }, approve)).toMatchObject({ step: 'a' });
    for (const step of [{}, { step: 'a' }]) {
      await expect(decide(localCaller, { runId: 'run1', ...step }, approve)).rejects.toMatchObject({
        code: 'workflow.unknown_approval',
      });
    }
  });

  it('of a step that asked twice is about what it wants to do now', async () => {
    const bench = aBench();
    await bench.ask({ args });
    bench.clock.nowMs += 1;
    const newest = idOf(await bench.ask({ args: { value: { amount: 6 } } }));
    const choice = { runId: 'run1', step: 'a' };
    const decided = await bench.approvals.decide(localCaller, choice, { verdict: 'approved' });
    expect(decided.approvalId).toBe(newest);
  });

  it('is not possible for others, or when it is too late', async () => {
    const bench = aBench();
    const approvalId = idOf(await bench.ask({ args, expiresMs: 1_000 }));
    const decide: Decide = (...choice) => bench.approvals.decide(...choice);
    const open: Approvals['open'] = (...whose) => bench.approvals.open(...whose);
    const stranger = { id: 'stranger' };
    const approve = { verdict: 'approved' } as const;
    expect(await open(stranger, 'run1')).toEqual([]);
    await expect(decide(stranger, { approvalId }, approve)).rejects.toMatchObject({
      code: 'workflow.unknown_approval',
    });
    await expect(decide(localCaller, { approvalId: 'none' }, approve)).rejects.toMatchObject({
      code: 'workflow.unknown_approval',
    });
    bench.clock.nowMs += 1_000;
    expect(await open(localCaller, 'run1')).toEqual([]);
    await expect(decide(localCaller, { approvalId }, approve)).rejects.toMatchObject({
      code: 'workflow.approval_expired',
    });
    expect(await bench.store.runs.signals('run1')).toEqual([]);
  });

  it('what was removed meanwhile says that there is nothing to decide', async () => {
    const bench = aBench();
    const store = Object.assign(new MemoryEffectStore(), { approval: async () => anApprovalRow() });
    const approvals = createApprovals(store, bench.clock);
    await expect(
      approvals.decide(localCaller, { approvalId: 'a1' }, { verdict: 'approved' }),
    ).rejects.toMatchObject({ code: 'workflow.unknown_approval' });
  });
});

describe.each([['s.t'], ['s.read']])('an approved call of %s', (tool) => {
  it('is made, and its approval is used up for it', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({ kind: 'succeeded' });
    expect(await bench.store.effects.approval(approvalId)).toMatchObject({ usedBy: 'run1:a:0' });
  });

  it('needs no other approval for the next attempt', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    await bench.call({ tool, args, approvalId });
    expect(await bench.call({ tool, args, approvalId, attempt: 2 })).toMatchObject({
      kind: 'succeeded',
    });
  });

  interface Change {
    readonly input?: Partial<CallInput>;
    readonly request?: Partial<ActivityRequest>;
    readonly options?: WorkbenchOptions;
    readonly changed: string;
  }
  const other = tool === 's.t' ? 's.other' : 's.t';

  it.each<[string, Change]>([
    [
      'a changed argument',
      { input: { args: { value: { amount: 6, to: 'x' } } }, changed: 'arguments' },
    ],
    [
      'one more argument',
      { input: { args: { value: { ...args.value, z: null } } }, changed: 'arguments' },
    ],
    ['another tool', { input: { tool: other }, changed: 'tool' }],
    ['another server', { input: { tool: 'r.t' }, changed: 'server' }],
    ['another step', { input: { step: 'b' }, changed: 'run or step' }],
    ['another run', { request: { runId: 'run2' }, changed: 'run or step' }],
    ['another caller', { request: { callerId: 'stranger' }, changed: 'caller' }],
    ['another policy', { options: { policy: approvalPolicy('effects') }, changed: 'policy' }],
  ])('is not made with %s', async (_what, { input, request, options, changed }) => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    const later = aBench({ effects: bench.store.effects, clock: bench.clock, ...options });
    const outcome = await later.call({ tool, args, approvalId, ...input }, request);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'workflow.approval_void', details: { approvalId } },
      isRetryable: false,
    });
    expect(outcome).toHaveProperty('error.details.changed', expect.arrayContaining([changed]));
    expect(later.calls).toEqual([]);
    expect(await bench.store.effects.effects('run1')).toEqual([]);
  });

  it('is void for good once something else was tried with it', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    await bench.call({ tool, approvalId, args: { value: { amount: 500 } } });
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({
      error: { code: 'workflow.approval_void', message: expect.stringContaining('void already') },
    });
  });

  it('stays approved when a stranger tries to use it', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    await bench.call({ tool, args, approvalId }, { callerId: 'stranger' });
    await bench.call({ tool, args, approvalId, step: 'b' });
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({ kind: 'succeeded' });
  });

  it('is not made after its time, whenever it was approved', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    bench.clock.nowMs += 7 * dayMs;
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({
      error: { code: 'workflow.approval_expired' },
      isRetryable: false,
    });
    expect(bench.calls).toEqual([]);
  });

  it('is not made when it was denied, or not decided', async () => {
    const bench = aBench();
    const approvalId = idOf(await bench.ask({ tool, args }));
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({
      error: { code: 'workflow.approval_required' },
    });
    await bench.approvals.decide(
      localCaller,
      { approvalId },
      { verdict: 'denied', reason: 'no way' },
    );
    expect(await bench.call({ tool, args, approvalId })).toMatchObject({
      error: { code: 'workflow.approval_denied', message: expect.stringContaining('no way') },
    });
    expect(bench.calls).toEqual([]);
  });

  it('is not made a second time when the step was forgotten: that is another effect', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, tool);
    await bench.call({ tool, args, approvalId });
    expect(await bench.call({ tool, args, approvalId }, { generation: 1 })).toMatchObject({
      error: { code: 'workflow.approval_used' },
    });
    expect(bench.calls).toHaveLength(1);
  });
});

describe('an approved effect', () => {
  it('keeps its approval when it certainly failed and is tried again', async () => {
    const bench = aBench();
    const approvalId = await approved(bench, 's.fails');
    for (const attempt of [1, 2]) {
      expect(await bench.call({ tool: 's.fails', args, approvalId, attempt })).toMatchObject({
        error: { code: 'workflow.tool_failed' },
      });
    }
    expect(bench.calls).toHaveLength(2);
    expect(await bench.store.effects.effects('run1')).toMatchObject([{ approvalId, dispatch: 2 }]);
  });
});
