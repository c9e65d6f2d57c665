import { describe, expect, it } from 'vitest';
import type { Agent, AgentEvent } from '../../contract/agent/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { fakePorts, serveApi, type AnApi } from '../../../testkit/api/an-api.ts';
import { anAnswer } from '../../../testkit/cli/fake-agent.ts';
import type { ApiLimits } from '../ports.ts';

type Ask = Parameters<Agent['ask']>;

/** An agent that does what the test says. */
async function anApiWith(
  ask: (request: Ask[0], options: Ask[1]) => ReturnType<Agent['ask']>,
  limits: Partial<ApiLimits> = {},
): Promise<AnApi> {
  return serveApi({ ...(await fakePorts()), agent: { ask }, limits });
}

async function begin(api: AnApi, as = 'anna'): Promise<string> {
  const body = { message: 'hello' };
  const { status, json } = await api.send({ method: 'POST', path: '/api/v1/turns', body, as });
  expect(status).toBe(202);
  return json.events;
}

interface Told {
  readonly id: number;
  readonly event: string;
  // Tests look at events of all kinds.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

function readTold(text: string): Told[] {
  return [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(
    ([, id, event = '', data = '']) => ({ id: Number(id), event, data: JSON.parse(data) }),
  );
}

async function follow(api: AnApi, path: string, lastEventId?: number): Promise<Told[]> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  return readTold((await api.send({ path, headers })).text);
}

const aRun: RunView = {
  runId: 'run-1',
  name: null,
  goal: null,
  status: 'running',
  engine: 'embedded',
  createdAt: '',
  startedAt: null,
  endedAt: null,
  forkedFrom: null,
  steps: {
    one: { status: 'running', output: 'large', startedAt: null, endedAt: null, attempts: 1 },
  },
  waitingFor: [],
  input: { secret: 'not shown' },
  traceId: null,
};
const approval = {
  kind: 'approval',
  step: 'one',
  approvalId: 'a1',
  message: 'Go on?',
  tool: null,
  arguments: {},
  expiresAt: '',
} as const;

const events: readonly AgentEvent[] = [
  { kind: 'session', sessionId: 'session-1' },
  { kind: 'run', run: aRun },
  { kind: 'run', run: { ...aRun, status: 'waiting', waitingFor: [approval] } },
  { kind: 'run', run: { ...aRun, status: 'waiting', waitingFor: [approval] } },
  { kind: 'text', text: 'Hel' },
  { kind: 'text', text: 'lo' },
];

describe('a turn of the agent', () => {
  it('tells what happens in order and ends with the outcome', async () => {
    const api = await anApiWith(async (_request, { onEvent }) => {
      for (const event of events) onEvent?.(event);
      return anAnswer('Hello');
    });
    const told = await follow(api, await begin(api));
    expect(told.map(({ id }) => id)).toEqual(told.map((_event, index) => index + 1));
    expect(told.map(({ event }) => event)).toEqual([
      'session',
      'run',
      'run',
      'approval',
      'run',
      'text',
      'text',
      'done',
    ]);
    expect(told[1]?.data).not.toHaveProperty('input');
    expect(told[1]?.data.steps.one).toEqual(expect.not.objectContaining({ output: 'large' }));
    expect(told[3]?.data).toMatchObject({ runId: 'run-1', approvalId: 'a1', message: 'Go on?' });
    expect(told.at(-1)?.data).toMatchObject({ kind: 'answer', answer: 'Hello' });
  });

  it('gives a client that reconnects what it lacks, and 204 when it has all', async () => {
    const api = await anApiWith(async (_request, { onEvent }) => {
      for (const event of events) onEvent?.(event);
      return anAnswer('Hello');
    });
    const path = await begin(api);
    const all = await follow(api, path);
    for (let had = 0; had < all.length; had += 1) {
      expect(await follow(api, path, had)).toEqual(all.slice(had));
    }
    const headers = (id: string) => ({ 'last-event-id': id });
    expect((await api.send({ path, headers: headers(String(all.length)) })).status).toBe(204);
    for (const id of ['99', 'x', '-1', '1.5']) {
      expect((await api.send({ path, headers: headers(id) })).status).toBe(400);
    }
  });

  it('goes on without a listener, and several see the same', async () => {
    const gate = Promise.withResolvers<void>();
    const api = await anApiWith(async (_request, { onEvent }) => {
      onEvent?.({ kind: 'text', text: 'first' });
      await gate.promise;
      onEvent?.({ kind: 'text', text: 'second' });
      return anAnswer('first second');
    });
    const path = await begin(api);
    const both = [follow(api, path), follow(api, path)];
    const leaving = new AbortController();
    const headers = { authorization: 'Bearer anna' };
    const left = await fetch(`${api.url}${path}`, { headers, signal: leaving.signal });
    await left.body?.getReader().read();
    leaving.abort();
    gate.resolve();
    const [one, other] = await Promise.all(both);
    expect(one?.map(({ event }) => event)).toEqual(['text', 'text', 'done']);
    expect(other).toEqual(one);
  });

  it('of another caller does not exist, to read and to cancel', async () => {
    const api = await anApiWith(async () => anAnswer('mine'));
    const path = await begin(api);
    const missing = path.replace(/[0-9a-f]{8}/, '00000000');
    for (const [method, end] of [
      ['GET', 'events'],
      ['POST', 'cancel'],
    ] as const) {
      const ask = (at: string) =>
        api.send({
          method,
          path: at.replace('events', end),
          as: 'bob',
          ...(method === 'POST' && { body: {} }),
        });
      const [foreign, none] = [await ask(path), await ask(missing)];
      expect([foreign.status, none.status]).toEqual([404, 404]);
      expect(foreign.text.replace(/[0-9a-f]{8}-/, '00000000-')).toBe(none.text);
    }
  });

  it('is cancelled on request, and tells of a failure with its code', async () => {
    const api = await anApiWith(async (_request, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw new Error('a bug');
    });
    const path = await begin(api);
    const ended = follow(api, path);
    await api.send({ method: 'POST', path: path.replace('events', 'cancel'), body: {} });
    const [last] = await ended;
    expect([last?.event, last?.data.code]).toEqual(['failed', 'internal.bug']);
  });

  it('is refused beyond the limit, and keeps its outcome beyond the limit of its events', async () => {
    const gate = Promise.withResolvers<void>();
    const api = await anApiWith(
      async (_request, { onEvent }) => {
        for (let number = 0; number < 100; number += 1)
          onEvent?.({ kind: 'text', text: 'x'.repeat(50) });
        await gate.promise;
        return anAnswer('done');
      },
      { maxTurnsPerCaller: 1, maxTurns: 2, maxTurnChars: 1_000 },
    );
    const path = await begin(api);
    await begin(api, 'bob');
    const body = { message: 'one more' };
    for (const as of ['anna', 'sam']) {
      const { status, json } = await api.send({ method: 'POST', path: '/api/v1/turns', body, as });
      expect([status, json.code]).toEqual([429, 'api.too_many_turns']);
    }
    gate.resolve();
    const told = await follow(api, path);
    expect(told.length).toBeLessThan(30);
    expect(told.at(-1)?.event).toBe('done');
    await begin(api);
  });
});
