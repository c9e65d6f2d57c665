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
      .meta(about('Steps of a plan the agent proposes.')),
    allow_loops: noLoops
      .default(false)
      .meta(
        about(
          'Whether plans may loop. They never do: `forEach` goes through a list, and that ends.',
        ),
      ),
    optimize_chains: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Whether plans the agent makes are optimized: dead steps are dropped, identical read-only calls merged. Plans that people wrote are optimized where `--optimize` says so.',
        ),
      ),
    preview: z
      .enum(['effects', 'always', 'never'])
      .default('effects')
      .meta(
        about(
          'Which plans of a model are shown before they run: `effects` those with a step that is not read-only or sends data out, `always` all, `never` none. Plans made without a model are always shown.',
          { isUserOnly: true },
        ),
      ),
    approval: z
      .enum(['effects', 'destructive', 'plan'])
      .default('effects')
      .meta(
        about(
          "Steps of the agent's plans that a person has to approve: `effects` all that are not read-only or send data out, `destructive` those that may destroy something or send data out, `plan` none beyond what `workflow.approval` says.",
          { isUserOnly: true },
        ),
      ),
  })
  .meta(about('Plans the agent makes.'));
