import { z } from 'zod';
import {
  explanationSchema,
  failureSchema,
  suggestionSchema,
} from '../../contract/experience/index.ts';
import { type ApiRoute, byId, routesOf } from '../define-route.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';

const { get, post } = routesOf('Failures');
/** Failures and fixes that lists reach. */
const maxListed = 500;
const maxTextLength = 100_000;

export const experienceRoutes: readonly ApiRoute[] = [
  get('/failures', {
    summary: 'List recorded failures, latest first',
    permission: 'runs.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(failureSchema),
    async handle({ caller, query }, { experience }) {
      const failures = await experience.failures(caller, maxListed);
      return pageAfter(failures, query, ({ id }) => id);
    },
  }),
  get('/failures/{id}', {
    summary: 'Explain a failure: cause, evidence, what cured it before',
    permission: 'runs.read',
    params: byId,
    answer: explanationSchema,
    handle: ({ caller, params }, { experience }) =>
      experience.explain(caller, { kind: 'failure', id: params.id }),
  }),
  get('/runs/{id}/failure', {
    summary: 'Explain why a run failed',
    permission: 'runs.read',
    params: byId,
    answer: explanationSchema,
    handle: ({ caller, params }, { experience }) =>
      experience.explain(caller, { kind: 'run', runId: params.id }),
  }),
  post('/failures/explain', {
    summary: 'Explain the text of an error',
    description:
      'The text is compared with known failures; nothing is stored, and nothing of it is run.',
    permission: 'runs.read',
    repeat: 'safe',
    body: z.strictObject({
      text: z.string().min(1).max(maxTextLength),
      exitCode: z.int().optional(),
    }),
    answer: explanationSchema,
    handle: ({ caller, body: { text, exitCode } }, { experience }) =>
      experience.explain(caller, {
        kind: 'text',
        text,
        ...(exitCode !== undefined && { exitCode }),
      }),
  }),
  get('/fixes', {
    summary: 'List the fixes that were used or learned, with how often they cured',
    permission: 'runs.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(suggestionSchema),
    async handle({ caller, query }, { experience }) {
      const fixes = await experience.fixes(caller, maxListed);
      return pageAfter(fixes, query, ({ fixId }) => fixId);
    },
  }),
  post('/fixes/{id}/outcomes', {
    summary: 'Record whether a fix cured a failure',
    permission: 'runs.start',
    repeat: 'once',
    params: byId,
    body: z.strictObject({ isCured: z.boolean(), failureId: z.string().max(100).optional() }),
    answer: suggestionSchema,
    handle: ({ caller, params, body: { isCured, failureId } }, { experience }) =>
      experience.recordOutcome(caller, {
        fixId: params.id,
        isCured,
        ...(failureId !== undefined && { failureId }),
      }),
  }),
  post('/fixes/{id}/approval', {
    summary: 'Allow a fix to be used without asking, or take that back',
    permission: 'runs.approve',
    repeat: 'safe',
    params: byId,
    body: z.strictObject({ isApproved: z.boolean() }),
    answer: suggestionSchema,
    handle: ({ caller, params, body }, { experience }) =>
      experience.approve(caller, params.id, body.isApproved),
  }),
];
