import { expect, it } from 'vitest';
import { silentLog } from '../../kernel/index.ts';
import { Metrics, metricDefinitions } from '../metrics/metrics.ts';
import { type AlertChange, AlertEngine, builtInRules } from './alert-engine.ts';
import { AlertNotifier, bodiesOf, type Webhook } from './notify.ts';

const minuteMs = 60_000;
const names = (changes: readonly AlertChange[]): readonly string[] =>
  changes.map(({ alert, state }) => `${alert} ${state}`);

it('names only metrics that exist, each with one limit', () => {
  for (const { metric, kind, above, below, windowMs } of builtInRules) {
    expect(windowMs !== undefined).toBe(kind === 'ratio' || kind === 'increase');
    expect(metricDefinitions).toHaveProperty(metric);
    expect((above === undefined) !== (below === undefined)).toBe(kind !== 'anomaly');
  }
});

it('fires when a limit is crossed for long enough, once, and says when that is over', () => {
  const metrics = new Metrics();
  const engine = new AlertEngine(metrics, 0);
  metrics.set('tutti_disk_free_bytes', [], 9e9);
  const fail = (error: number, ok: number): void => {
    metrics.add('tutti_face_calls_total', ['mcp', 'error'], error);
    metrics.add('tutti_face_calls_total', ['mcp', 'ok'], ok);
  };
  const seen = Array.from({ length: 16 }, (_, minute) => {
    fail(minute < 8 ? 50 : 0, 50);
    return names(engine.evaluate((minute + 1) * minuteMs));
  });
  expect(seen.flat()).toEqual(['CallsFailing firing', 'CallsFailing resolved']);
  expect(seen[2]).toEqual(['CallsFailing firing']);
  expect(seen[10]).toEqual(['CallsFailing resolved']);
});

it.each([5, 60, 600])('counts the same whatever the interval: %i seconds', (intervalSeconds) => {
  const metrics = new Metrics();
  metrics.set('tutti_disk_free_bytes', [], 9e9);
  const engine = new AlertEngine(metrics, 0);
  const fired: AlertChange[] = [];
  const lastMs = Math.max(6 * minuteMs, 3 * intervalSeconds * 1_000);
  for (let nowMs = 0; nowMs <= lastMs; nowMs += 1_000) {
    metrics.add('tutti_face_calls_total', ['mcp', 'error'], 3);
    metrics.add('tutti_refused_requests_total', ['identity'], 3);
    if (nowMs % (intervalSeconds * 1_000) === 0) fired.push(...engine.evaluate(nowMs));
  }
  expect(names(fired).toSorted()).toEqual(['CallsFailing firing', 'RequestsRefused firing']);
});

it('does not fire for few calls, or for what was counted before it began to watch', () => {
  const metrics = new Metrics();
  metrics.set('tutti_disk_free_bytes', [], 9e9);
  metrics.add('tutti_step_attempts_total', ['unknown'], 7);
  const engine = new AlertEngine(metrics, 0);
  expect(engine.evaluate(0)).toEqual([]);
  metrics.add('tutti_face_calls_total', ['mcp', 'error'], 3);
  expect(engine.evaluate(10 * minuteMs)).toEqual([]);
  metrics.add('tutti_step_attempts_total', ['unknown'], 1);
  expect(names(engine.evaluate(11 * minuteMs))).toEqual(['OutcomesUnknown firing']);
});

it('finds an hour with unusually many failures by itself', () => {
  const metrics = new Metrics();
  metrics.set('tutti_disk_free_bytes', [], 9e9);
  const engine = new AlertEngine(metrics, 0);
  const changes: AlertChange[] = [];
  for (let hour = 0; hour < 24 * 14 + 6; hour += 1) {
    const failures = hour < 24 * 14 ? 10 + (hour % 5) : 60;
    changes.push(...engine.evaluate(hour * 60 * minuteMs));
    metrics.add('tutti_face_calls_total', ['mcp', 'error'], failures);
    metrics.add('tutti_face_calls_total', ['mcp', 'ok'], 1_000);
  }
  expect(names(changes)).toEqual(['ErrorsUnusual firing']);
});

const change: AlertChange = {
  alert: 'CallsFailing',
  state: 'firing',
  severity: 'critical',
  summary: 'Calls fail',
  value: 0.4567,
  sinceMs: 0,
};

function aHook(over: Partial<Webhook> = {}) {
  const bodies: string[] = [];
  const send = async (body: string): Promise<void> => void bodies.push(body);
  const hook: Webhook = {
    name: 'a',
    shape: 'slack',
    minSeverity: 'info',
    afterMs: 0,
    send,
    ...over,
  };
  return { hook, bodies };
}

function aNotifier(webhooks: readonly Webhook[], silenced: ReadonlySet<string> = new Set()) {
  const outcomes: string[] = [];
  const notifier = new AlertNotifier({
    webhooks,
    log: silentLog,
    source: () => 'here',
    silenced: () => silenced,
    onSent: (outcome) => outcomes.push(outcome),
  });
  return { notifier, outcomes };
}

it('sends what changed at once as one message, and the end only where the beginning went', async () => {
  const { hook, bodies } = aHook({ minSeverity: 'critical' });
  const { notifier } = aNotifier([hook]);
  const other = { ...change, alert: 'Other' };
  await notifier.handle([change, other, { ...change, alert: 'Small', severity: 'info' }], 0);
  expect(bodies).toEqual([
    JSON.stringify({
      text: '[firing] CallsFailing (critical): Calls fail (0.457)\n[firing] Other (critical): Calls fail (0.457)',
    }),
  ]);
  await notifier.handle([{ ...change, alert: 'Small', state: 'resolved' }], 1);
  expect(bodies).toHaveLength(1);
  await notifier.handle([{ ...change, state: 'resolved' }], 2);
  expect(bodies[1]).toContain('[resolved] CallsFailing');
});

it('escalates only what still fires after a while', async () => {
  const { hook, bodies } = aHook({ afterMs: 10 * minuteMs });
  const { notifier } = aNotifier([hook]);
  await notifier.handle([change, { ...change, alert: 'Short' }], 0);
  await notifier.handle([{ ...change, alert: 'Short', state: 'resolved' }], 5 * minuteMs);
  expect(bodies).toEqual([]);
  await notifier.handle([], 10 * minuteMs);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).not.toContain('Short');
});

it('sends what is silenced once the silence is over, if it still fires', async () => {
  const { hook, bodies } = aHook();
  const silenced = new Set(['CallsFailing', 'Short']);
  const { notifier, outcomes } = aNotifier([hook], silenced);
  await notifier.handle([change, { ...change, alert: 'Short' }], 0);
  await notifier.handle([{ ...change, alert: 'Short', state: 'resolved' }], minuteMs);
  expect([bodies, outcomes]).toEqual([[], ['silenced', 'silenced']]);
  silenced.clear();
  await notifier.handle([], 2 * minuteMs);
  await notifier.handle([], 3 * minuteMs);
  expect(bodies).toEqual([expect.stringContaining('[firing] CallsFailing')]);
  expect(bodies[0]).not.toContain('Short');
});

it('tries a failing webhook again while the alert fires, and gives its end up after ten attempts', async () => {
  let attempts = 0;
  const { hook } = aHook({
    send: async () => {
      attempts += 1;
      throw new Error('refused');
    },
  });
  const { notifier } = aNotifier([hook]);
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    await notifier.handle(minute === 0 ? [change] : [], minute * minuteMs);
  }
  // After five growing pauses every fifteen minutes.
  expect(attempts).toBeGreaterThan(90);
  expect(attempts).toBeLessThan(110);
  attempts = 0;
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    const ended = { ...change, state: 'resolved' } as const;
    await notifier.handle(minute === 0 ? [ended] : [], (24 * 60 + minute) * minuteMs);
  }
  expect(attempts).toBe(10);
});

it('has the shape that each service expects, without secrets', () => {
  const secret = `sk-${'a'.repeat(48)}`;
  const leaky = { ...change, summary: `password=hunter2 ${secret}` };
  const [event] = bodiesOf({ shape: 'pagerduty', routingKey: 'key' }, [leaky], 'here');
  expect(JSON.parse(event ?? '')).toMatchObject({
    routing_key: 'key',
    event_action: 'trigger',
    dedup_key: 'tutti/here/CallsFailing',
    payload: { severity: 'critical', timestamp: '1970-01-01T00:00:00.000Z' },
  });
  for (const shape of ['slack', 'pagerduty', 'generic'] as const) {
    const text = bodiesOf({ shape }, [leaky], 'here').join('');
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(secret);
  }
});
