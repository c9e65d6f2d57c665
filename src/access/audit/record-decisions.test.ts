import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { silentLog } from '../../kernel/index.ts';
import type { NewAuditEntry } from '../../contract/access/index.ts';
import { maxRefusals, recordDecisions } from './record-decisions.ts';

function aRecorder() {
  const entries: NewAuditEntry[] = [];
  const time = { now: 0 };
  const clock = { now: () => time.now };
  const audit = { record: (entry: NewAuditEntry) => void entries.push(entry) };
  return { entries, time, recorder: recordDecisions(audit, { clock, log: silentLog }) };
}

it('records a call by caller, rule, digest of its arguments and trace, never the arguments', () => {
  const { entries, recorder } = aRecorder();
  const caller = { id: 'acme/a', tenant: 'acme', role: 'developer', credential: 'k1' } as const;
  const meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const args = { password: 'hunter2-secret' };
  recorder.call({ tool: 'bank.pay', args, context: { caller, face: 'mcp', meta } });
  recorder.call({
    tool: 'bank.pay',
    args: undefined,
    context: { caller: localCaller, meta: {} },
    refusal: 'fleet.tool_quarantined',
  });
  expect(entries).toEqual([
    expect.objectContaining({
      callerId: 'acme/a',
      tenant: 'acme',
      credential: 'k1',
      action: 'tools.call',
      target: 'bank.pay',
      isAllowed: true,
      rule: 'role developer',
      face: 'mcp',
      argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      traceId: '0af7651916cd43dd8448eb211c80319c',
    }),
    expect.objectContaining({
      callerId: 'local',
      isAllowed: false,
      rule: 'fleet.tool_quarantined',
      face: 'run',
      argumentsDigest: null,
      traceId: null,
    }),
  ]);
  expect(JSON.stringify(entries)).not.toContain('hunter2');
});

it('records refused requests one by one up to a number a minute, and then counts them', () => {
  const { entries, recorder, time } = aRecorder();
  const request = {
    by: 'identity',
    status: 401,
    message: 'no token',
    method: 'POST',
    path: '/mcp',
    address: '10.0.0.1',
  } as const;
  for (let n = 0; n < maxRefusals + 50; n += 1) recorder.refused(request);
  expect(entries).toHaveLength(maxRefusals);
  expect(entries[0]).toMatchObject({
    action: 'auth.refused',
    target: 'POST /mcp',
    rule: '401: no token',
    isAllowed: false,
    callerId: null,
    address: '10.0.0.1',
  });
  time.now += 60_000;
  recorder.refused({ ...request, by: 'guard', path: '/api/v1/runs' });
  expect(entries.slice(maxRefusals)).toMatchObject([
    { rule: '50 more requests were refused within a minute' },
    { action: 'guard.refused', face: 'rest' },
  ]);
});
