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
          'Calls of the tools we ship that run at the same time; the next ones wait. Other servers have places of their own.',
        ),
      ),
    max_waiting_requests: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1000)
      .meta(about('Tool calls that may wait; one more is refused as too busy.')),
    timeout_seconds: seconds
      .default(60)
      .meta(about('A tool call is ended after this many seconds.')),
  })
  .meta(about('How much happens at once, and for how long.'));
