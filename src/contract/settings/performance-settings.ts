import { z } from 'zod';
import { seconds } from './scalars.ts';
import { about } from './traits.ts';

export const performanceSettings = z
  .strictObject({
    max_concurrent_requests: z
      .int()
      .min(1)
      .max(1000)
      .default(5)
      .meta(
        about(
          'Maximum concurrent calls of built-in tools; further calls wait. Other servers have their own limits.',
        ),
      ),
    max_waiting_requests: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1000)
      .meta(about('Maximum number of waiting tool calls; further calls are rejected as too busy.')),
    timeout_seconds: seconds.default(60).meta(about('Time limit of a tool call, in seconds.')),
  })
  .meta(about('How much happens at once, and for how long.'));
