import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideTool, isInScope, isPermitted, roles } from '../src/contract/access/index.ts';
import { localCaller, type Caller } from '../src/contract/caller/index.ts';
import { methodPermissions } from '../src/gateway/method-permissions.ts';
import {
  aService,
  sessionHeaders,
  type AClient,
  type Answer,
  type AService,
  type Era,
} from '../testkit/access/a-service.ts';
import type { Json } from '../testkit/gateway/stdio-peer.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';

/**
 * Principals × MCP methods × eras × own, foreign and missing objects. What is expected follows from the tables of
 * permissions alone; every answer to a foreign object must equal the one to a missing object.
 */
const checks = isProof ? 20_000 : 1_200;
const atOnce = 12;

interface Principal {
  readonly name: string;
  readonly caller: Caller | undefined;
  readonly client: AClient;
  /** A run of its own, and the word that only its outputs have. */
  readonly runId: string;
  readonly canary: string;
}

type Whose = 'own' | 'foreign' | 'missing';
type Verdict = 'served' | 'forbidden' | 'not found' | 'unauthorized' | 'failed';

interface Case {
  readonly method: string;
  readonly params: (whose: Principal | undefined) => Json;
  /** The tool that is called, by its dotted name. */
  readonly tool?: string;
  /** The server whose resource or prompt it is. */
  readonly server?: string;
  /** Whether it names something that belongs to a caller. */
  readonly isOwned?: boolean;
  /** Whether what it names exists for no one. */
  readonly isMissing?: boolean;
}

const missingRun = 'zzzzzzzzzzzzzzzzzz';
const call = (name: string, args: Json = {}): Json => ({ name, arguments: args });
const toolCase = (tool: string, args: Json = {}): Case => ({
  method: 'tools/call',
  params: () => call(tool.replace('.', '__'), args),
  tool,
});

const cases: readonly Case[] = [
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map(
    (method): Case => ({ method, params: () => ({}) }),
  ),
  ...[
    'alpha.echo',
    'beta.echo',
    'workflow.list_runs',
    'admin.list_tools',
    'admin.get_server_status',
  ].map((tool) => toolCase(tool)),
  { ...toolCase('zeta.echo'), isMissing: true },
  { ...toolCase('code.no_such_tool'), isMissing: true },
  toolCase('admin.call_tool', { name: 'workflow.list_runs' }),
  toolCase('workflow.check_plan', { plan: { steps: [{ id: 'a', tool: 'alpha.echo', args: {} }] } }),
  {
    ...toolCase('workflow.get_run'),
    isOwned: true,
    params: (whose) => call('workflow__get_run', { run_id: whose?.runId ?? missingRun }),
  },
  ...['alpha', 'beta', 'zeta'].flatMap((server): Case[] => [
    {
      method: 'resources/read',
      params: () => ({ uri: `${server}://one` }),
      server,
      isMissing: server === 'zeta',
    },
    {
      method: 'prompts/get',
      params: () => ({ name: `${server}__greet` }),
      server,
      isMissing: server === 'zeta',
    },
  ]),
  {
    method: 'completion/complete',
    params: () => ({
      ref: { type: 'ref/prompt', name: 'alpha__greet' },
      argument: { name: 'a', value: '' },
    }),
  },
];

let service: AService;
let principals: readonly Principal[];

beforeAll(async () => {
  const rate_limit = {
    per_second: 100_000,
    burst: 100_000,
    address_per_second: 100_000,
    address_burst: 100_000,
    failed_logins_per_minute: 100_000,
  };
  service = await aService({ server: { rate_limit } });
  const made: Principal[] = [];
  const add = async (
    name: string,
    { caller, secret }: { caller: Caller | undefined; secret: string | undefined },
  ): Promise<void> => {
    const canary = `canary-of-${name}-`;
    const client = service.client(secret);
    const plan = { steps: [{ id: 'a', tool: 'alpha.echo', args: { canary } }] };
    const id = caller?.id ?? `none/${name}`;
    // Not every role may start runs, so each gets one that a token of the same caller started.
    const starter: Caller = { id, tenant: 'acme', role: 'developer', credential: 'jwt:0' };
    const { workflows } = service.system;
    const who = caller?.role === undefined && caller ? caller : starter;
    const { runId } = await workflows.start(who, { source: { kind: 'data', plan }, input: {} });
    const signal = AbortSignal.timeout(20_000);
    const view = await workflows.follow(who, runId, { execute: true, signal });
    expect(JSON.stringify(view)).toContain(canary);
    made.push({ name, caller, client, runId, canary });
  };
  const byKey = async (name: string, role: (typeof roles)[number], more: Json = {}) => {
    const wanted = { name, role, tenant: 'acme', ...more };
    const { key, secret } = await service.system.keys.create(localCaller, wanted);
    const { callerId, tenant, scopes } = key;
    const caller: Caller = { id: callerId, tenant, role, ...(scopes && { scopes }) };
    return { caller, secret, id: key.id };
  };
  await add('local', { caller: localCaller, secret: service.ownToken });
  for (const role of roles) await add(role, await byKey(role, role));
  await add('scoped', await byKey('scoped', 'developer', { scopes: ['alpha.*', 'workflow.*'] }));
  await add('elsewhere', await byKey('elsewhere', 'owner', { tenant: 'other' }));
  const revoked = await byKey('revoked', 'owner');
  await service.system.keys.revoke(localCaller, revoked.id);
  await add('revoked', { caller: undefined, secret: revoked.secret });
  await add('stranger', { caller: undefined, secret: undefined });
  principals = made;
}, 60_000);

afterAll(() => service.close());

const expectedFor = (who: Principal, it: Case, whose: Whose): Verdict => {
  const { caller } = who;
  if (!caller) return 'unauthorized';
  const permission = methodPermissions.get(it.method);
  if (permission === undefined) throw new Error(`${it.method} is not in the table`);
  if (permission === 'tool') {
    const { tool: name = '' } = it;
    const decision = decideTool(caller, { name, isOwn: !/^(?:alpha|beta|zeta)\./.test(name) });
    if (decision.isHidden || it.isMissing) return 'not found';
    if (!decision.isAllowed) return 'forbidden';
    return it.isOwned && whose !== 'own' ? 'not found' : 'served';
  }
  if (permission !== 'none' && !isPermitted(caller, permission)) return 'forbidden';
  const isSeen = it.server === undefined || isInScope(caller, `${it.server}.echo`);
  return it.isMissing || !isSeen ? 'not found' : 'served';
};

function verdictOf({ status, errorCode, result }: Answer): Verdict {
  if (status === 401) return 'unauthorized';
  if (errorCode === 'access.forbidden') return 'forbidden';
  if (/not_found|unknown|-32002/.test(errorCode)) return 'not found';
  return errorCode === '' && result.isError !== true ? 'served' : 'failed';
}

it(`leaks nothing in ${checks} checks of who may do what`, { timeout: 300_000 }, async () => {
  const random = seededRandom(20);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from');
    return item;
  };
  const seen = new Map<string, number>();
  const missingAnswers = new Map<string, string>();
  const problems: string[] = [];
  const check = async (): Promise<void> => {
    const who = pick(principals);
    const era = pick<Era>(['2025-11-25', '2026-07-28']);
    const one = pick(cases);
    const whose = one.isOwned ? pick<Whose>(['own', 'foreign', 'missing']) : 'own';
    const others = principals.filter((other) => other !== who);
    const owner = whose === 'own' ? who : whose === 'foreign' ? pick(others) : undefined;
    const params = one.params(owner);
    const answer = await who.client.ask(era, one.method, params);
    const expected = expectedFor(who, one, whose);
    const about = `${who.name} ${era} ${one.method} ${JSON.stringify(params)} ${whose}`;
    const found = verdictOf(answer);
    if (found !== expected)
      problems.push(`${about}: expected ${expected}, was ${found}: ${answer.text.slice(0, 300)}`);
    const leaked = others.find(({ canary, runId }) => {
      const isNamed = JSON.stringify(params).includes(runId);
      return answer.text.includes(canary) || (!isNamed && answer.text.includes(runId));
    });
    if (leaked) problems.push(`${about}: has data of ${leaked.name}`);
    if (whose === 'foreign' || whose === 'missing') {
      const text = `${answer.status} ${answer.text.replaceAll(owner?.runId ?? missingRun, 'ID')}`;
      const key = `${who.name} ${era}`;
      const known = missingAnswers.get(key) ?? text;
      missingAnswers.set(key, known);
      if (known !== text) problems.push(`${about}: tells foreign from missing: ${text} ${known}`);
    }
    seen.set(expected, (seen.get(expected) ?? 0) + 1);
  };
  for (let done = 0; done < checks; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, checks - done) }, check));
  }
  expect(problems.slice(0, 10)).toEqual([]);
  for (const verdict of ['served', 'forbidden', 'not found', 'unauthorized']) {
    expect(seen.get(verdict) ?? 0, verdict).toBeGreaterThan(checks / 100);
  }
});

it('gives sessions of others, on every verb, the answer for a missing one', async () => {
  const missing = '00000000-0000-4000-8000-000000000000';
  const known = principals.filter(({ caller }) => caller);
  const sessions = await Promise.all(known.map(({ client }) => client.session()));
  for (const { client } of known) {
    const own = await client.session();
    for (const session of sessions.filter((id) => id !== own)) {
      for (const [method, body] of [
        ['POST', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
        ['POST', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'],
        ['POST', '{"jsonrpc":"2.0","id":1,"result":{}}'],
        ['GET', undefined],
        ['DELETE', undefined],
      ] as const) {
        const ask = async (id: string): Promise<string> => {
          const init = { method, headers: sessionHeaders(id), ...(body !== undefined && { body }) };
          const response = await client.fetch('/mcp', init);
          return `${response.status} ${await response.text()}`;
        };
        const theirs = await ask(session);
        expect(theirs).toBe(await ask(missing));
        expect(theirs).toMatch(/^404 /);
      }
    }
  }
});
