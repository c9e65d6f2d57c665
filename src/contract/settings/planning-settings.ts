import { z } from 'zod';
import { about } from './traits.ts';

const noLoops = z
  .boolean()
  .refine((isAllowed) => !isAllowed)
  .meta(about('Never.', { expected: 'false, because plans do not loop' }));

export const planningSettings = z
  .strictObject({
    max_steps: z
      .int()
      .min(1)
      .max(1_000)
      .default(10)
      .meta(about('Steps of a plan the agent proposes.', { isNotUsedYet: true })),
    allow_loops: noLoops.default(false).meta(
      about(
        'Whether plans may loop. They never do: `forEach` goes through a list, and that ends.',
        {
          isNotUsedYet: true,
        },
      ),
    ),
    optimize_chains: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Whether plans the agent makes are optimized: dead steps are dropped, identical read-only calls merged. Plans that people wrote are optimized where `--optimize` says so.',
          { isNotUsedYet: true },
        ),
      ),
  })
  .meta(about('Plans the agent makes.'));
