import { z } from 'zod';
import {
  feedbackEntrySchema,
  learnedSchema,
  maxReasonChars,
} from '../../contract/feedback/index.ts';
import { type ApiRoute, integerParam, routesOf } from '../define-route.ts';
import { InvalidRequestError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';

const { get, post } = routesOf('Feedback');
/** Entries that a list reaches. */
const maxListed = 2_000;
const maxWeeks = 104;
const usualWeeks = 8;

const feedbackBody = z.strictObject({
  run: z.string().min(1).max(100).optional().describe('A run: an id, or `last`.'),
  session: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The last answer of a session: an id, or `last`.'),
  verdict: z.enum(['up', 'down']),
  reason: z.string().max(maxReasonChars).optional(),
});

export const feedbackRoutes: readonly ApiRoute[] = [
  get('/feedback', {
    summary: 'List feedback, latest first',
    description: 'Opinions of people, and what they approved, denied or undid.',
    permission: 'feedback.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(feedbackEntrySchema),
    async handle({ caller, query }, { feedback }) {
      const given = await feedback.list(caller, { limit: maxListed });
      return pageAfter(given, query, ({ kind, subject }) => `${kind} ${subject}`);
    },
  }),
  post('/feedback', {
    summary: 'Say what you think of a run or an answer',
    description: 'Replaces what you said about it before.',
    permission: 'feedback.write',
    status: 201,
    repeat: 'safe',
    body: feedbackBody,
    answer: feedbackEntrySchema,
    async handle({ caller, body: { run, session, verdict, reason } }, { feedback }) {
      const about = run !== undefined ? { run } : session !== undefined ? { session } : undefined;
      if (!about || (run !== undefined && session !== undefined)) {
        const message = 'has either a "run" or a "session"';
        throw new InvalidRequestError([{ in: 'body', path: '', message }]);
      }
      const isGood = verdict === 'up';
      return feedback.give(caller, { about, isGood, ...(reason !== undefined && { reason }) });
    },
  }),
  get('/learned', {
    summary: 'Show runs, failures, recoveries and feedback of each week',
    permission: 'feedback.read',
    query: z.strictObject({ weeks: integerParam({ min: 1, max: maxWeeks }).optional() }),
    answer: learnedSchema,
    handle: ({ caller, query: { weeks = usualWeeks } }, { feedback }) =>
      feedback.learned(caller, { weeks }),
  }),
];
