import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { FleetControl, ServerStatus } from '../../contract/fleet/index.ts';
import { byName, defineRoute, integerParam, type ApiRoute } from '../define-route.ts';
import { NotFoundError } from '../errors.ts';

const group = 'Servers';
const maxLogLines = 1_000;

const change = z.object({
  tool: z.string(),
  kind: z.enum(['changed', 'new', 'instructions']),
  isHeld: z.boolean().describe('It cannot be used until it is accepted.'),
  fields: z.array(z.string()),
  at: z.string(),
  isLessCareful: z.boolean(),
});

const loginSchema = z.object({
  state: z.enum(['needed', 'active', 'expired', 'revoked']),
  callerId: z.string(),
  account: z.string().nullable(),
  issuer: z.string().nullable(),
  scopes: z.array(z.string()),
  expiresAt: z.string().nullable(),
  isRenewable: z.boolean(),
});

const serverSchema = z.object({
  name: z.string(),
  transport: z.enum(['in-process', 'stdio', 'http', 'sse']),
  state: z.enum([
    'idle',
    'starting',
    'ready',
    'restarting',
    'crash-looping',
    'failed',
    'disabled',
    'untrusted',
  ]),
  since: z.string(),
  pid: z.int().nullable(),
  restarts: z.int(),
  lastError: z.string().nullable(),
  tools: z.int(),
  resources: z.int(),
  prompts: z.int(),
  calls: z.int(),
  failedCalls: z.int(),
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  protocolVersion: z.string().nullable(),
  version: z.string().nullable(),
  source: z.enum(['built-in', 'user', 'project', 'flag']),
  problems: z.array(z.string()),
  changedTools: z.array(change),
  flags: z
    .array(z.object({ tool: z.string(), kind: z.string(), message: z.string() }))
    .describe('What is suspicious about its tools.'),
  login: loginSchema.nullable().describe('The login of the caller; null where none is needed.'),
});

export const serverRoutes: readonly ApiRoute[] = [
  defineRoute({
    method: 'get',
    path: '/servers',
    group,
    summary: 'List the servers and how they do',
    permission: 'servers.read',
    answer: z.object({ items: z.array(serverSchema), collisions: z.array(z.string()) }),
    async handle({ caller }, { fleet }) {
      const items = (await visibleServers(fleet, caller)).map(showServer);
      return { items, collisions: [...fleet.collisions()] };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/servers/{name}',
    group,
    summary: 'Show a server',
    permission: 'servers.read',
    params: byName,
    answer: serverSchema,
    handle: async (call, { fleet }) => showServer(await findServer(fleet, call)),
  }),
  defineRoute({
    method: 'get',
    path: '/servers/{name}/logs',
    group,
    summary: 'Read the latest lines a server wrote to standard error',
    permission: 'servers.manage',
    params: byName,
    query: z.strictObject({
      lines: integerParam({ min: 1, max: maxLogLines }).optional().describe('100 unless given.'),
    }),
    answer: z.object({ lines: z.array(z.string()) }),
    async handle(call, { fleet }) {
      const { params, query } = call;
      await findServer(fleet, call);
      return { lines: [...(await fleet.logs(params.name, query.lines ?? 100))] };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/servers/{name}/restart',
    group,
    summary: 'Restart a server',
    description:
      'Of this process. What is started stands in the settings of this machine; a request cannot change it.',
    permission: 'servers.manage',
    repeat: 'safe',
    params: byName,
    answer: serverSchema,
    async handle(call, { fleet }) {
      const { params } = call;
      await findServer(fleet, call);
      await fleet.restart(params.name);
      return showServer(await findServer(fleet, call));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/servers/{name}/accept-tools',
    group,
    summary: 'Accept the tools of a server that changed',
    permission: 'servers.manage',
    repeat: 'safe',
    params: byName,
    answer: z.object({ accepted: z.array(change) }),
    async handle(call, { fleet }) {
      const { params } = call;
      await findServer(fleet, call);
      const accepted = await fleet.acceptTools(params.name);
      return { accepted: accepted.map((one) => ({ ...one, fields: [...one.fields] })) };
    },
  }),
];

/** Servers without a tool in the caller's scope do not exist for it. */
async function visibleServers(
  fleet: FleetControl,
  caller: Caller,
): Promise<readonly ServerStatus[]> {
  return (await fleet.status(caller)).filter(({ name }) => isServerInScope(caller, name));
}

async function findServer(
  fleet: FleetControl,
  { caller, params }: { readonly caller: Caller; readonly params: { readonly name: string } },
): Promise<ServerStatus> {
  const server = (await visibleServers(fleet, caller)).find(({ name }) => name === params.name);
  if (!server) throw new NotFoundError('server', params.name);
  return server;
}

function showServer(status: ServerStatus): z.input<typeof serverSchema> {
  const { problems, changedTools, flags, login, ...server } = status;
  return {
    ...server,
    flags: flags.map((flag) => ({ ...flag })),
    login: login && { ...login, scopes: [...login.scopes] },
    problems: [...problems],
    changedTools: changedTools.map((one) => ({ ...one, fields: [...one.fields] })),
  };
}
