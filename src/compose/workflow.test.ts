import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { RunView } from '../contract/run/index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { openSystem } from './open-system.ts';
import type { System } from './system.ts';

interface Place {
  readonly home: string;
  readonly cwd: string;
}

function aPlace(): Place {
  const cwd = aDirectory();
  return { home: join(cwd, 'data'), cwd };
}

async function aSystem(
  { home, cwd }: Place,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<System> {
  const system = await openSystem({ flags: { 'server.port': 0, home, ...flags }, env: {}, cwd });
  onTestFinished(() => system.close());
  return system;
}

const standard = { id: 'style', tool: 'standards.get_standard', args: { language: 'python' } };
const nap = { id: 'nap', sleep: 300 };

async function start({ workflows }: System, plan: object): Promise<string> {
  const source = { kind: 'data', plan } as const;
  return (await workflows.start(localCaller, { source, input: {} })).runId;
}

function follow({ workflows }: System, runId: string): Promise<RunView> {
  const { signal } = new AbortController();
  return workflows.follow(localCaller, runId, { execute: true, signal });
}

async function statusOf({ workflows }: System, runId: string): Promise<string> {
  return (await workflows.show(localCaller, runId)).status;
}

const patience = { timeout: 20_000, interval: 50 };

describe('runs of this machine', { timeout: 60_000 }, () => {
  it('call the tools of the catalogue, all steps in one trace', async () => {
    const place = aPlace();
    const system = await aSystem(place);
    const plan = { name: 'Look', steps: [standard], output: '${style.language}' };
    const view = await follow(system, await start(system, plan));
    expect(view).toMatchObject({ status: 'succeeded', output: 'python' });
    await system.close();
    const later = await aSystem(place);
    const spans = await later.traces.find(view.traceId ?? '');
    const tree = later.formatTrace(spans);
    expect(tree).toMatch(/run Look[^]*step style[^]*tools\/call standards\.get_standard/);
  });

  it('leave no trace where nothing is traced', async () => {
    const system = await aSystem(aPlace(), { 'tracing.enabled': false });
    const view = await follow(system, await start(system, { steps: [standard] }));
    expect(view).toMatchObject({ status: 'succeeded', traceId: null });
  });

  it('cost nothing where there are none', async () => {
    const place = aPlace();
    const system = await aSystem(place);
    const listener = await system.serveHttp();
    expect((await system.catalogue.listTools()).map(({ name }) => name)).toContain(
      'workflow__run_plan',
    );
    await listener.close();
    await system.close();
    // What notes the last run; the database itself has the instance.
    expect(existsSync(join(place.home, 'tutti.db-last'))).toBe(false);
  });

  it('keep the limits of the settings', async () => {
    const system = await aSystem(aPlace(), { 'workflow.max_steps': 1 });
    const steps = [standard, { ...standard, id: 'more' }];
    await expect(start(system, { steps })).rejects.toMatchObject({ code: 'plan.invalid' });
  });

  it('need approval for every effect where the user says so', async () => {
    const system = await aSystem(aPlace(), { 'workflow.approval': 'effects' });
    const effect = { id: 'call', tool: 'admin.call_tool', args: { name: 'x' } };
    const refused = start(system, { steps: [effect] });
    await expect(refused).rejects.toMatchObject({ code: 'plan.invalid' });
    expect((await follow(system, await start(system, { steps: [standard] }))).status).toBe(
      'succeeded',
    );
  });

  it('are resumed by the next process that serves the same folder', async () => {
    const place = aPlace();
    const first = await aSystem(place);
    const runId = await start(first, { steps: [nap, standard] });
    await first.close();
    const second = await aSystem(place);
    await second.serveHttp();
    await vi.waitFor(async () => expect(await statusOf(second, runId)).toBe('succeeded'), patience);
  });

  it('are left alone by processes that work elsewhere, even if somebody names them', async () => {
    const place = aPlace();
    const first = await aSystem(place);
    const foreign = await start(first, { steps: [nap] });
    await first.close();
    const elsewhere = await aSystem({ home: place.home, cwd: aDirectory() });
    const ending = new AbortController();
    const working = elsewhere.work({ signal: ending.signal, onReady: () => {} });
    const own = await start(elsewhere, { steps: [nap] });
    await vi.waitFor(
      async () => expect(await statusOf(elsewhere, own)).toBe('succeeded'),
      patience,
    );
    expect(await statusOf(elsewhere, foreign)).not.toBe('succeeded');
    await expect(follow(elsewhere, foreign)).rejects.toThrow(`it belongs to ${place.cwd}`);
    ending.abort();
    await working;
  });
});

describe('what a face asks', { timeout: 60_000 }, () => {
  it('reaches the runs, whatever it is', async () => {
    const { workflows } = await aSystem(aPlace());
    const unknown = [
      workflows.show(localCaller, 'x'),
      workflows.cancel(localCaller, 'x'),
      workflows.pause(localCaller, 'x'),
      workflows.resume(localCaller, 'x'),
      workflows.retry(localCaller, 'x'),
      workflows.fork(localCaller, 'x', {}),
      workflows.decide(localCaller, 'x', { verdict: 'denied' }),
      workflows.signal(localCaller, 'x', 'go', null),
      workflows.resolve(localCaller, 'x', 'a', { kind: 'happened' }),
      workflows.repair(localCaller, 'x', 'a', null),
    ];
    for (const answer of unknown) {
      await expect(answer).rejects.toMatchObject({ code: 'workflow.unknown_run' });
    }
    expect(await workflows.list(localCaller, { limit: 1 })).toEqual([]);
    const source = { kind: 'text', text: 'steps: [{ id: nap, sleep: 1 }]' } as const;
    const { plan } = await workflows.check(localCaller, source, { optimize: true });
    if (!plan) throw new Error('no plan');
    expect(await workflows.draw(plan, 'text')).toContain('nap');
  });

  it('knows which server could not be listed where its tool is missing', async () => {
    const place = aPlace();
    const mcpServers = { broken: { command: '/nowhere/at/all' } };
    const { workflows } = await aSystem(place, { mcpServers });
    const plan = { steps: [{ id: 'a', tool: 'broken.tool' }] };
    const { ok, errors } = await workflows.check(localCaller, { kind: 'data', plan });
    expect(ok).toBe(false);
    expect(errors[0]?.message).toContain('broken');
  });

  it('finds sub-plans beside the file of their plan', async () => {
    const place = aPlace();
    writeFileSync(join(place.cwd, 'inner.yaml'), 'steps: [{ id: nap, sleep: 1 }]');
    const { workflows } = await aSystem(place);
    const file = join(place.cwd, 'outer.yaml');
    const text = 'steps: [{ id: outer, plan: inner.yaml }]';
    const { errors, plan } = await workflows.check(localCaller, { kind: 'text', text, file });
    expect(errors).toEqual([]);
    expect(plan?.steps[0]?.plan).toMatchObject({ steps: [{ id: 'nap' }] });
  });
});

describe('a worker', { timeout: 60_000 }, () => {
  it('says when it is ready, executes what is left, and ends when it is told to', async () => {
    const place = aPlace();
    const first = await aSystem(place);
    const runId = await start(first, { steps: [nap] });
    await first.close();
    const second = await aSystem(place);
    const ending = new AbortController();
    const onReady = vi.fn();
    const working = second.work({ engine: 'embedded', signal: ending.signal, onReady });
    await vi.waitFor(async () => expect(await statusOf(second, runId)).toBe('succeeded'), patience);
    ending.abort();
    await working;
    expect(onReady).toHaveBeenCalledExactlyOnceWith({ engine: 'embedded', url: null });
    await second.work({ signal: AbortSignal.abort(), onReady });
  });
});
