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
  /** Which instance tells it: the same alert of another one is a different incident. */
  readonly source: () => string;
  /** Names of alerts that are silenced at this time. */
  readonly silenced: (nowMs: number) => ReadonlySet<string>;
  readonly onSent: (outcome: 'sent' | 'failed' | 'silenced') => void;
}

const severities: readonly Severity[] = ['info', 'warning', 'critical'];
/** An end that a webhook does not take is given up; what still fires is not. */
const maxEndAttempts = 10;
/** The pause after the first failed attempt; each further one doubles it, up to the longest. */
const retryPauseMs = 30_000;
const maxRetryPauseMs = 900_000;
/** Changes that wait for one webhook. */
const maxWaiting = 200;
const maxTextLength = 2_000;

interface Waiting {
  readonly change: AlertChange;
  attempts: number;
  nextAttemptMs: number;
}

interface Outbox {
  readonly waiting: Waiting[];
  /** Alerts whose beginning this webhook has taken, and whose end it has not. */
  readonly sent: Set<string>;
}

/** Alerts that each webhook knows to fire, by its name. */
export type SentAlerts = Readonly<Record<string, readonly string[]>>;

/**
 * Sends changes of alerts to webhooks: those of one evaluation together, and to a webhook that waits only what still
 * fires after its time. What is silenced waits, and is sent if it still fires when the silence ends. An end goes where
 * the beginning went.
 */
export class AlertNotifier {
  readonly #options: NotifierOptions;
  readonly #outboxes: ReadonlyMap<Webhook, Outbox>;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#outboxes = new Map(
      options.webhooks.map((webhook) => [webhook, { waiting: [], sent: new Set() }]),
    );
  }

  /** What an earlier process of this instance left: what fires and was not sent waits again. */
  restore(firing: readonly AlertChange[], sent: SentAlerts): void {
    for (const [webhook, outbox] of this.#outboxes) {
      const known = new Set(sent[webhook.name]);
      for (const change of firing) {
        if (known.has(change.alert)) outbox.sent.add(change.alert);
        else enqueue(outbox, webhook, change);
      }
    }
  }

  sent(): SentAlerts {
    return Object.fromEntries([...this.#outboxes].map(([{ name }, { sent }]) => [name, [...sent]]));
  }

  async handle(changes: readonly AlertChange[], nowMs: number): Promise<void> {
    const silenced = this.#options.silenced(nowMs);
    for (const { alert, state } of changes) {
      if (state === 'firing' && silenced.has(alert)) this.#options.onSent('silenced');
    }
    const deliveries = [...this.#outboxes].map(async ([webhook, outbox]) => {
      for (const change of changes) enqueue(outbox, webhook, change);
      const due = outbox.waiting.filter(
        ({ change: { alert, state, sinceMs }, nextAttemptMs }) =>
          nextAttemptMs <= nowMs &&
          (state === 'resolved' || (!silenced.has(alert) && nowMs - sinceMs >= webhook.afterMs)),
      );
      if (due.length > 0) await this.#send({ webhook, outbox, due, nowMs });
    });
    await Promise.all(deliveries);
  }

  async #send(delivery: {
    readonly webhook: Webhook;
    readonly outbox: Outbox;
    readonly due: readonly Waiting[];
    readonly nowMs: number;
  }): Promise<void> {
    const { webhook, outbox, due, nowMs } = delivery;
    const changes = due.map(({ change }) => change);
    try {
      for (const body of bodiesOf(webhook, changes, this.#options.source())) {
        await webhook.send(body);
      }
      remove(outbox.waiting, due);
      for (const change of changes) note(outbox, change);
      this.#options.onSent('sent');
    } catch (error) {
      for (const item of due) {
        const pauseMs = Math.min(retryPauseMs * 2 ** item.attempts, maxRetryPauseMs);
        item.nextAttemptMs = nowMs + pauseMs;
        item.attempts += 1;
      }
      const givenUp = due.filter(
        ({ change, attempts }) => change.state === 'resolved' && attempts >= maxEndAttempts,
      );
      remove(outbox.waiting, givenUp);
      for (const { change } of givenUp) note(outbox, change);
      this.#options.onSent('failed');
      this.#options.log.warn('alert notification failed', { webhook: webhook.name, error });
    }
  }
}

/** An alert waits at most once; what ended before any attempt to send it is not worth a message. */
function enqueue({ waiting, sent }: Outbox, webhook: Webhook, change: AlertChange): void {
  const at = waiting.findIndex(({ change: { alert } }) => alert === change.alert);
  const [earlier] = at < 0 ? [] : waiting.splice(at, 1);
  // An attempt that failed may have arrived all the same.
  const isKnown = sent.has(change.alert) || (earlier?.attempts ?? 0) > 0;
  const isNews = change.state === 'firing' ? !isKnown && isSevere(change, webhook) : isKnown;
  if (isNews && waiting.length < maxWaiting)
    waiting.push({ change, attempts: 0, nextAttemptMs: 0 });
}

function note({ sent }: Outbox, { alert, state }: AlertChange): void {
  if (state === 'firing') sent.add(alert);
  else sent.delete(alert);
}

function remove(waiting: Waiting[], done: readonly Waiting[]): void {
  for (const item of done) waiting.splice(waiting.indexOf(item), 1);
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
