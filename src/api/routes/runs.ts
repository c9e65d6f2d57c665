import { z } from 'zod';
import {
  journalEntrySchema,
  runStatuses,
  runSummarySchema,
  runViewSchema,
  stepViewSchema,
  type RunView,
} from '../../contract/run/index.ts';
import { headerOf } from '../../http/index.ts';
import { digestJson } from '../../kernel/index.ts';
import { type ApiRoute, byId, listParam, routesOf } from '../define-route.ts';
import {
  pageAfter,
  pageOf,
  pageQuery,
  pageSize,
  readCursor,
  readNumberCursor,
  writeCursor,
} from '../page.ts';
import { planBody, sourceOf } from './plans.ts';

const { get, post } = routesOf('Runs');

const started = z.object({
  runId: z.string(),
  events: z.string().describe('Path of its event stream.'),
});

/** A run without its steps, which have pages of their own. */
const shownRun = runViewSchema
  .omit({ steps: true })
  .extend({ totalSteps: z.int(), doneSteps: z.int() });

function showRun({ steps, ...run }: RunView): z.input<typeof shownRun> {
  const all = Object.values(steps);
  const doneSteps = all.filter(({ endedAt }) => endedAt !== null).length;
  return { ...run, totalSteps: all.length, doneSteps };
}

export function startedRun(runId: string): z.input<typeof started> {
  return { runId, events: `/api/v1/runs/${runId}/events` };
}

export const runRoutes: readonly ApiRoute[] = [
  get('/runs', {
    summary: 'List runs, newest first',
    permission: 'runs.read',
    query: z.strictObject({
      ...pageQuery,
      status: listParam(runStatuses).optional().describe('Only runs in one of these states.'),
    }),
    answer: pageOf(runSummarySchema),
    async handle({ caller, query }, { workflows }) {
      const limit = pageSize(query);
      const runs = await workflows.list(caller, {
        limit: limit + 1,
        ...(query.status && { status: query.status }),
        ...(query.cursor !== undefined && { after: readCursor(query.cursor) }),
      });
      const items = runs.slice(0, limit);
      const last = runs.length > limit ? items.at(-1) : undefined;
      return { items, nextCursor: last ? writeCursor(last.runId) : null };
    },
  }),
  post('/runs', {
    summary: 'Start a run of a plan',
    description:
      'The plan is checked first; with a mistake in it nothing starts. The run is stored before the answer is sent: it survives whatever dies.',
    permission: 'runs.start',
    status: 201,
    repeat: 'safe',
    body: z.strictObject({
      plan: planBody,
      input: z.record(z.string(), z.json()).default({}),
      context: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('A context whose text becomes the input `context`.'),
      optimize: z.boolean().optional(),
    }),
    answer: started,
    location: ({ runId }) => `/runs/${runId}`,
    async handle({ caller, body, idempotencyKey, meta }, { workflows }) {
      const { runId } = await workflows.start(caller, {
        source: sourceOf(body.plan),
        input: body.input,
        ...(body.context !== undefined && { context: body.context }),
        meta,
        ...(body.optimize !== undefined && { optimize: body.optimize }),
        ...(idempotencyKey !== undefined && { idempotencyKey: startKey(idempotencyKey, body) }),
      });
      return startedRun(runId);
    },
  }),
  get('/runs/{id}', {
    summary: 'Show a run',
    permission: 'runs.read',
    params: byId,
    answer: shownRun,
    handle: async ({ caller, params }, { workflows }) =>
      showRun(await workflows.show(caller, params.id)),
  }),
  get('/runs/{id}/steps', {
    summary: 'List the steps of a run with their results',
    permission: 'runs.read',
    params: byId,
    query: z.strictObject(pageQuery),
    answer: pageOf(stepViewSchema.extend({ path: z.string() })),
    async handle({ caller, params, query }, { workflows }) {
      const { steps } = await workflows.show(caller, params.id);
      const items = Object.entries(steps).map(([path, step]) => ({ path, ...step }));
      return pageAfter(items, query, ({ path }) => path);
    },
  }),
  get('/runs/{id}/journal', {
    summary: 'List what happened in a run, in order',
    permission: 'runs.read',
    params: byId,
    query: z.strictObject(pageQuery),
    answer: pageOf(journalEntrySchema),
    async handle({ caller, params, query }, { workflows }) {
      const after = query.cursor === undefined ? 0 : readNumberCursor(query.cursor);
      const range = { after, limit: pageSize(query) };
      const { entries, total } = await workflows.journal(caller, params.id, range);
      const last = entries.at(-1)?.number ?? total;
      return { items: entries, nextCursor: last < total ? writeCursor(String(last)) : null };
    },
  }),
  get('/runs/{id}/events', {
    summary: 'Follow a run as server-sent events',
    description:
      'Events `journal` are the entries of the journal, each once; `run` is the state of the run whenever that changed. The stream ends with the run. ' +
      'A client that reconnects with `Last-Event-ID` gets what it lacks, also after a restart of the server; 204 when there is nothing more to come.',
    permission: 'runs.read',
    params: byId,
    mediaType: 'text/event-stream',
    answer: z.string(),
    async serve({ caller, params, streams }, _ports, { request, response }) {
      const lastEventId = headerOf(request, 'last-event-id');
      await streams.open({ caller, runId: params.id, lastEventId, response });
    },
  }),
];

/** With the body, as a key may be used again for another start once its answer is no longer kept. */
export function startKey(idempotencyKey: string, body: unknown): string {
  return `api:${idempotencyKey}:${digestJson(body)}`;
}
