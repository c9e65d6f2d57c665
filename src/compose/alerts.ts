import { hostname } from 'node:os';
import type { Settings } from '../config/index.ts';
import type { Log } from '../kernel/index.ts';
import { AlertEngine, AlertNotifier, builtInRules, type Metrics } from '../observe/index.ts';
import { alertFiles } from './alert-files.ts';
import { alertKeeper } from './alert-keeper.ts';
import { testWebhook, webhookOf } from './alert-webhooks.ts';

interface AlertParts {
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What a person may do with alerts. */
export interface AlertsHere {
  list(): Promise<readonly AlertState[]>;
  /** Sends a test to the webhooks, or to the one of this name, and says how that went. */
  test(
    name?: string,
  ): Promise<readonly { readonly webhook: string; readonly problem: string | null }[]>;
  /** Until this time nothing is sent of the alert. */
  silence(alert: string, untilMs: number): Promise<void>;
  readonly names: readonly string[];
  /** Evaluates them from now on, until `close`, for the instance that listens at this address. */
  watch(url: string): void;
  close(): void;
}

export interface AlertState {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  readonly firingSinceMs: number | null;
  /** Host and port of the instances on this directory that say so. */
  readonly firingOn: readonly string[];
  readonly silencedUntilMs: number | null;
}

const secondMs = 1_000;

/** Alerts of this data directory: evaluated by each process that serves, silenced and listed by any. */
export function alertsHere({ settings, metrics, log }: AlertParts): AlertsHere {
  const { home, alerts } = settings;
  const intervalMs = alerts.interval_seconds * secondMs;
  const files = alertFiles(home);
  const webhooks = alerts.webhooks.map(webhookOf);
  let source = hostname();
  let silences: Readonly<Record<string, number>> = {};
  const engine = new AlertEngine(metrics, Date.now());
  const notifier = new AlertNotifier({
    webhooks,
    log,
    source: () => source,
    silenced: (nowMs) =>
      new Set(Object.keys(silences).filter((name) => (silences[name] ?? 0) > nowMs)),
    onSent: (outcome) => metrics.add('tutti_alert_notifications_total', [outcome]),
  });
  const keeper = alertKeeper({ files, engine, notifier, intervalMs });
  let restored: Promise<void> | undefined;
  const evaluate = async (): Promise<void> => {
    restored ??= keeper.restore(source);
    await restored;
    await metrics.collect();
    silences = await files.silences();
    const changes = engine.evaluate(Date.now());
    metrics.clear('tutti_alerts_firing');
    for (const { alert } of engine.firing()) metrics.set('tutti_alerts_firing', [alert], 1);
    for (const change of changes) log.warn('alert changed', { ...change });
    // Kept on both sides: what was sent must not be sent again, what fires must be sent, whenever the process ends.
    if (changes.length > 0) await keeper.keep(source);
    await notifier.handle(changes, Date.now());
    await keeper.keep(source);
  };
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  const tick = (): void => {
    if (isRunning) return;
    isRunning = true;
    void evaluate()
      .catch((error: unknown) => log.warn('alerts were not evaluated', { error }))
      .finally(() => (isRunning = false));
  };
  return {
    names: builtInRules.map(({ name }) => name),
    list: () => listAlerts(files),
    test: async (name) => {
      const wanted = webhooks.filter((webhook) => name === undefined || webhook.name === name);
      return Promise.all(wanted.map((webhook) => testWebhook(webhook, source)));
    },
    silence: async (alert, untilMs) => {
      await files.writeSilences({ ...(await files.silences()), [alert]: untilMs });
    },
    watch: (url) => {
      if (!alerts.enabled || timer) return;
      source = `${hostname()}:${new URL(url).port}`;
      timer = setInterval(tick, intervalMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

async function listAlerts(files: ReturnType<typeof alertFiles>): Promise<readonly AlertState[]> {
  const nowMs = Date.now();
  const instances = await files.firingAt(nowMs);
  const silences = await files.silences();
  return builtInRules.map(({ name, severity, summary }) => {
    const found = instances.flatMap(({ source, firing }) =>
      firing.filter(({ alert }) => alert === name).map(({ sinceMs }) => ({ source, sinceMs })),
    );
    const silencedUntilMs = silences[name] ?? 0;
    return {
      name,
      severity,
      summary,
      firingSinceMs: found.length > 0 ? Math.min(...found.map(({ sinceMs }) => sinceMs)) : null,
      firingOn: found.map(({ source }) => source),
      silencedUntilMs: silencedUntilMs > nowMs ? silencedUntilMs : null,
    };
  });
}
