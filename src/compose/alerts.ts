import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../config/index.ts';
import type { Log } from '../kernel/index.ts';
import { AlertEngine, AlertNotifier, builtInRules, type Metrics } from '../observe/index.ts';
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
  /** Evaluates them from now on, until `close`. */
  watch(): void;
  close(): void;
}

export interface AlertState {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  readonly firingSinceMs: number | null;
  readonly silencedUntilMs: number | null;
}

const silencesSchema = z.record(z.string(), z.number());
const firingSchema = z.array(z.object({ alert: z.string(), sinceMs: z.number() }));

/** Alerts of this data directory: evaluated by the process that serves, silenced and listed by any. */
export function alertsHere({ settings, metrics, log }: AlertParts): AlertsHere {
  const { home, alerts } = settings;
  const silencesFile = join(home, 'alert-silences.json');
  const firingFile = join(home, 'alerts-firing.json');
  const webhooks = alerts.webhooks.map(webhookOf);
  let silences: Readonly<Record<string, number>> = {};
  const engine = new AlertEngine(metrics, Date.now());
  const notifier = new AlertNotifier({
    webhooks,
    log,
    source: 'tutti',
    silenced: (nowMs) =>
      new Set(Object.keys(silences).filter((name) => (silences[name] ?? 0) > nowMs)),
    onSent: (outcome) => metrics.add('tutti_alert_notifications_total', [outcome]),
  });
  const evaluate = async (): Promise<void> => {
    await metrics.collect();
    silences = await readJson(silencesFile, silencesSchema, {});
    const changes = engine.evaluate(Date.now());
    metrics.clear('tutti_alerts_firing');
    for (const { alert } of engine.firing()) metrics.set('tutti_alerts_firing', [alert], 1);
    for (const change of changes) log.warn('alert changed', { ...change });
    if (changes.length > 0) await writeJson(firingFile, engine.firing());
    await notifier.handle(changes, Date.now());
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
    list: () => listAlerts({ firingFile, silencesFile }),
    test: async (name) => {
      const wanted = webhooks.filter((webhook) => name === undefined || webhook.name === name);
      return Promise.all(wanted.map(testWebhook));
    },
    silence: async (alert, untilMs) => {
      const now = await readJson(silencesFile, silencesSchema, {});
      await writeJson(silencesFile, { ...now, [alert]: untilMs });
    },
    watch: () => {
      if (!alerts.enabled || timer) return;
      timer = setInterval(tick, alerts.interval_seconds * 1_000).unref();
      // What fired when another process ended says nothing of this one.
      void writeJson(firingFile, []).catch(() => {});
    },
    close: () => clearInterval(timer),
  };
}

async function listAlerts(files: {
  readonly firingFile: string;
  readonly silencesFile: string;
}): Promise<readonly AlertState[]> {
  const firing = await readJson(files.firingFile, firingSchema, []);
  const silences = await readJson(files.silencesFile, silencesSchema, {});
  return builtInRules.map(({ name, severity, summary }) => ({
    name,
    severity,
    summary,
    firingSinceMs: firing.find(({ alert }) => alert === name)?.sinceMs ?? null,
    silencedUntilMs: (silences[name] ?? 0) > Date.now() ? (silences[name] ?? null) : null,
  }));
}

async function readJson<Value>(file: string, schema: z.ZodType<Value>, otherwise: Value) {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return otherwise;
  }
}

async function writeJson(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, file);
}
