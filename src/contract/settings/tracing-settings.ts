import { z } from 'zod';
import { httpUrl, secretOrEmptyText } from './scalars.ts';
import { about } from './traits.ts';

export const tracingSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta(about('Record a trace of every tool call, for `tutti trace`.')),
    keep_days: z
      .int()
      .min(1)
      .max(3650)
      .default(14)
      .meta(about('Traces older than this are deleted.')),
    otlp_endpoint: httpUrl
      .optional()
      .meta(about('Also send traces to this OTLP/HTTP address, e.g. `http://localhost:4318`.')),
    otlp_headers: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(about('Headers sent to the OTLP address, e.g. its key.')),
  })
  .meta(about('OpenTelemetry traces.', { isUserOnly: true }));
