import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const run = z.looseObject({
  runId: z.string(),
  status: z.string(),
  steps: z.record(
    z.string(),
    z.looseObject({
      status: z.string(),
      output: z.json().optional(),
      startedAt: z.string().nullable(),
    }),
  ),
  output: z.json().optional(),
  waitingFor: z.array(z.looseObject({ kind: z.string(), step: z.string() })),
});

/** A folder with a plan, in which the built program runs. */
function aPlan(text: string) {
  const cwd = aFolder();
  writeFileSync(join(cwd, 'a.plan.yaml'), text);
  const json = async (...argv: string[]) => {
    const { stdout, stderr, exitCode } = await runTutti([...argv, '--json'], { cwd });
    const shown = run.safeParse(JSON.parse(stdout));
    if (!shown.success) throw new Error(`${argv.join(' ')}: ${stdout}${stderr}`);
    return { ...shown.data, exitCode };
  };
  return { cwd, json };
}

const format = `
  - id: format
    tool: code.format_code
    args: { language: python, code: "\${input.code}" }
`;
const input =
  'input: { code: { type: string, default: "x=1" }, count: { type: integer, default: 2 } }';

describe('tutti run, as a program', () => {
  it('runs a plan and prints the run as JSON', async () => {
    const { json } = aPlan(
      `${input}\nsteps:${format}output: { code: "\${format.formatted_code}", n: "\${input.count}" }\n`,
    );
    const ran = await json('run', 'a.plan.yaml', '--input', 'code=y = {  }', '--input', 'count=7');
    expect(ran).toMatchObject({
      exitCode: 0,
      status: 'succeeded',
      steps: { format: { status: 'succeeded', output: { formatted_code: 'y = {}\n' } } },
      output: { code: 'y = {}\n', n: 7 },
    });
    expect(await json('runs', 'show', ran.runId)).toMatchObject({
      runId: ran.runId,
      status: 'succeeded',
    });
    const forked = await json('runs', 'fork', ran.runId, '--input', 'code=z  =  2');
    expect(forked).toMatchObject({ forkedFrom: ran.runId, output: { code: 'z = 2\n', n: 7 } });
  });

  it('waits for an approval and a signal, each given by another process', async () => {
    const { json } = aPlan(
      `${input}\nsteps:\n  - { id: agree, approval: true }\n  - { id: go, wait: word, when: "exists(\${agree})" }\noutput: "\${go}"\n`,
    );
    const ran = await json('run', 'a.plan.yaml');
    expect(ran).toMatchObject({
      exitCode: 4,
      status: 'waiting',
      waitingFor: [{ kind: 'approval', step: 'agree' }],
    });
    const agreed = await json('runs', 'approve', ran.runId);
    expect(agreed).toMatchObject({ exitCode: 4, waitingFor: [{ kind: 'signal', signal: 'word' }] });
    const told = await json('runs', 'signal', ran.runId, 'word', '{"n": 3}');
    expect(told).toMatchObject({ exitCode: 0, status: 'succeeded', output: { n: 3 } });
  });

  it('goes on after the process was killed, and repeats nothing that was done', async () => {
    const { cwd, json } = aPlan(
      `${input}\nsteps:${format}  - { id: nap, sleep: 1s, when: "exists(\${format})" }\n  - { id: wake, sleep: 1, when: "exists(\${nap})" }\n`,
    );
    const child = startTutti(['run', 'a.plan.yaml'], { cwd });
    const ended = untilEnd(child);
    let text = '';
    for await (const chunk of child.stderr) {
      text += String(chunk);
      if (text.includes('nap: running')) break;
    }
    child.kill('SIGKILL');
    await ended;
    const [, runId = ''] = /Run (\S+)/.exec(text) ?? [];
    const before = await json('runs', 'show', runId);
    expect(before.status).toBe('running');
    const after = await json('runs', 'resume', runId);
    expect(after).toMatchObject({ exitCode: 0, status: 'succeeded' });
    expect(after.steps['format']?.startedAt).toBe(before.steps['format']?.startedAt);
  });

  it('cancels the run on the first interrupt', async () => {
    const { cwd, json } = aPlan('steps: [{ id: nap, sleep: 1h }]');
    const child = startTutti(['run', 'a.plan.yaml'], { cwd });
    const ended = untilEnd(child);
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('nap: running') && !text.includes('Cancelling')) child.kill('SIGINT');
    });
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/Cancelling run \S+/);
    const [, runId = ''] = /Run (\S+)/.exec(stderr) ?? [];
    expect(await json('runs', 'show', runId)).toMatchObject({ status: 'cancelled' });
  });

  it('leaves a detached run to a worker, which others watch', async () => {
    const { cwd, json } = aPlan(`${input}\nsteps:${format}`);
    const detached = await json('run', 'a.plan.yaml', '--detach');
    const worker = startTutti(['worker', '--json'], { cwd });
    await once(worker.stdout, 'data');
    expect(await json('runs', 'watch', detached.runId)).toMatchObject({
      exitCode: 0,
      status: 'succeeded',
    });
    const ended = untilEnd(worker);
    worker.kill('SIGTERM');
    expect((await ended).exitCode).toBe(0);
  });

  it('starts nothing of a bad plan, and says all that is wrong with it by line', async () => {
    const { cwd } = aPlan(
      'steps:\n  - id: a\n    tool: code.format_cod\n  - id: b\n    tool: code.format_code\n    args: { language: 5 }\n',
    );
    const { exitCode, stderr, stdout } = await runTutti(['run', 'a.plan.yaml'], { cwd });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('a.plan.yaml:3: a: There is no tool "code.format_cod".');
    expect(stderr).toContain('a.plan.yaml:6: b: ');
    const { stdout: runs } = await runTutti(['runs', '--json'], { cwd });
    expect(JSON.parse(runs)).toEqual([]);
  });
});
