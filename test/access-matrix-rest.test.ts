import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { apiRoutes } from '../src/api/route-table.ts';
import { isPermitted, roles, type Role } from '../src/contract/access/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { aService, type AService } from '../testkit/access/a-service.ts';
import examples from '../src/api/document/examples.json' with { type: 'json' };

/**
 * Operations of the API × principals × own, other and missing object. What a role may is in the table of permissions;
 * the answer to an object of another caller must be that to a missing one, byte for byte but for its id.
 */
const checks = isProof ? 20_000 : 1_000;
const atOnce = 8;
const maxText = 2_000;
const setUpLimit = { timeout: 20_000, interval: 50 };

interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Whose = 'own' | 'other' | 'missing';

/** Objects that belong to a caller, by the first part of the path of their routes. */
const missingIds = {
  runs: 'zzzzzzzzzzzzzzzzzz',
  sessions: '000000000000',
  contexts: `ctx-${'0'.repeat(64)}`,
  artifacts: `sha256:${'0'.repeat(64)}`,
  memory: 'm000000000000',
  failures: '000000000000',
  traces: '0'.repeat(32),
  keys: 'key_0000000000000000',
  turns: '00000000-0000-4000-8000-000000000000',
  tenants: 'nowhere',
} as const;
type Kind = keyof typeof missingIds;

const kindOf = (path: string): Kind | undefined =>
  Object.keys(missingIds).find((kind): kind is Kind => path.startsWith(`/${kind}/{`));

interface Principal {
  readonly role: Role;
  readonly tenant: string;
  readonly token: string;
  readonly ids: Readonly<Record<Kind, string>>;
}

/** They end what others use: each is tried with objects of others and missing ones alone. */
const isDestructive = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'delete' || /\/(?:enable|rotate)$/.test(path);

/** Open streams and instances end by themselves only; everything else is asked. */
const operations = apiRoutes.filter(({ path }) => !/^\/instances\/|events$/.test(path));
const owned = apiRoutes.filter(({ path }) => kindOf(path) !== undefined);

let service: AService;
let principals: readonly Principal[];

async function send(
  token: string,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return { status: response.status, text: text.slice(0, maxText) };
}

/** A principal with one object of each kind, which a developer of the same caller made. */
async function aPrincipal(role: Role, tenant: string): Promise<Principal> {
  const name = `${role}-of-${tenant}`;
  const { keys, experience } = service.system;
  const maker = await keys.create(localCaller, { name, user: name, role: 'owner', tenant });
  const caller = { id: `${tenant}/${name}`, tenant };
  const make = async (path: string, body: object, idOf = 'id'): Promise<string> => {
    const { text } = await send(maker.secret, { method: 'post', path, body });
    return String(Object(JSON.parse(text))[idOf]);
  };
  // Artifacts are named after their content, so each principal has one of its own.
  const text = name.padEnd(70_000, 'x');
  const big = { id: 'big', tool: 'alpha.echo', args: { text } };
  const plan = { steps: [big, { id: 'ask', approval: { message: 'Go on?' } }] };
  const runs = await make('/runs', { plan }, 'runId');
  await vi.waitFor(async () => {
    const { text: view } = await send(maker.secret, { method: 'get', path: `/runs/${runs}` });
    expect(JSON.parse(view)).toMatchObject({ status: 'waiting' });
  }, setUpLimit);
  const list = async (path: string): Promise<readonly Record<string, string>[]> =>
    Object(JSON.parse((await send(maker.secret, { method: 'get', path: `${path}limit=1` })).text))
      .items;
  const first = async (path: string, id: string): Promise<string> => {
    await vi.waitFor(async () => expect(await list(path)).not.toEqual([]), setUpLimit);
    return String((await list(path))[0]?.[id]);
  };
  experience.failed(caller, {
    kind: 'step',
    subject: 'alpha.echo',
    target: 'alpha.echo',
    arguments: {},
    surroundings: {},
    error: { code: 'tool.failed', message: `listen EADDRINUSE ${name}`, details: {} },
    runId: runs,
  });
  await experience.flush();
  const ids = {
    runs,
    sessions: await make('/sessions', {}),
    contexts: await make('/contexts', { name: 'notes', items: [{ title: 'a', text: name }] }),
    artifacts: await first(`/artifacts?runId=${runs}&`, 'id'),
    memory: await make('/memory', { text: `The word of ${name} is ${name}` }),
    failures: await first('/failures?', 'id'),
    traces: await first('/traces?', 'traceId'),
    keys: (await keys.create(localCaller, { name: 'spare', user: name, role: 'viewer', tenant }))
      .key.id,
    turns: await make('/turns', { message: 'format app.py', planOnly: true }, 'turnId'),
    tenants: tenant,
  };
  const { secret } = await keys.create(localCaller, {
    name: `${name}-2`,
    user: name,
    role,
    tenant,
  });
  return { role, tenant, token: secret, ids };
}

beforeAll(async () => {
  const rate_limit = {
    per_second: 100_000,
    burst: 100_000,
    address_per_second: 100_000,
    address_burst: 100_000,
  };
  service = await aService({ server: { rate_limit } });
  const made: Principal[] = [];
  for (const role of roles) made.push(await aPrincipal(role, `tenant-${role}`));
  // One more of a high role, for objects of another tenant.
  made.push(await aPrincipal('owner', 'elsewhere'));
  principals = made;
}, 180_000);

afterAll(() => service.close());

function requestOf(route: (typeof apiRoutes)[number], id: string) {
  const { method, path } = route;
  const example = (examples as Readonly<Record<string, Example>>)[
    `${method.toUpperCase()} ${path}`
  ];
  const filled = path
    .replace(/\{id\}|\{name\}/, encodeURIComponent(id))
    .replaceAll(/\{\w+\}/g, 'x');
  const search = example?.query ? `?${new URLSearchParams(example.query).toString()}` : '';
  const body = method === 'post' ? (example?.body ?? {}) : undefined;
  return { method, path: `${filled}${search}`, body };
}

it('every operation is refused to roles without its permission, whatever it names', async () => {
  for (const route of operations) {
    for (const who of principals) {
      if (isPermitted({ id: '', role: who.role }, route.permission)) continue;
      const kind = kindOf(route.path);
      for (const id of kind ? [who.ids[kind], missingIds[kind]] : ['code']) {
        const { status, text } = await send(who.token, requestOf(route, id));
        const name = `${who.role} ${route.method} ${route.path}: ${text}`;
        expect(status, name).toBe(403);
        expect(text, name).toContain(route.permission);
      }
    }
  }
}, 300_000);

it(`what belongs to another caller does not exist, in ${checks} checks`, async () => {
  const random = seededRandom(20_252);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from');
    return item;
  };
  const counts = { own: 0, other: 0, missing: 0 };
  const leaks: string[] = [];
  const check = async (): Promise<void> => {
    const route = pick(owned.filter(({ path }) => !path.endsWith('events')));
    const kind = kindOf(route.path);
    const who = pick(principals);
    if (kind === undefined) return;
    const other = pick(principals.filter(({ tenant }) => tenant !== who.tenant));
    const whose: Whose = pick(['own', 'other', 'other', 'missing']);
    counts[whose] += 1;
    const ask = (id: string) => send(who.token, requestOf(route, id));
    const isAllowed = isPermitted({ id: '', role: who.role }, route.permission);
    const name = `${who.role} ${route.method} ${route.path} ${whose}`;
    if (whose === 'own') {
      if (route.method !== 'get' || isDestructive(route)) return;
      const { status, text } = await ask(who.ids[kind]);
      const codes = isAllowed ? [200, 204, 400, 404, 409] : [403];
      if (!codes.includes(status) || status >= 500) leaks.push(`${name}: ${status} ${text}`);
      return;
    }
    const [theirs, none] = [await ask(other.ids[kind]), await ask(missingIds[kind])];
    const same = theirs.text.replaceAll(other.ids[kind], missingIds[kind]);
    if (theirs.status !== none.status || same !== none.text) {
      leaks.push(`${name}: ${theirs.status} ${theirs.text} | ${none.status} ${none.text}`);
    }
    const codes = isAllowed ? [400, 404, 409, 422] : [403];
    if (!codes.includes(none.status)) leaks.push(`${name}: ${none.status} ${none.text}`);
  };
  let left = checks;
  const worker = async (): Promise<void> => {
    while ((left -= 1) >= 0) await check();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect([...new Set(leaks)].slice(0, 20)).toEqual([]);
  expect(counts.other).toBeGreaterThan(checks / 4);
}, 1_800_000);

it('its own objects exist for each principal that may read them', async () => {
  const reading = owned.filter(
    ({ method, path }) => method === 'get' && path.split('/').length === 3,
  );
  expect(reading.length).toBeGreaterThan(6);
  for (const route of reading) {
    const kind = kindOf(route.path);
    for (const who of principals) {
      if (!kind || !isPermitted({ id: '', role: who.role }, route.permission)) continue;
      const { status, text } = await send(who.token, requestOf(route, who.ids[kind]));
      expect(status, `${who.role} ${route.path}: ${text}`).toBe(200);
    }
  }
});
