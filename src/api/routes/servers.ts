import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import {
  type FleetControl,
  type ServerStatus,
  serverStatusSchema,
  toolChangeSchema,
} from '../../contract/fleet/index.ts';
import { type ApiRoute, byName, integerParam, routesOf } from '../define-route.ts';
import { NotAvailableError, NotFoundError } from '../errors.ts';

const { get, post } = routesOf('Servers');
const maxLogLines = 1_000;

export const serverRoutes: readonly ApiRoute[] = [
  get('/servers', {
    summary: 'List the servers and how they do',
    permission: 'servers.read',
    answer: z.object({ items: z.array(serverStatusSchema), collisions: z.array(z.string()) }),
    async handle({ caller }, { fleet }) {
      const items = await visibleServers(fleet, caller);
      return { items, collisions: fleet.collisions() };
    },
  }),
  get('/servers/{name}', {
    summary: 'Show a server',
    permission: 'servers.read',
    params: byName,
    answer: serverStatusSchema,
    handle: (call, { fleet }) => findServer(fleet, call),
  }),
  get('/servers/{name}/logs', {
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
      return { lines: await fleet.logs(params.name, query.lines ?? 100) };
    },
  }),
  post('/servers/{name}/restart', {
    summary: 'Restart a server',
    description:
      'Of this process. What is started stands in the settings of this machine; a request cannot change it.',
    permission: 'servers.manage',
    repeat: 'safe',
    params: byName,
    answer: serverStatusSchema,
    async handle(call, { fleet }) {
      const { params } = call;
      await findServer(fleet, call);
      await fleet.restart(params.name);
      return findServer(fleet, call);
    },
  }),
  post('/servers/{name}/enable', {
    summary: 'Switch a server off at once, or on again',
    description:
      'In the settings of this machine, for every process that reads them. A request cannot say what is started.',
    permission: 'servers.manage',
    repeat: 'safe',
    params: byName,
    body: z.strictObject({ enabled: z.boolean() }),
    answer: serverStatusSchema,
    async handle(call, { fleet, switchServer }) {
      const { caller, params, body } = call;
      await findServer(fleet, call);
      if (!switchServer) throw new NotAvailableError('switch of servers');
      await switchServer(caller, params.name, body.enabled);
      return findServer(fleet, call);
    },
  }),
  post('/servers/{name}/accept-tools', {
    summary: 'Accept the tools of a server that changed',
    permission: 'servers.manage',
    repeat: 'safe',
    params: byName,
    answer: z.object({ accepted: z.array(toolChangeSchema) }),
    async handle(call, { fleet }) {
      const { params } = call;
      await findServer(fleet, call);
      return { accepted: await fleet.acceptTools(params.name) };
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
