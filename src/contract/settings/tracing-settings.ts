import { z } from 'zod';
import { httpUrl, secretOrEmptyText } from './scalars.ts';
import { about } from './traits.ts';

export const tracingSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta(about('Record a trace of every tool call, for `tutti trace`.')),
    keep_days: z.int().min(1).max(3650).default(14).meta(about('Days that traces are kept.')),
    otlp_endpoint: httpUrl
      .optional()
      .meta(about('OTLP/HTTP endpoint to export traces to, e.g. `http://localhost:4318`.')),
    otlp_headers: z
      .record(z.string(), secretOrEmptyText)
      .default({})
      .meta(about('Headers for the OTLP endpoint, e.g. an API key.')),
  })
  .meta(about('OpenTelemetry traces.', { isUserOnly: true }));
