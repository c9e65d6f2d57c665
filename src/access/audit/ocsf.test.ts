import { expect, it } from 'vitest';
import { aDecision } from '../../../testkit/access/an-audit-log.ts';
import { chainEntries } from './chain.ts';
import { ocsfEvent } from './ocsf.ts';

function eventOf(parts: Parameters<typeof aDecision>[0]) {
  const [entry] = chainEntries(undefined, [
    { ...aDecision(parts), at: '2026-01-01T00:00:00.000Z' },
  ]);
  return ocsfEvent(entry!, '1.0.0');
}

it('is an API Activity with method, name and correlation id for a call', () => {
  expect(eventOf({})).toMatchObject({
    class_uid: 6003,
    category_uid: 6,
    type_uid: 600_399,
    activity_id: 99,
    time: Date.parse('2026-01-01'),
    status_id: 1,
    action_id: 1,
    actor: { user: { uid: 'local' } },
    metadata: { version: '1.3.0', uid: '1', correlation_uid: '0af7651916cd43dd8448eb211c80319c' },
    unmapped: {
      mcp_method: 'tools/call',
      mcp_name: 'code.review_code',
      correlation_id: '0af7651916cd43dd8448eb211c80319c',
    },
  });
});

it('is an Authentication for a login, with its address and outcome', () => {
  const refused = { action: 'auth.refused', isAllowed: false, callerId: null, address: '10.0.0.9' };
  expect(eventOf(refused)).toMatchObject({
    class_uid: 3002,
    type_uid: 300_201,
    status_id: 2,
    action_id: 2,
    severity_id: 3,
    user: { uid: 'unknown' },
    src_endpoint: { ip: '10.0.0.9' },
  });
  expect(eventOf({ action: 'servers.manage' })).toMatchObject({
    activity_id: 3,
    type_uid: 600_303,
  });
});

it('names the method that was refused, and on whose behalf a run acted', () => {
  const refused = {
    action: 'tools.call',
    target: 'tasks/list',
    face: 'mcp',
    isAllowed: false,
  } as const;
  expect(eventOf(refused)['unmapped']).toMatchObject({ mcp_method: 'tasks/list', mcp_name: null });
  const route = {
    action: 'tools.call',
    target: 'POST /api/v1/tools/a.b/call',
    face: 'rest',
  } as const;
  expect(eventOf(route)['unmapped']).toMatchObject({ mcp_method: null, mcp_name: null });
  const run = { tenant: 'acme', callerId: 'acme/ann', credential: 'key_1', face: 'run' } as const;
  expect(eventOf(run)['unmapped']).toMatchObject({
    delegation_path: ['acme', 'acme/ann', 'key_1', 'run'],
  });
});
