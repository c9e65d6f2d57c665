import { beforeAll, describe, expect, it } from 'vitest';
import { aWall, type Answer, type Ask, type Json } from '../support/wall/a-wall.ts';

/** Class 4 over REST: keys of two tenants and of every role. */
const wall = aWall();
const tokens: Record<string, string> = {};

async function as(who: string, ask: Ask): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokens[who]}`, ...ask.headers };
  return wall.http({ ...ask, path: `/api/v1${ask.path ?? ''}`, headers });
}

async function post(who: string, path: string, body: object): Promise<Json> {
  const answer = await as(who, { method: 'POST', path, body });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return JSON.parse(answer.text) as Json;
}

const waiting = {
  plan: { name: 'waits', steps: [{ id: 'ask', approval: { message: 'Go on?' } }] },
};
const missingRun = '0k9x2m4c7v5b8n1z3q';

beforeAll(async () => {
  tokens['machine'] = wall.token;
  for (const [user, tenant, role] of [
    ['anna', 'acme', 'developer'],
    ['bert', 'zeta', 'developer'],
    ['vera', 'acme', 'viewer'],
    ['otto', 'acme', 'operator'],
    ['ada', 'acme', 'admin'],
  ] as const) {
    const made = await post('machine', '/keys', { name: user, tenant, role });
    tokens[user] = String(made['secret']);
  }
});

describe('keys', () => {
  it.each(['vera', 'otto', 'anna'])(
    'are neither shown to nor made, rotated or revoked by %s, who may not manage them (CVE-2026-41487)',
    async (who) => {
      const [key] = (JSON.parse((await as('ada', { path: '/keys' })).text) as { items: Json[] })
        .items;
      const id = String(key?.['id']);
      const tries: Ask[] = [
        { path: '/keys' },
        { method: 'POST', path: '/keys', body: { name: 'more', role: 'owner' } },
        { method: 'POST', path: `/keys/${id}/rotate`, body: {} },
        { method: 'DELETE', path: `/keys/${id}` },
        { path: '/audit' },
      ];
      for (const ask of tries) {
        const { status, text } = await as(who, ask);
        expect([ask.path, status]).toEqual([ask.path, 403]);
        expect(text).not.toContain('tutti_');
      }
    },
  );

  it('of a higher role, or another tenant, are not made by an admin (CVE-2026-41487)', async () => {
    for (const body of [
      { name: 'up', role: 'owner' },
      { name: 'over', role: 'viewer', tenant: 'zeta' },
    ]) {
      const { status } = await as('ada', { method: 'POST', path: '/keys', body });
      expect([body.name, status >= 400]).toEqual([body.name, true]);
    }
    const listed = await as('ada', { path: '/keys' });
    expect(listed.text).not.toContain('zeta');
  });
});

it.each([
  { 'x-tenant-id': 'acme' },
  { 'x-tenant': 'acme', 'x-user': 'anna' },
  { 'x-forwarded-user': 'acme/anna' },
  { 'x-n8n-url': 'http://127.0.0.1', 'x-instance-id': 'acme' },
  { 'mcp-session-id': 'acme' },
  { cookie: 'tenant=acme' },
])('the tenant is that of the key, whatever %j says (CVE-2026-54052)', async (headers) => {
  const { runId } = await post('anna', '/runs', waiting);
  const list = await as('bert', { path: '/runs?limit=200', headers });
  expect([list.status, list.text.includes(String(runId))]).toEqual([200, false]);
  const shown = await as('bert', { path: `/runs/${String(runId)}`, headers });
  expect(shown.status).toBe(404);
});

it('a run of another tenant is not approved, denied or cancelled with its ids (CVE-2026-55544)', async () => {
  const runId = String((await post('anna', '/runs', waiting))['runId']);
  const view = async (): Promise<{ status: string; waitingFor: { approvalId: string }[] }> =>
    JSON.parse((await as('anna', { path: `/runs/${runId}` })).text);
  await expect.poll(async () => (await view()).status).toBe('waiting');
  const approvalId = (await view()).waitingFor[0]?.approvalId;
  for (const action of ['approve', 'deny', 'cancel', 'pause', 'retry', 'fork']) {
    const body = action === 'approve' || action === 'deny' ? { approvalId } : {};
    const ask = (id: string) => as('bert', { method: 'POST', path: `/runs/${id}/${action}`, body });
    const [theirs, none] = [await ask(runId), await ask(missingRun)];
    expect([action, theirs.status]).toEqual([action, 404]);
    expect(theirs.text.replaceAll(runId, missingRun)).toBe(none.text);
  }
  expect((await view()).status).toBe('waiting');
});

it('what a tenant keeps under names of its own is read, changed and removed by no other that uses the same (CVE-2026-55608)', async () => {
  const context = { name: 'instance', items: [{ title: 'key', text: 'the key of acme' }] };
  const made = await post('anna', '/contexts', context);
  const item = await post('anna', '/memory', { text: 'The instance of acme is at port 5433' });
  const session = await post('anna', '/sessions', { title: 'instance' });
  const id = String(made['id'] ?? made['name']);
  for (const [path, missing] of [
    [`/contexts/${id}`, '/contexts/nowhere'],
    [`/memory/${String(item['id'])}`, '/memory/m00000000000'],
    [`/sessions/${String(session['id'])}`, '/sessions/000000000000'],
  ] as const) {
    expect([path, (await as('anna', { path })).status]).toEqual([path, 200]);
    for (const method of ['GET', 'DELETE']) {
      for (const headers of [{}, { 'x-instance-id': 'acme', 'x-tenant': 'acme' }]) {
        const [theirs, none] = [
          await as('bert', { method, path, headers }),
          await as('bert', { method, path: missing, headers }),
        ];
        const name = (of: string): string => of.split('/').at(-1) ?? '';
        expect([path, method, theirs.status]).toEqual([path, method, 404]);
        expect(theirs.text.replaceAll(name(path), name(missing))).toBe(none.text);
      }
    }
    expect((await as('anna', { path })).status).toBe(200);
  }
  for (const list of ['/contexts', '/memory', '/sessions']) {
    expect((await as('bert', { path: list })).text).not.toContain('instance');
  }
});

it('a turn of another tenant is not read or cancelled (CVE-2026-55550)', async () => {
  const turn = await post('anna', '/turns', { message: 'format app.py', planOnly: true });
  const id = String(turn['turnId']);
  const missing = '00000000-0000-4000-8000-000000000000';
  for (const ask of [
    (of: string): Ask => ({ path: `/turns/${of}/events` }),
    (of: string): Ask => ({ method: 'POST', path: `/turns/${of}/cancel`, body: {} }),
  ]) {
    const [theirs, none] = [await as('bert', ask(id)), await as('bert', ask(missing))];
    expect([theirs.status, theirs.text.replaceAll(id, missing)]).toEqual([404, none.text]);
  }
});

it('knowing the content of an artifact does not give it to another tenant (CVE-2026-62195)', async () => {
  const text = 'a'.repeat(70_000);
  const plan = {
    steps: [
      { id: 'big', tool: 'code.format_code', args: { code: `x = "${text}"`, language: 'python' } },
    ],
  };
  const runId = String((await post('anna', '/runs', { plan }))['runId']);
  const artifacts = async (): Promise<{ id: string }[]> =>
    JSON.parse((await as('anna', { path: `/artifacts?runId=${runId}` })).text).items;
  await expect.poll(async () => (await artifacts()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  const [artifact] = await artifacts();
  const id = encodeURIComponent(artifact?.id ?? '');
  const missing = encodeURIComponent(`sha256:${'0'.repeat(64)}`);
  for (const end of ['', '/content']) {
    expect((await as('anna', { path: `/artifacts/${id}${end}` })).status).toBe(200);
    const theirs = await as('bert', { path: `/artifacts/${id}${end}` });
    const none = await as('bert', { path: `/artifacts/${missing}${end}` });
    expect([theirs.status, none.status]).toEqual([404, 404]);
    const plain = (answer: Answer, given: string): string =>
      answer.text.replaceAll(decodeURIComponent(given), 'ID').replaceAll(given, 'ID');
    expect(plain(theirs, id)).toBe(plain(none, missing));
  }
}, 60_000);
