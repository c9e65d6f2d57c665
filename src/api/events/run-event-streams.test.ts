import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { RunJournalEntry } from '../../contract/run/index.ts';
import { fakePorts, serveApi } from '../../../testkit/api/an-api.ts';
import { FakeWorkflows } from '../../../testkit/toolbox/workflow/fake-workflows.ts';

const start = { method: 'POST', path: '/api/v1/runs', body: { plan: 'steps: []' } };
const path = '/api/v1/runs/run-1/events';

/** Runs whose journal has as many entries as the test says. */
class JournalWorkflows extends FakeWorkflows {
  total = 0;

  override async journal(...[caller, runId, range]: Parameters<FakeWorkflows['journal']>) {
    await this.show(caller, runId);
    const numbers = Array.from({ length: this.total }, (_, at) => at + 1);
    const shown = numbers.slice(range.after, range.after + range.limit);
    return { runId, entries: shown.map(anEntry), total: this.total };
  }
}

function anEntry(number: number): RunJournalEntry {
  const steps = [`step ${number} ${'x'.repeat(200)}`];
  return { number, kind: 'settled', steps, activity: 'call', outcome: 'succeeded', at: null };
}

describe('an event stream', () => {
  it('is refused beyond the limits, and possible again when one has ended', async () => {
    const ports = await fakePorts();
    const limits = { maxStreams: 2, maxStreamsPerCaller: 1 };
    const api = await serveApi({ ...ports, limits });
    await api.send(start);
    const abort = new AbortController();
    const headers = { authorization: 'Bearer anna' };
    const open = await fetch(`${api.url}${path}`, { headers, signal: abort.signal });
    expect(open.status).toBe(200);
    const second = await api.send({ path });
    expect([second.status, second.json.code]).toEqual([429, 'api.too_many_streams']);
    expect(second.headers.get('retry-after')).toBe('1');
    abort.abort();
    ports.workflows.change('run-1', { status: 'succeeded' });
    await expect.poll(async () => (await api.send({ path })).status).toBe(200);
  });

  it('beats while nothing happens, and ends when the server closes', async () => {
    const api = await serveApi({ ...(await fakePorts()), limits: { streamHeartbeatMs: 20 } });
    await api.send(start);
    const response = await fetch(`${api.url}${path}`, {
      headers: { authorization: 'Bearer anna' },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(': alive')) text += (await reader?.read())?.value ?? '';
    expect(text).toContain('"status":"running"');
    await reader?.cancel();
  });

  it('gives all of a long journal at the pace of its client, each entry once', async () => {
    const workflows = new JournalWorkflows();
    workflows.total = 20_000;
    const api = await serveApi({ ...(await fakePorts()), workflows });
    await api.send(start);
    workflows.change('run-1', { status: 'succeeded', endedAt: '2026-01-01T00:00:00.000Z' });
    const { text } = await api.send({ path });
    const ids = [...text.matchAll(/^id: (\d+)\.$/gm)].map(([, number]) => Number(number));
    expect(ids).toHaveLength(20_000);
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    expect(text).toContain('"status":"succeeded"');
  });

  it('is closed when its client does not read', async () => {
    const workflows = new JournalWorkflows();
    const limits = { maxStreamBacklogBytes: 100_000, idleRunPollMs: 5 };
    const api = await serveApi({ ...(await fakePorts()), workflows, limits });
    await api.send(start);
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer anna\r\n\r\n`);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
    for (let round = 0; round < 100; round += 1) {
      workflows.total += 1_000;
      workflows.change('run-1', { startedAt: String(round) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.resume();
    expect(await closed).toBe('closed');
  });
});
