import { z } from 'zod';
import { sessionSchema, turnSchema } from '../../contract/session/index.ts';
import { byId, defineRoute, type ApiRoute } from '../define-route.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';

const group = 'Sessions';
/** Sessions that a list reaches. */
const maxListed = 1_000;

const summarySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  turns: z.int(),
  isOpen: z.boolean().describe('A process has it open to write in it.'),
  folder: z.string().exactOptional().describe('The project it belongs to.'),
});

const shownSession = sessionSchema.omit({ turns: true }).extend({ turns: z.int() });

export const sessionRoutes: readonly ApiRoute[] = [
  defineRoute({
    method: 'get',
    path: '/sessions',
    group,
    summary: 'List sessions, latest first',
    permission: 'sessions.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(summarySchema),
    async handle({ caller, query }, { memory }) {
      const sessions = await memory.sessions.list(caller, { limit: maxListed });
      return pageAfter(sessions, query, ({ id }) => id);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/sessions',
    group,
    summary: 'Begin a session',
    permission: 'sessions.write',
    status: 201,
    body: z.strictObject({ title: z.string().max(200).optional() }),
    answer: z.object({ id: z.string() }),
    location: ({ id }) => `/sessions/${id}`,
    async handle({ caller, body: { title } }, { memory }) {
      const session = await memory.sessions.create(caller, title === undefined ? {} : { title });
      await session.close();
      return { id: session.id };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/sessions/import',
    group,
    summary: 'Import a session that was exported',
    description:
      'Gets a new id where its own is taken. Nothing in it is executed; its turns count as written by strangers.',
    permission: 'sessions.write',
    status: 201,
    body: z.strictObject({ session: z.record(z.string(), z.json()) }),
    answer: summarySchema,
    location: ({ id }) => `/sessions/${id}`,
    handle: async ({ caller, body }, { memory }) => memory.sessions.import(caller, body.session),
  }),
  defineRoute({
    method: 'get',
    path: '/sessions/{id}',
    group,
    summary: 'Show a session',
    permission: 'sessions.read',
    params: byId,
    answer: shownSession,
    async handle({ caller, params }, { memory }) {
      const session = await memory.sessions.show(caller, params.id);
      return { ...session, turns: session.turns.length };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/sessions/{id}/export',
    group,
    summary: 'Export a session as JSON that can be imported',
    permission: 'sessions.read',
    params: byId,
    answer: sessionSchema,
    handle: ({ caller, params }, { memory }) => memory.sessions.show(caller, params.id),
  }),
  defineRoute({
    method: 'get',
    path: '/sessions/{id}/turns',
    group,
    summary: 'List the turns of a session, oldest first',
    permission: 'sessions.read',
    params: byId,
    query: z.strictObject(pageQuery),
    answer: pageOf(turnSchema),
    async handle({ caller, params, query }, { memory }) {
      const { turns } = await memory.sessions.show(caller, params.id);
      return pageAfter(turns, query, ({ number }) => String(number));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/sessions/{id}/fork',
    group,
    summary: 'Copy a session up to a turn',
    permission: 'sessions.write',
    status: 201,
    params: byId,
    body: z.strictObject({ upToTurn: z.int().min(0).optional() }),
    answer: summarySchema,
    location: ({ id }) => `/sessions/${id}`,
    handle: async ({ caller, params, body: { upToTurn } }, { memory }) =>
      memory.sessions.fork(caller, params.id, upToTurn === undefined ? {} : { upToTurn }),
  }),
  defineRoute({
    method: 'delete',
    path: '/sessions/{id}',
    group,
    summary: 'Remove a session',
    permission: 'sessions.write',
    status: 204,
    params: byId,
    answer: z.null(),
    async handle({ caller, params }, { memory }) {
      await memory.sessions.remove(caller, params.id);
      return null;
    },
  }),
];
