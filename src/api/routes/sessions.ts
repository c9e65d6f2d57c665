import { z } from 'zod';
import { sessionSchema, sessionSummarySchema, turnSchema } from '../../contract/session/index.ts';
import { type ApiRoute, byId, routesOf } from '../define-route.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';

const { get, post, remove } = routesOf('Sessions');
/** Sessions that a list reaches. */
const maxListed = 1_000;

const shownSession = sessionSchema.omit({ turns: true }).extend({ turns: z.int() });

export const sessionRoutes: readonly ApiRoute[] = [
  get('/sessions', {
    summary: 'List sessions, latest first',
    permission: 'sessions.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(sessionSummarySchema),
    async handle({ caller, query }, { memory }) {
      const sessions = await memory.sessions.list(caller, { limit: maxListed });
      return pageAfter(sessions, query, ({ id }) => id);
    },
  }),
  post('/sessions', {
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
  post('/sessions/import', {
    summary: 'Import a session that was exported',
    description:
      'Gets a new id where its own is taken. Nothing in it is executed; its turns count as written by strangers.',
    permission: 'sessions.write',
    status: 201,
    body: z.strictObject({ session: z.record(z.string(), z.json()) }),
    answer: sessionSummarySchema,
    location: ({ id }) => `/sessions/${id}`,
    handle: async ({ caller, body }, { memory }) => memory.sessions.import(caller, body.session),
  }),
  get('/sessions/{id}', {
    summary: 'Show a session',
    permission: 'sessions.read',
    params: byId,
    answer: shownSession,
    async handle({ caller, params }, { memory }) {
      const session = await memory.sessions.show(caller, params.id);
      return { ...session, turns: session.turns.length };
    },
  }),
  get('/sessions/{id}/export', {
    summary: 'Export a session as JSON that can be imported',
    permission: 'sessions.read',
    params: byId,
    answer: sessionSchema,
    handle: ({ caller, params }, { memory }) => memory.sessions.show(caller, params.id),
  }),
  get('/sessions/{id}/turns', {
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
  post('/sessions/{id}/fork', {
    summary: 'Copy a session up to a turn',
    permission: 'sessions.write',
    status: 201,
    params: byId,
    body: z.strictObject({ upToTurn: z.int().min(0).optional() }),
    answer: sessionSummarySchema,
    location: ({ id }) => `/sessions/${id}`,
    handle: async ({ caller, params, body: { upToTurn } }, { memory }) =>
      memory.sessions.fork(caller, params.id, upToTurn === undefined ? {} : { upToTurn }),
  }),
  remove('/sessions/{id}', {
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
