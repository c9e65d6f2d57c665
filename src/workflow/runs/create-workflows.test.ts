import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { createWorkflows } from './create-workflows.ts';
import { chain } from '../../../testkit/workflow/runs/some-plans.ts';
import { someWorkflows } from '../../../testkit/workflow/runs/some-workflows.ts';

const stranger = { id: 'stranger' };

describe('a run', () => {
  it('goes to its end and says what it came to', async () => {
    const { run } = someWorkflows();
    const view = await run(chain);
    expect(view).toMatchObject({
      name: 'Chain',
      goal: 'say it twice',
      status: 'succeeded',
      engine: 'embedded',
      input: { word: 'hello' },
      output: { twice: 'hello hello' },
      waitingFor: [],
      traceId: 'a'.repeat(32),
      forkedFrom: null,
    });
    expect(view.steps['second']).toMatchObject({
      status: 'succeeded',
      output: { said: 'hello hello' },
      attempts: 1,
      tool: 'test.echo',
    });
    expect(view.endedAt).not.toBeNull();
  });

  it('has a journal in numbered entries without values, from any of them on', async () => {
    const { workflows, run } = someWorkflows();
    const { runId } = await run(chain);
    const whole = await workflows.journal(localCaller, runId, { after: 0, limit: 100 });
    expect(whole.entries.map(({ number }) => number)).toEqual(
      Array.from({ length: whole.total }, (_, at) => at + 1),
    );
    const last = whole.entries.at(-1);
    expect(last).toMatchObject({ steps: ['second'], activity: 'call', outcome: 'succeeded' });
    expect(JSON.stringify(whole)).not.toContain('hello');
    const rest = await workflows.journal(localCaller, runId, { after: 1, limit: 100 });
    expect(rest.entries).toEqual(whole.entries.slice(1));
  });

  it('is started once for one idempotency key of one caller', async () => {
    const { workflows } = someWorkflows();
    const wanted = {
      source: { kind: 'data', plan: chain },
      input: {},
      idempotencyKey: 'k',
    } as const;
    const { runId } = await workflows.start(localCaller, wanted);
    expect(await workflows.start(localCaller, wanted)).toEqual({ runId });
    expect(await workflows.start(stranger, wanted)).not.toEqual({ runId });
  });

  it('is unknown to other callers, whatever they ask', async () => {
    const { workflows, run } = someWorkflows();
    const { runId } = await run(chain);
    const unknown = expect.objectContaining({ code: 'workflow.unknown_run' });
    await expect(workflows.show(stranger, runId)).rejects.toEqual(unknown);
    await expect(workflows.journal(stranger, runId, { after: 0, limit: 9 })).rejects.toEqual(
      unknown,
    );
    await expect(workflows.cancel(stranger, runId)).rejects.toEqual(unknown);
    await expect(workflows.retry(stranger, runId)).rejects.toEqual(unknown);
    await expect(workflows.fork(stranger, runId, {})).rejects.toEqual(unknown);
    await expect(workflows.decide(stranger, runId, { verdict: 'approved' })).rejects.toEqual(
      unknown,
    );
    await expect(workflows.signal(stranger, runId, 'x', 1)).rejects.toEqual(unknown);
    expect(await workflows.list(stranger, { limit: 10 })).toEqual([]);
    expect(await workflows.list(localCaller, { limit: 10 })).toHaveLength(1);
  });

  it('is found by a beginning of its id that no other has', async () => {
    const { workflows, run } = someWorkflows();
    const [one, two] = [await run(chain), await run(chain)];
    expect((await workflows.show(localCaller, one.runId.slice(0, -1))).runId).toBe(one.runId);
    const alike = expect.objectContaining({ code: 'workflow.ambiguous_run' });
    await expect(workflows.show(localCaller, two.runId.slice(0, 2))).rejects.toEqual(alike);
    const unknown = expect.objectContaining({ code: 'workflow.unknown_run' });
    await expect(workflows.show(localCaller, '')).rejects.toEqual(unknown);
    await expect(workflows.show(localCaller, 'nothing')).rejects.toEqual(unknown);
  });

  it('has ids that sort by the time they were made', async () => {
    const { newRunId } = await import('./start-run.ts');
    const ids = [1, 31, 32, 1_000, 1_700_000_000_000, 1_700_000_000_001].map(newRunId);
    expect(ids.toSorted()).toEqual(ids);
    expect(newRunId(5)).not.toBe(newRunId(5));
  });
});

describe('starting', () => {
  it('refuses a plan with mistakes and names them all', async () => {
    const { workflows } = someWorkflows();
    const plan = {
      steps: [
        { id: 'a', tool: 'test.ecko' },
        { id: 'b', tool: 'test.echo', args: { x: '${c}' } },
      ],
    };
    const start = workflows.start(localCaller, { source: { kind: 'data', plan }, input: {} });
    const failure: unknown = await start.catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'plan.invalid',
      details: {
        errors: expect.arrayContaining([
          expect.objectContaining({ step: 'a', code: 'plan.unknown_tool' }),
          expect.objectContaining({ step: 'b' }),
        ]),
      },
    });
    expect(await workflows.list(localCaller, { limit: 10 })).toEqual([]);
  });

  it('refuses input that does not fit', async () => {
    const { run } = someWorkflows();
    const wrong = expect.objectContaining({ code: 'workflow.invalid_input' });
    await expect(run(chain, { word: 5 })).rejects.toEqual(wrong);
    await expect(run(chain, { wort: 'x' })).rejects.toEqual(wrong);
  });

  it('refuses a run that is nested too deep in other runs', async () => {
    const { workflows } = someWorkflows();
    const source = { kind: 'data', plan: chain } as const;
    const start = (depth: unknown): Promise<unknown> =>
      workflows.start(localCaller, { source, input: {}, meta: { 'tutti/runDepth': depth } });
    await expect(start(4)).resolves.toBeDefined();
    await expect(start('many')).resolves.toBeDefined();
    await expect(start(5)).rejects.toMatchObject({ code: 'workflow.nested_too_deep' });
  });

  it('fails a run that is not over when its time is', async () => {
    const { run } = someWorkflows();
    const view = await run({ timeoutMs: 100, steps: [{ id: 'long', tool: 'test.hang' }] });
    expect(view.status).toBe('failed');
    expect(view.error?.code).toMatch(/^workflow\./);
  });

  it('checks and draws a plan without running it', async () => {
    const { workflows, calls } = someWorkflows();
    const check = await workflows.check(localCaller, { kind: 'data', plan: chain });
    expect(check).toMatchObject({ ok: true, errors: [], edges: [['first', 'second']] });
    if (!check.plan) throw new Error('no plan');
    expect(await workflows.draw(check.plan, 'mermaid')).toContain('second');
    expect(calls).toEqual([]);
  });
});

describe('a big output', () => {
  const plan = {
    steps: [
      { id: 'big', tool: 'test.big' },
      { id: 'part', tool: 'test.echo', args: { rows: '${big.rows}' } },
    ],
    output: { rows: '${part.rows}', text: '${big.text}' },
  };

  it('is shown by its beginning, and is whole in the output of the run', async () => {
    const { run } = someWorkflows();
    const view = await run(plan);
    expect(view.steps['big']?.output).toBeUndefined();
    expect(view.steps['big']?.stored).toMatchObject({
      id: expect.stringMatching(/^sha256:/),
      bytes: expect.any(Number),
      preview: expect.stringContaining('xxxx'),
    });
    expect(view.output).toEqual({ rows: [1, 2, 3], text: 'x'.repeat(100_000) });
  });

  it('goes with the run that made it, unless a fork holds it', async () => {
    const { run, workflows, follow, parts, artifacts } = someWorkflows({
      limits: { retentionMs: -60_000 },
    });
    const { pruneRuns } = await import('./prune-runs.ts');
    const { runId, steps } = await run(plan);
    const id = steps['big']?.stored?.id ?? '';
    const { runId: forked } = await workflows.fork(localCaller, runId, { fromStep: 'part' });
    await artifacts.release(localCaller, [runId]);
    expect((await follow(forked)).steps['big']?.stored?.preview).toContain('xxxx');
    expect(await pruneRuns(parts)).toBe(2);
    expect(await workflows.list(localCaller, { limit: 10 })).toEqual([]);
    await expect(artifacts.get(localCaller, id)).rejects.toMatchObject({
      code: 'artifacts.not_found',
    });
  });
});

describe('a run that ended long ago', () => {
  it('is gone when the next one starts', async () => {
    const { run, workflows } = someWorkflows({ limits: { retentionMs: -60_000 } });
    const old = await run(chain);
    const { runId } = await run(chain);
    const runs = await workflows.list(localCaller, { limit: 10 });
    expect(runs.map((one) => one.runId)).toEqual([runId]);
    expect(runId).not.toBe(old.runId);
  });

  it('that cannot be removed keeps nobody from starting another', async () => {
    const { parts, run } = someWorkflows();
    const prune = (): Promise<never> => Promise.reject(new Error('no'));
    const store = new Proxy(parts.store, {
      get: (target, name) => {
        const member: unknown = name === 'prune' ? prune : Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const broken = { ...parts, store };
    const { pruneRuns, keepPruning } = await import('./prune-runs.ts');
    const { runId } = await run(chain);
    const late = { ...broken, limits: { ...parts.limits, retentionMs: -60_000 } };
    const workflows = createWorkflows(late);
    const source = { kind: 'data', plan: chain } as const;
    await expect(workflows.start(localCaller, { source, input: {} })).resolves.toBeDefined();
    keepPruning(late)();
    await expect(pruneRuns(late)).rejects.toThrow('no');
    expect(await pruneRuns({ ...late, store: parts.store })).toBeGreaterThan(0);
    expect(await parts.store.find(localCaller, runId)).toBeUndefined();
  });
});

describe('a process that only looks in', () => {
  it('executes what it waits for and nothing else', async () => {
    const { workflows, follow, calls } = someWorkflows({ isStaying: false });
    const source = { kind: 'data', plan: chain } as const;
    const { runId } = await workflows.start(localCaller, { source, input: {} });
    const { runId: forked } = await workflows.fork(localCaller, runId, {});
    await workflows.resume(localCaller, runId);
    expect(await workflows.show(localCaller, runId)).toMatchObject({
      status: 'queued',
      steps: { first: { status: 'pending' }, second: { status: 'pending' } },
    });
    await workflows.cancel(localCaller, forked);
    expect(await workflows.show(localCaller, forked)).toMatchObject({ status: 'cancelled' });
    expect(calls).toEqual([]);
    expect((await follow(runId)).status).toBe('succeeded');
  });
});

describe('following', () => {
  it('ends by an abort, and the run goes on', async () => {
    const { workflows } = someWorkflows();
    const plan = { steps: [{ id: 'long', tool: 'test.hang' }] };
    const { runId } = await workflows.start(localCaller, {
      source: { kind: 'data', plan },
      input: {},
    });
    const ending = new AbortController();
    const views: RunView[] = [];
    const following = workflows.follow(localCaller, runId, {
      execute: true,
      signal: ending.signal,
      onChange: (view) => {
        views.push(view);
        if (view.steps['long']?.status === 'running') ending.abort(new Error('seen enough'));
      },
    });
    await expect(following).rejects.toThrow('seen enough');
    expect(views.length).toBeGreaterThan(0);
    expect((await workflows.show(localCaller, runId)).status).toBe('running');
  });

  it('takes on what another process left behind', async () => {
    const home = aDirectory();
    const first = someWorkflows({ home });
    const { runId } = await first.workflows.start(localCaller, {
      source: { kind: 'data', plan: { steps: [{ id: 'long', tool: 'test.hang' }] } },
      input: {},
    });
    await first.close();
    const second = someWorkflows({ home, tools: { hang: async () => ({ done: true }) } });
    const view = await second.follow(runId);
    expect(view).toMatchObject({
      status: 'succeeded',
      steps: { long: { output: { done: true } } },
    });
  });
});
