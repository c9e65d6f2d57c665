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
      .meta(about('Maximum number of steps in a plan that the agent proposes.')),
    allow_loops: noLoops
      .default(false)
      .meta(about('Whether plans may loop. Always false: `forEach` iterates over a finite list.')),
    optimize_chains: z
      .boolean()
      .default(true)
      .meta(
        about(
          'Whether plans made by the agent are optimized: unused steps are dropped, identical read-only calls merged. Written plans are optimized only with `--optimize`.',
        ),
      ),
    preview: z
      .enum(['effects', 'always', 'never'])
      .default('effects')
      .meta(
        about(
          'Which plans of a model are previewed before they run: `effects` those with a step that is not read-only, sends data out or reads files that the user did not name, `always` all, `never` none. Plans made without a model are always previewed.',
          { isUserOnly: true },
        ),
      ),
    approval: z
      .enum(['effects', 'destructive', 'plan'])
      .default('effects')
      .meta(
        about(
          'Steps in plans of the agent that need approval: `effects` all that are not read-only or send data out, `destructive` those that may destroy something or send data out, `plan` only those that `workflow.approval` requires.',
          { isUserOnly: true },
        ),
      ),
  })
  .meta(about('Plans the agent makes.'));
