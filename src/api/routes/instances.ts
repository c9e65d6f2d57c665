import { z } from 'zod';
import type { Instance } from '../../contract/instance/index.ts';
import { byId, routesOf, type ApiRoute } from '../define-route.ts';

const { get, post } = routesOf('Instances');

const instanceSchema = z.object({
  id: z.string(),
  state: z
    .enum(['serving', 'draining', 'gone'])
    .describe('`gone`: no sign of it for ten seconds; ten minutes later it is no longer listed.'),
  host: z.string(),
  version: z.string(),
  address: z.string().describe('Where it listens.'),
  startedAt: z.string(),
  lastBeatAt: z.string(),
  servers: z.int().describe('Servers of its fleet that are running.'),
  calls: z.int().describe('Calls in flight.'),
  runs: z.int().describe('Runs that it executes.'),
});

export const instanceRoutes: readonly ApiRoute[] = [
  get('/instances', {
    summary: 'List the instances that serve from the same database',
    permission: 'instances.read',
    answer: z.object({ items: z.array(instanceSchema) }),
    async handle(_call, { instances }) {
      return { items: (await instances.list()).map(showInstance) };
    },
  }),
  post('/instances/{id}/drain', {
    summary: 'Have an instance finish what it has and end',
    permission: 'instances.drain',
    repeat: 'safe',
    params: byId,
    status: 202,
    answer: instanceSchema,
    async handle({ caller, params }, { instances }) {
      return showInstance(await instances.drain(caller, params.id));
    },
  }),
];

function showInstance({
  isDraining: _isDraining,
  ...shown
}: Instance): z.input<typeof instanceSchema> {
  return shown;
}
