import type { Log } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
import type { AlertChange, Severity } from './alert-engine.ts';

export type WebhookShape = 'slack' | 'pagerduty' | 'generic';

export interface Webhook {
  readonly name: string;
  readonly shape: WebhookShape;
  readonly minSeverity: Severity;
  /** Only what is still firing after this time is sent; 0: at once. */
  readonly afterMs: number;
  /** For PagerDuty. */
  readonly routingKey?: string | undefined;
  /** Sends the body to the webhook's address, which only it knows. Rejects unless the answer is 2xx. */
  readonly send: (body: string) => Promise<void>;
}

export interface NotifierOptions {
  readonly webhooks: readonly Webhook[];
  readonly log: Log;
  readonly source: string;
  /** Names of alerts that are silenced at this time. */
  readonly silenced: (nowMs: number) => ReadonlySet<string>;
  readonly onSent: (outcome: 'sent' | 'failed' | 'silenced') => void;
}

const severities: readonly Severity[] = ['info', 'warning', 'critical'];
/** Tried again at the next evaluations; then given up, and said in the log. */
const maxAttempts = 5;
/** Changes that wait for one webhook. */
const maxWaiting = 200;
const maxTextLength = 2_000;

interface Waiting {
  readonly change: AlertChange;
  attempts: number;
}

/**
 * Sends changes of alerts to webhooks: those of one evaluation together, silenced ones not at all, and to a webhook
 * that waits only what still fires after its time. An end goes where the beginning went.
 */
export class AlertNotifier {
  readonly #options: NotifierOptions;
  readonly #waiting = new Map<Webhook, Waiting[]>();
  readonly #sent = new Map<Webhook, Set<string>>();

  constructor(options: NotifierOptions) {
    this.#options = options;
    for (const webhook of options.webhooks) {
      this.#waiting.set(webhook, []);
      this.#sent.set(webhook, new Set());
    }
  }

  async handle(changes: readonly AlertChange[], nowMs: number): Promise<void> {
    const silenced = this.#options.silenced(nowMs);
    const heard = changes.filter(({ alert, state }) => {
      const isHeard = state === 'resolved' || !silenced.has(alert);
      if (!isHeard) this.#options.onSent('silenced');
      return isHeard;
    });
    await Promise.all(
      this.#options.webhooks.map((webhook) => this.#deliver(webhook, heard, nowMs)),
    );
  }

  async #deliver(webhook: Webhook, changes: readonly AlertChange[], nowMs: number): Promise<void> {
    const waiting = this.#waiting.get(webhook) ?? [];
    const sent = this.#sent.get(webhook) ?? new Set();
    for (const change of changes) {
      if (change.state === 'firing' && isSevere(change, webhook)) {
        if (waiting.length < maxWaiting) waiting.push({ change, attempts: 0 });
      } else if (change.state === 'resolved') {
        const at = waiting.findIndex(({ change: { alert } }) => alert === change.alert);
        // What ended before it was sent is not worth a message.
        if (at >= 0) waiting.splice(at, 1);
        else if (sent.delete(change.alert)) waiting.push({ change, attempts: 0 });
      }
    }
    const due = waiting.filter(
      ({ change }) => change.state === 'resolved' || nowMs - change.sinceMs >= webhook.afterMs,
    );
    if (due.length > 0) await this.#send(webhook, due);
  }

  async #send(webhook: Webhook, due: readonly Waiting[]): Promise<void> {
    const waiting = this.#waiting.get(webhook) ?? [];
    const done = (items: readonly Waiting[]): void => {
      this.#waiting.set(
        webhook,
        waiting.filter((item) => !items.includes(item)),
      );
    };
    try {
      for (const body of bodiesOf(
        webhook,
        due.map(({ change }) => change),
        this.#options.source,
      )) {
        await webhook.send(body);
      }
      done(due);
      for (const { change } of due) {
        if (change.state === 'firing') this.#sent.get(webhook)?.add(change.alert);
      }
      this.#options.onSent('sent');
    } catch (error) {
      for (const item of due) item.attempts += 1;
      done(due.filter(({ attempts }) => attempts >= maxAttempts));
      this.#options.onSent('failed');
      this.#options.log.warn('alert notification failed', { webhook: webhook.name, error });
    }
  }
}

function isSevere({ severity }: AlertChange, { minSeverity }: Webhook): boolean {
  return severities.indexOf(severity) >= severities.indexOf(minSeverity);
}

/** Slack and the generic shape take a group in one message; PagerDuty wants an event for each. */
export function bodiesOf(
  { shape, routingKey }: Pick<Webhook, 'shape' | 'routingKey'>,
  changes: readonly AlertChange[],
  source: string,
): readonly string[] {
  if (shape === 'slack') return [JSON.stringify({ text: changes.map(lineOf).join('\n') })];
  if (shape === 'generic') {
    return [
      JSON.stringify({
        source,
        alerts: changes.map((change) => ({ ...change, summary: hide(change.summary) })),
      }),
    ];
  }
  return changes.map((change) =>
    JSON.stringify({
      routing_key: routingKey ?? '',
      event_action: change.state === 'firing' ? 'trigger' : 'resolve',
      dedup_key: `tutti/${source}/${change.alert}`,
      payload: {
        summary: lineOf(change),
        source,
        severity: change.severity,
        timestamp: new Date(change.sinceMs).toISOString(),
      },
    }),
  );
}

function lineOf({ alert, state, severity, summary, value }: AlertChange): string {
  const shown = Number.isInteger(value) ? String(value) : value.toPrecision(3);
  return hide(`[${state}] ${alert} (${severity}): ${summary} (${shown})`);
}

function hide(text: string): string {
  return redactText(text, maxTextLength);
}
