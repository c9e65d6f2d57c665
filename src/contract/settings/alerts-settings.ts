import { z } from 'zod';
import { about, secretText, wholeNumber, flag } from './traits.ts';

const webhook = z.strictObject({
  name: z.string().regex(/^[\w-]{1,64}$/),
  url: secretText,
  shape: z.enum(['slack', 'pagerduty', 'generic']).default('generic'),
  min_severity: z.enum(['info', 'warning', 'critical']).default('warning'),
  after_seconds: z.int().min(0).max(86_400).default(0),
  routing_key: secretText.optional(),
});

const maxWebhooks = 20;

export const alertsSettings = z
  .strictObject({
    enabled: flag(true, 'Watch for the built-in alerts while `tutti serve` runs.'),
    interval_seconds: wholeNumber([5, 3600], 60, 'How often alerts are evaluated, in seconds.'),
    webhooks: z
      .array(webhook)
      .max(maxWebhooks)
      .default([])
      .meta(
        about(
          'Where alerts are sent, each `{name, url, shape, min_severity, after_seconds, routing_key}`: `shape` is `slack`, `pagerduty` or `generic`; with `after_seconds` only what still fires after that time is sent (escalation).',
        ),
      ),
  })
  .meta(about('Built-in alerts.', { isUserOnly: true }));
