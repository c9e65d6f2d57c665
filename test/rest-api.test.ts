import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiRoutes } from '../src/api/route-table.ts';
import type { Instance } from '../src/contract/instance/index.ts';
import { exampleOf } from '../src/api/document/openapi-document.ts';
import { aWholeApi, type WholeApi } from '../testkit/api/a-whole-api.ts';

const startupMs = 60_000;
let api: WholeApi;
beforeAll(async () => {
  api = await aWholeApi();
}, startupMs);
afterAll(() => api.close());

const echoPlan = {
  steps: [
    { id: 'a', tool: 'standards.get_standard', args: { language: 'python' } },
    { id: 'b', tool: 'standards.get_standard', args: { language: 'go' } },
    { id: 'gate', approval: { message: 'Go on?' } },
    { id: 'c', sleep: '50ms', when: 'exists(${gate})' },
  ],
};

async function start(as = 'anna', plan: object = echoPlan): Promise<string> {
  const { status, text, json } = await api.send({
    method: 'POST',
    path: '/api/v1/runs',
    body: { plan },
    as,
  });
  expect(status, text).toBe(201);
  return json.runId;
}

async function untilStatus(runId: string, wanted: string) {
  for (;;) {
    const { json } = await api.send({ path: `/api/v1/runs/${runId}` });
    if (json.status === wanted) return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function approve(runId: string): Promise<void> {
  const { waitingFor } = await untilStatus(runId, 'waiting');
  const path = `/api/v1/runs/${runId}/approve`;
  const body = { approvalId: waitingFor[0].approvalId };
  expect((await api.send({ method: 'POST', path, body })).status).toBe(200);
}

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Events until the stream ends, or after `count` of them. */
async function readEvents(runId: string, lastEventId = '', count = Infinity): Promise<Event[]> {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/api/v1/runs/${runId}/events`, {
    headers: {
      authorization: 'Bearer anna',
      ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  });
  const events: Event[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (id !== undefined) events.push({ id, event: event ?? '', data: data ?? '' });
    }
    if (events.length >= count) break;
  }
  abort.abort();
  return events.slice(0, count);
}

describe('a run over REST', () => {
  it('is started, waits for an approval, goes on, and is read back whole', async () => {
    const runId = await start();
    await approve(runId);
    const run = await untilStatus(runId, 'succeeded');
    expect(run).toMatchObject({ runId, totalSteps: 4, waitingFor: [] });
    const { json } = await api.send({ path: `/api/v1/runs/${runId}/steps?limit=3` });
    expect(json.items.map(({ path }: { path: string }) => path)).toEqual(['a', 'b', 'gate']);
    const rest = await api.send({ path: `/api/v1/runs/${runId}/steps?cursor=${json.nextCursor}` });
    expect(rest.json.items).toHaveLength(1);
  });

  it('tells its events once each, whichever event a client had last, also after a restart', async () => {
    const runId = await start();
    const following = readEvents(runId);
    await approve(runId);
    const all = await following;
    expect(JSON.parse(all.at(-1)?.data ?? '')).toMatchObject({ status: 'succeeded' });
    const journal = (events: readonly Event[]) =>
      events.filter(({ event }) => event === 'journal').map(({ data }) => JSON.parse(data).number);
    const numbers = journal(all);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    const resume = async () => {
      for (const [at, { id }] of all.entries()) {
        const seen = journal(all.slice(0, at + 1));
        const rest = await readEvents(runId, id);
        expect([...seen, ...journal(rest)], id).toEqual(numbers);
        const ends = rest.filter(({ data }) => data.includes('"status":"succeeded"'));
        expect(ends, id).toHaveLength(at === all.length - 1 ? 0 : 1);
      }
    };
    await resume();
    const { home } = api;
    await api.close();
    api = await aWholeApi(home);
    await resume();
    const last = await api.send({
      path: `/api/v1/runs/${runId}/events`,
      headers: { 'last-event-id': all.at(-1)?.id ?? '' },
    });
    expect(last.status).toBe(204);
  }, 60_000);

  it('that was followed by several clients that disconnect and return loses no event for any', async () => {
    const runId = await start();
    const cut = await Promise.all([1, 2, 3].map((count) => readEvents(runId, '', count)));
    const later = cut.map(async (events) => [
      ...events,
      ...(await readEvents(runId, events.at(-1)?.id)),
    ]);
    await approve(runId);
    for (const events of await Promise.all(later)) {
      const ids = events
        .filter(({ event }) => event === 'journal')
        .map(({ id }) => Number.parseInt(id, 10));
      expect(ids).toEqual(ids.map((_, at) => at + 1));
      expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ status: 'succeeded' });
    }
  });

  it('refuses an event id that it never gave', async () => {
    const runId = await start();
    for (const id of ['x', '-1.', '99999.', '1.zz']) {
      const { status } = await api.send({
        path: `/api/v1/runs/${runId}/events`,
        headers: { 'last-event-id': id },
      });
      expect(status, id).toBe(400);
    }
  });

  it('is found page by page, newest first', async () => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { json } = await api.send({ path: `/api/v1/runs?limit=2${cursor}` });
      ids.push(...json.items.map(({ runId }: { runId: string }) => runId));
      cursor = json.nextCursor === null ? '' : `&cursor=${json.nextCursor}`;
    } while (cursor !== '');
    expect(ids.length).toBeGreaterThan(3);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });
});

describe('what belongs to another caller', () => {
  it('is answered like what does not exist, on every route that names an object', async () => {
    const runId = await start();
    const session = await api.send({ method: 'POST', path: '/api/v1/sessions', body: {} });
    const lineage = { runId, step: 'a', tool: null, argumentsDigest: null, inputs: [] };
    const artifacts = await api.rooms.runs.artifacts();
    const content = { content: 'canary', mediaType: 'text/plain', lineage };
    const { id: artifactId } = await artifacts.put({ id: 'acme/anna' }, content);
    const item = await api.send({ method: 'POST', path: '/api/v1/memory', body: { text: 'Hi' } });
    const objects: readonly (readonly [string, string, string])[] = [
      ['/memory/', item.json.id, 'm00000000000a'],
      ['/runs/', runId, '0k9x2m4c7v5b8n1z3q'],
      ['/sessions/', session.json.id, '0123456789ab'],
      ['/artifacts/', artifactId, `sha256:${'0'.repeat(64)}`],
    ];
    let compared = 0;
    for (const [prefix, real, missing] of objects) {
      const routes = apiRoutes.filter(({ path }) => path.startsWith(`${prefix}{id}`));
      for (const route of routes) {
        const ask = (id: string) =>
          api.send({
            method: route.method.toUpperCase(),
            path: `/api/v1${route.path.replace('{id}', encodeURIComponent(id)).replace('{name}', 'go')}`,
            as: 'sam',
            ...(route.method === 'post' && { body: exampleOf(route).body ?? {} }),
          });
        const [foreign, absent] = [await ask(real), await ask(missing)];
        expect([foreign.status, foreign.text.replaceAll(real, missing)], route.path).toEqual([
          404,
          absent.text,
        ]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect((await api.send({ path: '/api/v1/runs', as: 'sam' })).json.items).toEqual([]);
  }, 60_000);
});

describe('what is out of the scope of a caller', () => {
  it('is in no list, and answered like what does not exist', async () => {
    for (const path of ['tools', 'resources', 'resources/templates', 'prompts', 'servers']) {
      const all = await api.send({ path: `/api/v1/${path}` });
      const shown = await api.send({ path: `/api/v1/${path}`, as: 'sam' });
      expect([path, all.status, shown.status, shown.json.items]).toEqual([path, 200, 200, []]);
    }
    const tools = await api.send({ path: '/api/v1/tools' });
    expect(tools.json.items.length).toBeGreaterThan(20);
    const call = { method: 'POST', body: { arguments: {} }, as: 'sam' };
    const hidden = await api.send({ ...call, path: '/api/v1/tools/code.review_code/call' });
    const missing = await api.send({ ...call, path: '/api/v1/tools/code.no_such_tool/call' });
    expect([hidden.status, hidden.json.code]).toEqual([missing.status, missing.json.code]);
  });
});

describe('the examples of the document', () => {
  it('work: each is sent, and its answer fits the schema of its route', async () => {
    const run = exampleOf({ method: 'post', path: '/runs' }).body;
    const { json: started } = await api.send({ method: 'POST', path: '/api/v1/runs', body: run });
    await untilStatus(started.runId, 'succeeded');
    const { json: session } = await api.send({
      method: 'POST',
      path: '/api/v1/sessions',
      body: {},
    });
    const artifacts = await api.rooms.runs.artifacts();
    const lineage = {
      runId: started.runId,
      step: 'say',
      tool: null,
      argumentsDigest: null,
      inputs: [],
    };
    const artifact = { content: 'hello there\n', mediaType: 'text/plain', lineage };
    const { id: artifactId } = await artifacts.put({ id: 'acme/anna' }, artifact);
    const { json: traces } = await api.send({ path: '/api/v1/traces?limit=1' });
    const turn = exampleOf({ method: 'post', path: '/turns' }).body;
    const { json: begun } = await api.send({ method: 'POST', path: '/api/v1/turns', body: turn });
    const { json: item } = await api.send({
      method: 'POST',
      path: '/api/v1/memory',
      body: { text: 'The answer is 42' },
    });
    const anna = { id: 'acme/anna' };
    const { experience } = api.rooms;
    experience.failed(anna, {
      kind: 'step',
      subject: 'web.start',
      target: 'deploy/start',
      arguments: {},
      surroundings: {},
      error: { code: 'tool.failed', message: 'listen EADDRINUSE', details: {} },
      runId: started.runId,
    });
    await experience.flush();
    const [failure] = await experience.failures(anna, 1);
    const instance = exampleOf({ method: 'get', path: '/instances' }).answer as {
      readonly items: readonly Instance[];
    };
    const ids = new Map<unknown, string>([
      ['m1', item.id],
      ['6f1c2f5e-4a3b-4c1d-9e8f-0a1b2c3d4e5f', begun.turnId],
      ['3f2a9c81d0e4', failure?.id ?? ''],
      ['0k9x2m4c7v5b8n1z3q', started.runId],
      ['session-1', session.id],
      [`sha256:${'0'.repeat(64)}`, artifactId],
      ['0af7651916cd43dd8448eb211c80319c', traces.items[0].traceId],
    ]);
    // The run of the examples is over, nothing asks it for a decision, and there is no such key, preference or configured server.
    const refused =
      /^\/runs.*\/(?:approve|deny|resolve|repair|cancel|pause|resume|signals\/.*)$|^\/keys\/.|^\/servers\/.*\/enable$|^\/preferences\/forget$/;
    const sorted = apiRoutes.toSorted(
      (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
    );
    for (const route of sorted) {
      const { params = {}, query, body } = exampleOf(route);
      const path = Object.entries(params).reduce(
        (text, [name, value]) =>
          text.replace(`{${name}}`, encodeURIComponent(ids.get(value) ?? value)),
        route.path,
      );
      // It counts as gone without a recent beat.
      if (route.path.startsWith('/instances')) {
        const [report] = instance.items;
        if (report) await api.rooms.store.instances.beat({ ...report, isDraining: false });
      }
      const search = query ? `?${new URLSearchParams(query).toString()}` : '';
      const answer = await api.send({
        method: route.method.toUpperCase(),
        path: `/api/v1${path}${search}`,
        ...(route.method === 'post' && { body: body ?? {} }),
      });
      const name = `${route.method} ${path}: ${answer.text}`;
      if (refused.test(route.path)) {
        expect([404, 409], name).toContain(answer.status);
        continue;
      }
      expect(answer.status, name).toBe(route.status ?? 200);
      const shown = route.mediaType === undefined ? (answer.json ?? null) : answer.text;
      expect(route.answer.safeParse(shown), name).toMatchObject({ success: true });
    }
  }, 120_000);
});
