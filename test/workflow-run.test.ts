import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LineClient } from './support/line-client.ts';
import { aFolder, runTutti, startTutti, untilEnd, type Ended } from './support/run-tutti.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

/** A folder with a plan in it, and the program in that folder. */
function aProject(files: Readonly<Record<string, string | object>>): Project {
  const cwd = aFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return {
    cwd,
    async tutti(...argv) {
      const ended = await runTutti([...argv, '--json'], { cwd });
      return { ...ended, json: parse(ended) };
    },
  };
}

interface Project {
  readonly cwd: string;
  readonly tutti: (...argv: readonly string[]) => Promise<Ended & { readonly json: Shown }>;
}

/** A run as `--json` shows it, as far as the tests look at it. */
interface Shown {
  readonly runId: string;
  readonly status: string;
  readonly steps: Readonly<Record<string, { status: string; output?: unknown; attempts: number }>>;
  readonly output?: unknown;
  readonly waitingFor: readonly { readonly kind: string; readonly step: string }[];
  readonly forkedFrom: string | null;
  readonly error?: { readonly code: string };
}

function parse({ stdout, stderr }: Ended): Shown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not one JSON document: ${stdout}\n${stderr}`);
  }
}

const style = { tool: 'standards.get_standard', args: { language: 'python' } };
const patience = { timeout: 30_000, interval: 100 };

/** Starts a plan in a process of its own and gives its id as soon as it has one. */
async function startRun({ cwd, tutti }: Project, plan: string) {
  const child = startTutti(['run', plan], { cwd });
  const ended = untilEnd(child);
  let runId = '';
  await vi.waitFor(async () => {
    const { stdout } = await tutti('runs', 'list');
    runId = JSON.parse(stdout)[0].runId;
  }, patience);
  return { child, ended, runId };
}

describe('tutti run', { timeout: 120_000 }, () => {
  it('does the plan of the examples over four servers, in a fresh checkout', async () => {
    const cwd = process.cwd();
    const home = aFolder();
    const argv = ['run', 'examples/review-and-test.plan.yaml', '--json', '--home', home];
    const ended = await runTutti(argv, { cwd, env: { HOME: home } });
    expect(ended.exitCode).toBe(0);
    const run = parse(ended);
    expect(run.status).toBe('succeeded');
    expect(run.steps['complexity']?.output).toHaveLength(5);
    expect(run.output).toMatchObject({
      summary: expect.stringMatching(/^examples\/sample-project: [\d.]+ of 100, \d+ issues/),
      import_cycles: [{ members: expect.arrayContaining(['shop/orders.py']) }],
    });
    expect(['succeeded', 'skipped']).toContain(run.steps['tests']?.status);
  });

  it('ends with a useful result where nothing can be sandboxed', async () => {
    const cwd = process.cwd();
    const home = aFolder();
    const plan = 'examples/review-and-test.plan.yaml';
    const argv = ['run', plan, '--json', '--home', home, '--set', 'sandbox.driver=docker'];
    const env = { HOME: home, DOCKER_HOST: `unix://${join(home, 'nothing.sock')}` };
    const ended = await runTutti(argv, { cwd, env });
    expect(ended.exitCode).toBe(0);
    const run = parse(ended);
    expect(run.steps['tests']?.status).toBe('skipped');
    expect(run.output).toMatchObject({ score: expect.any(Number), tests_passed: null });
  });

  it('refuses a plan with a mistake before anything runs, and says where it is', async () => {
    const { tutti } = aProject({
      'p.yaml': 'steps:\n  - id: a\n    tool: standards.get_standart\n',
    });
    const { exitCode, json } = await tutti('run', 'p.yaml');
    expect(exitCode).toBe(2);
    expect(json).toMatchObject({
      error: { code: 'plan.invalid', details: { errors: [{ step: 'a', line: 3 }] } },
    });
    expect(JSON.parse((await tutti('runs')).stdout)).toEqual([]);
  });

  it('waits for an approval with exit code 4, and goes on when it is given', async () => {
    const plan = { steps: [{ id: 'look', ...style, approval: { message: 'May I?' } }] };
    const { tutti } = aProject({ 'p.json': plan });
    const asked = await tutti('run', 'p.json');
    expect(asked.exitCode).toBe(4);
    expect(asked.json).toMatchObject({
      status: 'waiting',
      waitingFor: [{ kind: 'approval', step: 'look', message: 'May I?' }],
    });
    const { runId } = asked.json;
    expect((await tutti('runs', 'show', runId)).json.status).toBe('waiting');
    const approved = await tutti('runs', 'approve', runId, 'look');
    expect([approved.exitCode, approved.json.status]).toEqual([0, 'succeeded']);
    const again = await tutti('runs', 'approve', runId);
    expect([again.exitCode, again.json.error?.code]).toEqual([2, 'workflow.run_is_over']);
  });

  it('tries again only what failed', async () => {
    const plan = {
      steps: [
        { id: 'fine', ...style },
        { id: 'file', tool: 'code.format_code', args: { path: 'a.py' } },
        { id: 'after', tool: 'standards.get_standard', args: { language: '${file.language}' } },
      ],
    };
    const { cwd, tutti } = aProject({ 'p.json': plan });
    const failed = await tutti('run', 'p.json');
    expect([failed.exitCode, failed.json.status]).toEqual([1, 'failed']);
    writeFileSync(join(cwd, 'a.py'), 'x=1\n');
    const retried = await tutti('runs', 'retry', failed.json.runId);
    expect([retried.exitCode, retried.json.status]).toEqual([0, 'succeeded']);
    expect(retried.json.steps['after']?.status).toBe('succeeded');
  });

  it('forks a run with another input', async () => {
    const plan = {
      input: { language: { type: 'string', default: 'python' } },
      steps: [
        { id: 'kept', ...style },
        { id: 'style', tool: 'standards.get_standard', args: { language: '${input.language}' } },
      ],
      output: '${style.language}',
    };
    const { tutti } = aProject({ 'p.json': plan });
    const { json: old } = await tutti('run', 'p.json');
    const { json } = await tutti('runs', 'fork', old.runId, '--input', 'language=go');
    expect(json).toMatchObject({ status: 'succeeded', output: 'go', forkedFrom: old.runId });
    expect(json.steps['kept']).toEqual(old.steps['kept']);
  });
});

describe('a run', { timeout: 120_000 }, () => {
  const long = {
    steps: [
      { id: 'first', ...style },
      { id: 'nap', sleep: '3s', when: 'exists(${first})' },
      { id: 'last', ...style, when: 'exists(${nap})' },
    ],
  };

  it('is resumed after the process was killed, and what was done is not done again', async () => {
    const project = aProject({ 'p.json': long });
    const { child, ended, runId } = await startRun(project, 'p.json');
    const { tutti } = project;
    await vi.waitFor(async () => {
      const { json } = await tutti('runs', 'show', runId);
      expect(json.steps['first']?.status).toBe('succeeded');
    }, patience);
    const before = (await tutti('runs', 'show', runId)).json.steps['first'];
    child.kill('SIGKILL');
    await ended;
    const traces = await runTutti(['trace', '--json'], { cwd: project.cwd });
    expect(JSON.parse(traces.stdout)).toContainEqual(
      expect.objectContaining({ runId, status: 'interrupted' }),
    );
    const resumed = await tutti('runs', 'resume', runId);
    expect([resumed.exitCode, resumed.json.status]).toEqual([0, 'succeeded']);
    expect(resumed.json.steps['first']).toEqual(before);
  });

  it('is resumed by a worker without being named', async () => {
    const project = aProject({ 'p.json': long });
    const { child, ended, runId } = await startRun(project, 'p.json');
    child.kill('SIGKILL');
    await ended;
    const worker = startTutti(['worker'], { cwd: project.cwd });
    const workerEnded = untilEnd(worker);
    await vi.waitFor(async () => {
      expect((await project.tutti('runs', 'show', runId)).json.status).toBe('succeeded');
    }, patience);
    worker.kill('SIGTERM');
    expect((await workerEnded).exitCode).toBe(0);
  });

  it('that a server had just begun is executed elsewhere after the server was killed: none is lost', async () => {
    const { cwd, tutti } = aProject({});
    const server = startTutti(['mcp', '--all'], { cwd });
    const client = new LineClient(server);
    await client.initialize();
    const start = async (): Promise<string> => {
      const call = { name: 'workflow__run_plan', arguments: { plan: long, wait: false } };
      const answer = await client.ask('tools/call', call);
      return String(Object(answer?.result).structuredContent.runId);
    };
    // From the second on a run is its server's as it is stored.
    const runIds = [await start(), ...(await Promise.all(Array.from({ length: 8 }, start)))];
    server.kill('SIGKILL');
    const worker = startTutti(['worker'], { cwd });
    const workerEnded = untilEnd(worker);
    await vi.waitFor(async () => {
      const { stdout } = await tutti('runs', 'list', '--status', 'succeeded');
      const ended: Shown[] = JSON.parse(stdout);
      expect(new Set(ended.map(({ runId }) => runId))).toEqual(new Set(runIds));
    }, patience);
    worker.kill('SIGTERM');
    expect((await workerEnded).exitCode).toBe(0);
  });

  it('is executed elsewhere when it was only stored', async () => {
    const { cwd, tutti } = aProject({ 'p.json': { steps: [{ id: 'a', ...style }] } });
    const { exitCode, json } = await tutti('run', 'p.json', '--detach');
    expect([exitCode, json.status]).toEqual([0, 'queued']);
    const server = startTutti(['serve', '--port', '0'], { cwd });
    onTestFinished(() => void server.kill('SIGKILL'));
    await vi.waitFor(async () => {
      expect((await tutti('runs', 'show', json.runId)).json.status).toBe('succeeded');
    }, patience);
  });

  // Needs bubblewrap; in CI it must work.
  it.skipIf(bubblewrapMissing)(
    `that is cancelled ends the program in the sandbox${whyNoBubblewrap}`,
    async () => {
      // Tells the program of this test apart from all others on this machine.
      const mark = `spinning-${process.pid}`;
      const argv = ['sh', '-c', 'while :; do :; done', mark];
      const plan = { steps: [{ id: 'spin', tool: 'exec.run_command', args: { argv } }] };
      const project = aProject({ 'p.json': plan });
      const { ended, runId } = await startRun(project, 'p.json');
      await vi.waitFor(() => expect(programsWith(mark)).not.toEqual([]), patience);
      const cancelled = await project.tutti('runs', 'cancel', runId, '--reason', 'enough');
      expect([cancelled.exitCode, cancelled.json.status]).toEqual([0, 'cancelled']);
      await vi.waitFor(() => expect(programsWith(mark)).toEqual([]), patience);
      expect((await ended).exitCode).toBe(130);
    },
  );
});

/** Processes that have the mark as a word of their command line. */
function programsWith(mark: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`\0${mark}`)
      );
    } catch {
      return false;
    }
  });
}
