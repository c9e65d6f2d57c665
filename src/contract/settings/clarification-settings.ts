import { z } from 'zod';
import { about } from './traits.ts';

/** A downloaded project must not switch questions off. */
const needsTrust = true;

export const clarificationSettings = z
  .strictObject({
    enabled: z.boolean().default(true).meta(
      about('Whether the agent asks if a message is unclear; otherwise it guesses.', {
        needsTrust,
      }),
    ),
    max_questions: z
      .int()
      .min(1)
      .max(3)
      .default(3)
      .meta(about('Maximum number of questions at a time.', { needsTrust })),
    confidence_threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .meta(about('Confidence from 0 to 1 below which the agent asks.', { needsTrust })),
    ask_when_ambiguous: z
      .boolean()
      .default(true)
      .meta(about('Whether it also asks if the model reports an ambiguity.', { needsTrust })),
  })
  .meta(about('Questions of the agent before it plans.'));
