import { z } from 'zod';
import { about } from './traits.ts';

export const agentSettings = z
  .strictObject({
    max_rounds: z
      .int()
      .min(1)
      .max(1_000)
      .default(8)
      .meta(about('Rounds (a plan, its run and a look at the results) for one request.')),
    max_calls: z
      .int()
      .min(1)
      .max(100_000)
      .default(60)
      .meta(about('Tool calls of all rounds of one request together.')),
    max_tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .default(400_000)
      .meta(
        about(
          'Tokens that the rounds of one request may use, the models its tools ask included. The budgets of the session and of each run hold, too.',
        ),
      ),
    max_cost_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .default(4)
      .meta(about('US dollars the same may cost, where the prices of the models are set.')),
    max_minutes: z
      .number()
      .min(0.01)
      .max(10_000)
      .default(30)
      .meta(about('Minutes of work on one request; waiting for you does not count.')),
  })
  .meta(
    about(
      'Where the agent stops when a request takes several rounds. "continue" grants it the same again.',
      {
        isUserOnly: true,
      },
    ),
  );
