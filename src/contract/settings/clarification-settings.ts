import { z } from 'zod';
import { about } from './traits.ts';

export const clarificationSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta(
        about('Whether the agent asks when a message is not clear; it guesses where it may not.'),
      ),
    max_questions: z.int().min(1).max(3).default(3).meta(about('Questions at a time.')),
    confidence_threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .meta(about('The agent asks when it is less sure than this of what is wanted, from 0 to 1.')),
    ask_when_ambiguous: z
      .boolean()
      .default(true)
      .meta(about('Whether it also asks when the model says that something is ambiguous.')),
  })
  .meta(about('Questions of the agent before it plans.'));
