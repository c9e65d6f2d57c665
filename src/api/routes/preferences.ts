import { z } from 'zod';
import { preferenceSchema } from '../../contract/preference/index.ts';
import { type ApiRoute, routesOf } from '../define-route.ts';

const { get, post } = routesOf('Memory');
const maxSaidLength = 200;

export const preferenceRoutes: readonly ApiRoute[] = [
  get('/preferences', {
    summary: 'List what the caller prefers, latest first',
    description:
      'Active and suggested ones, and those that were superseded or rejected: see `state`.',
    permission: 'memory.read',
    answer: z.object({ items: z.array(preferenceSchema) }),
    handle: async ({ caller }, { memory }) => ({ items: await memory.preferences(caller) }),
  }),
  post('/preferences/forget', {
    summary: 'Forget a preference with its past',
    description: 'By its text, the sentence it was learned from, or words that only one has.',
    permission: 'memory.write',
    // Kept answers would have the text after it is forgotten.
    isSecret: true,
    body: z.strictObject({ text: z.string().min(1).max(maxSaidLength) }),
    answer: z.object({ forgotten: z.array(z.string()).describe('Texts of what was removed.') }),
    handle: async ({ caller, body }, { memory }) => ({
      forgotten: await memory.forget(caller, body.text),
    }),
  }),
];
