import { describe, expect, it } from 'vitest';
import type { FailedAttempt } from '../../contract/experience/index.ts';
import { anApi } from '../../../testkit/api/an-api.ts';
import { anExperience } from '../../../testkit/memory/an-experience.ts';

const failed: FailedAttempt = {
  kind: 'step',
  subject: 'web.start',
  target: 'deploy/start',
  arguments: { port: 3000 },
  surroundings: {},
  error: { code: 'tool.failed', message: 'listen EADDRINUSE: address already in use', details: {} },
  runId: 'run-1',
  step: 'start',
};

async function setUp() {
  const experience = anExperience();
  const api = await anApi({ experience });
  return { experience, api };
}

describe('failures over REST', () => {
  it('are listed and explained for the caller whose they are', async () => {
    const { experience, api } = await setUp();
    experience.failed({ id: 'acme/anna' }, failed);
    const { json } = await api.send({ path: '/api/v1/failures' });
    expect(json).toMatchObject({ items: [{ subject: 'web.start', family: 'port-in-use' }] });
    const run = await api.send({ path: '/api/v1/runs/run-1/failure' });
    expect(run).toMatchObject({ status: 200, json: { isKnown: true, failure: { step: 'start' } } });
    const id = (run.json as { failure: { id: string } }).failure.id;
    expect((await api.send({ path: `/api/v1/failures/${id}` })).status).toBe(200);
    for (const path of ['/api/v1/runs/run-1/failure', `/api/v1/failures/${id}`]) {
      expect((await api.send({ path, as: 'bob' })).status).toBe(404);
    }
    expect((await api.send({ path: '/api/v1/failures', as: 'bob' })).json).toMatchObject({
      items: [],
    });
  });

  it('take the text of an error, outcomes and approvals', async () => {
    const { api } = await setUp();
    const post = (path: string, body: object) => api.send({ method: 'POST', path, body });
    const explained = await post('/api/v1/failures/explain', { text: failed.error.message });
    expect(explained.json).toMatchObject({ isKnown: true, failure: null });
    const fix = '/api/v1/fixes/shipped:port-in-use:2';
    expect((await post(`${fix}/outcomes`, { isCured: true })).json).toMatchObject({
      uses: 1,
      cures: 1,
    });
    expect((await post(`${fix}/approval`, { isApproved: true })).json).toMatchObject({
      isApproved: true,
    });
    expect((await api.send({ path: '/api/v1/fixes' })).json).toMatchObject({
      items: [{ fixId: 'shipped:port-in-use:2', isApproved: true }],
    });
    expect((await post('/api/v1/fixes/nothing/outcomes', { isCured: true })).status).toBe(404);
  });
});
