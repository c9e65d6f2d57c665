import { once } from 'node:events';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { silentLog } from '../kernel/index.ts';
import { Metrics } from '../observe/index.ts';
import { alertsHere, type AlertsHere } from './alerts.ts';
import { loadSettingsHere } from './settings.ts';

const minuteMs = 60_000;
const evaluateEverySeconds = 0.002;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 }));
afterEach(() => vi.useRealTimers());

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

const moment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));

/** `expect.poll` would set the date of the test forward. */
async function eventually(check: () => unknown): Promise<void> {
  for (let left = 1_000; ; left -= 1) {
    try {
      await check();
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
    await moment();
  }
}

/** A webhook on a real socket; its status is what it answers from then on, `never`: nothing. */
async function aReceiver() {
  const receiver = { url: '', status: 200, bodies: [] as string[], requests: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      receiver.requests += 1;
      if (receiver.status === 200) receiver.bodies.push(body);
      response.writeHead(receiver.status).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  receiver.url = `http://127.0.0.1:${port}/hook`;
  return receiver;
}

interface Watching extends AlertsHere {
  readonly metrics: Metrics;
  unknownOutcome(): void;
  evaluated(): number;
}

async function watching(
  home: string,
  { url, port = 8004, shape = 'slack' }: { url: string; port?: number; shape?: string },
): Promise<Watching> {
  const flags = { home, 'alerts.webhooks': JSON.stringify([{ name: 'team', url, shape }]) };
  const { values } = await loadSettingsHere({ flags, env: {}, cwd: home });
  const settings = {
    ...values,
    alerts: { ...values.alerts, interval_seconds: evaluateEverySeconds },
  };
  const metrics = new Metrics();
  let evaluations = 0;
  metrics.onCollect(() => void (evaluations += 1));
  metrics.set('tutti_disk_free_bytes', [], 9e9);
  const alerts = alertsHere({ settings, metrics, log: silentLog });
  onTestFinished(() => alerts.close());
  alerts.watch(`http://127.0.0.1:${port}`);
  const unknownOutcome = (): void => metrics.add('tutti_step_attempts_total', ['unknown'], 1);
  return { ...alerts, metrics, unknownOutcome, evaluated: () => evaluations };
}

const firingOn = async (alerts: AlertsHere): Promise<readonly string[] | undefined> =>
  (await alerts.list()).find(({ name }) => name === 'OutcomesUnknown')?.firingOn;

it('sends over HTTP what fires, and its end', async () => {
  const receiver = await aReceiver();
  const alerts = await watching(aDirectory(), receiver);
  alerts.unknownOutcome();
  await eventually(() => expect(receiver.bodies.length).toBe(1));
  expect(receiver.bodies[0]).toContain('[firing] OutcomesUnknown (critical)');
  pass(6 * minuteMs);
  await eventually(() => expect(receiver.bodies.length).toBe(2));
  expect(receiver.bodies[1]).toContain('[resolved] OutcomesUnknown');
});

it('tries a webhook that fails again, with longer pauses, for as long as the alert fires', async () => {
  const receiver = await aReceiver();
  receiver.status = 503;
  const alerts = await watching(aDirectory(), receiver);
  alerts.unknownOutcome();
  for (const [attempts, pauseMs] of [
    [1, 30_000],
    [2, 60_000],
    [3, 120_000],
  ] as const) {
    await eventually(() => expect(receiver.requests).toBe(attempts));
    await moment();
    expect(receiver.requests).toBe(attempts);
    pass(pauseMs);
  }
  receiver.status = 200;
  await eventually(() => expect(receiver.bodies.length).toBe(1));
  expect(receiver.bodies[0]).toContain('[firing] OutcomesUnknown');
});

it('tells when a silence ends what began in it and still fires', async () => {
  const receiver = await aReceiver();
  const alerts = await watching(aDirectory(), receiver);
  await alerts.silence('OutcomesUnknown', Date.now() + 2 * minuteMs);
  alerts.unknownOutcome();
  await eventually(async () => expect(await firingOn(alerts)).toHaveLength(1));
  pass(minuteMs);
  expect(receiver.requests).toBe(0);
  pass(2 * minuteMs);
  await eventually(() => expect(receiver.bodies.length).toBe(1));
});

it('is a different incident for each instance on one directory, and each keeps its own', async () => {
  const receiver = await aReceiver();
  const home = aDirectory();
  const one = await watching(home, { ...receiver, shape: 'pagerduty', port: 8004 });
  const other = await watching(home, { ...receiver, shape: 'pagerduty', port: 8005 });
  one.unknownOutcome();
  await eventually(() => expect(receiver.bodies.length).toBe(1));
  pass(3 * minuteMs);
  other.unknownOutcome();
  await eventually(() => expect(receiver.bodies.length).toBe(2));
  await eventually(async () => expect(await firingOn(one)).toHaveLength(2));
  pass(3 * minuteMs);
  await eventually(() => expect(receiver.bodies.length).toBe(3));
  expect(
    receiver.bodies.map((body) => {
      const { event_action: action, dedup_key: key } = JSON.parse(body);
      return [action, key];
    }),
  ).toEqual([
    ['trigger', `tutti/${hostname()}:8004/OutcomesUnknown`],
    ['trigger', `tutti/${hostname()}:8005/OutcomesUnknown`],
    ['resolve', `tutti/${hostname()}:8004/OutcomesUnknown`],
  ]);
  expect(await firingOn(one)).toEqual([`${hostname()}:8005`]);
});

it('ends after a restart what was told before it, once', async () => {
  const receiver = await aReceiver();
  const home = aDirectory();
  const first = await watching(home, receiver);
  first.unknownOutcome();
  await eventually(() => expect(receiver.bodies.length).toBe(1));
  await eventually(async () => expect(await firingOn(first)).toHaveLength(1));
  await moment();
  first.close();
  const second = await watching(home, receiver);
  await eventually(() => expect(receiver.bodies.length).toBe(2));
  expect(receiver.bodies[1]).toContain('[resolved] OutcomesUnknown');
  await eventually(async () => expect(await firingOn(second)).toEqual([]));
});

it('knows after a restart what is usual', { timeout: 60_000 }, async () => {
  const receiver = await aReceiver();
  const home = aDirectory();
  const hour = async (alerts: Watching, failures: number): Promise<void> => {
    alerts.metrics.add('tutti_face_calls_total', ['mcp', 'error'], failures);
    alerts.metrics.add('tutti_face_calls_total', ['mcp', 'ok'], 1_000);
    pass(60 * minuteMs);
    // The second one begins after the first has ended.
    const until = alerts.evaluated() + 2;
    await eventually(() => expect(alerts.evaluated()).toBeGreaterThanOrEqual(until));
  };
  // From a Thursday to the next: after four working days, two in which differences from them are known.
  const first = await watching(home, receiver);
  for (let at = 0; at < 24 * 8; at += 1) await hour(first, 10 + (at % 5));
  first.close();
  const second = await watching(home, { ...receiver, port: 8006 });
  for (let at = 0; at < 8; at += 1) await hour(second, at < 2 ? 12 : 60);
  await eventually(() => expect(receiver.bodies.join()).toContain('[firing] ErrorsUnusual'));
});
