import type { Settings } from '../config/index.ts';
import { reportError } from '../kernel/index.ts';
import { type AlertChange, bodiesOf, type Webhook } from '../observe/index.ts';

/** A webhook of the settings; its address leaves them only for the request. */
export function webhookOf(entry: Settings['alerts']['webhooks'][number]): Webhook {
  const { name, url, shape, min_severity, after_seconds, routing_key } = entry;
  return {
    name,
    shape,
    minSeverity: min_severity,
    afterMs: after_seconds * 1_000,
    routingKey: routing_key?.reveal(),
    send: async (body) => {
      const { fetchChecked } = await import('../http/index.ts');
      const address = new URL(url.reveal());
      const headers = { 'content-type': 'application/json' };
      // A person put it into the settings of this machine, so it may be in the own network.
      const trustedOrigins = [address.origin];
      const request = {
        method: 'POST',
        headers,
        body,
        trustedOrigins,
        redirect: 'manual',
      } as const;
      const { status } = await fetchChecked(address.href, request);
      if (status < 200 || status > 299) throw new Error(`The webhook answered ${status}`);
    },
  };
}

export async function testWebhook(webhook: Webhook, source: string) {
  const change: AlertChange = {
    alert: 'Test',
    state: 'firing',
    severity: 'info',
    summary: 'This is a test of tutti alerts',
    value: 0,
    sinceMs: Date.now(),
  };
  try {
    const ended = { ...change, state: 'resolved' } as const;
    const both = webhook.shape === 'pagerduty' ? [change, ended] : [change];
    for (const body of bodiesOf(webhook, both, source)) await webhook.send(body);
    return { webhook: webhook.name, problem: null };
  } catch (error) {
    return { webhook: webhook.name, problem: reportError(error).message };
  }
}
