import { z } from 'zod';
import { headerOf } from '../../http/index.ts';
import { type ApiRoute, byId, routesOf } from '../define-route.ts';
import { problemOf } from '../errors.ts';
import { askRequest, messageFields, sessionField } from './tasks.ts';

const { get, post } = routesOf('Tasks');

export const turnRoutes: readonly ApiRoute[] = [
  post('/turns', {
    summary: 'Submit a message to the agent and follow what it does as events',
    description:
      'Answers at once; the turn goes on whether or not a client listens, until it ends or is cancelled. Its outcome is that of `POST /tasks`.',
    permission: 'tasks.submit',
    status: 202,
    body: z.strictObject({ ...messageFields, session: sessionField }),
    answer: z.object({
      turnId: z.string(),
      events: z.string().describe('Path of its event stream.'),
    }),
    async handle({ caller, body, turns }, { agent, log }) {
      const turnId = turns.start(
        caller,
        (options) => agent.ask(askRequest(caller, body), options),
        (error) => {
          const problem = problemOf(error);
          if (problem.code === 'internal.bug') log.error('turn failed', { error });
          return problem;
        },
      );
      return { turnId, events: `/api/v1/turns/${turnId}/events` };
    },
  }),
  get('/turns/{id}/events', {
    summary: 'Follow a turn of the agent as server-sent events',
    description:
      'Events: `session`, `intent`, `plan`, `run` (as it stands), `approval` (a person has to decide), `text` (a piece of the answer), `restart` (the answer begins anew), `notice`, ' +
      'and last `done` with the outcome or `failed` with a problem. A client that reconnects with `Last-Event-ID` gets what it lacks; 204 when there is nothing more to come. ' +
      'A turn is known for ten minutes after its end, and not after a restart of the server: its session is.',
    permission: 'tasks.submit',
    params: byId,
    mediaType: 'text/event-stream',
    answer: z.string(),
    async serve({ caller, params, turns }, _ports, { request, response }) {
      const lastEventId = headerOf(request, 'last-event-id');
      turns.open(caller, params.id, { lastEventId, response });
    },
  }),
  post('/turns/{id}/cancel', {
    summary: 'Cancel a turn of the agent and the run it started',
    permission: 'tasks.submit',
    repeat: 'safe',
    params: byId,
    answer: z.object({ turnId: z.string() }),
    async handle({ caller, params, turns }) {
      turns.cancel(caller, params.id);
      return { turnId: params.id };
    },
  }),
];
