import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aRun } from '../../../testkit/cli/fake-workflows.ts';
import {
  aFile,
  cancelled,
  failed,
  plan,
  running,
  tutti,
} from '../../../testkit/cli/run-on-runs.ts';

describe('tutti run', () => {
  it('prints the output on stdout, and how it went on stderr', async () => {
    const { cwd, name } = aFile(plan);
    const ran = await tutti(['run', name], { io: { cwd } });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toBe('said: hello\n');
    expect(ran.stderr).toContain('Run run-1\n');
    expect(ran.stderr).toContain('one: succeeded (1.5 s)');
    expect(ran.stderr).toContain('Run run-1 succeeded after 1 min 2 s');
    expect(ran.calls).toEqual([
      ['start', { source: { kind: 'text', text: plan, file: join(cwd, name) }, input: {} }],
      ['follow', 'run-1', true],
    ]);
  });

  it('prints exactly the run with --json', async () => {
    const ran = await tutti(['run', '-', '--json'], { stdin: plan });
    expect(JSON.parse(ran.stdout)).toEqual(aRun);
    expect(ran.stderr).not.toContain('one');
    expect(ran.calls[0]?.[1]).toMatchObject({ source: { kind: 'text', text: plan } });
  });

  it('gives inputs as what the plan says they are, options and engine along', async () => {
    const { cwd } = aFile('{"text": "weak", "more": [1]}', 'inputs.json');
    const line =
      '--input count=3 --input text=5 --inputs-file inputs.json --engine restate --optimize';
    const ran = await tutti(['run', '-', ...line.split(' ')], { stdin: plan, io: { cwd } });
    expect(ran.calls[0]?.[1]).toMatchObject({
      input: { count: 3, text: '5', more: [1] },
      engine: 'restate',
      optimize: true,
    });
  });

  it.each([
    [['--input', 'cuont=3'], 'The plan has no input "cuont". Did you mean "count"?'],
    [['--input', 'zzzzzz=3'], 'It has count, text'],
    [['--input', 'count'], 'looks like name=value'],
    [['--engine', 'embeded'], 'There is no engine "embeded". Did you mean "embedded"?'],
    [['--inputs-file', 'gone.json'], 'was not read'],
  ])('refuses %j', async (words, reason) => {
    const ran = await tutti(['run', '-', ...words], { stdin: plan });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(reason);
    expect(ran.calls).toEqual([]);
  });

  it('prints every problem of a bad plan with file, line and step', async () => {
    const { cwd, name } = aFile('bad');
    const ran = await tutti(['run', name], { io: { cwd } });
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('a.plan.yaml:3: one: There is no tool "x.y"\n');
    expect(ran.stderr).toContain('a.plan.yaml: one: There is no tool "x.y"\n');
    expect(ran.stderr).toContain('The plan cannot run: 2 errors. Nothing was started');
    const json = await tutti(['run', name, '--json'], { io: { cwd } });
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'plan.invalid' } });
  });

  it.each([[[]], [['--json']]])('tells the warnings about the plan on stderr %j', async (words) => {
    const ran = await tutti(['run', '-', ...words], { stdin: 'doubtful' });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('stdin:3: warning: one: There is no tool "x.y"\n');
    expect(ran.stdout).toContain('hello');
  });

  it('says what failed, and how to try again', async () => {
    const ran = await tutti(['run', '-'], { stdin: plan, views: [running, failed] });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('error: Step "one" failed: it rained (workflow.step_failed)');
    expect(ran.stderr).toContain('tutti runs retry run-1');
  });

  it('only stores the run with --detach', async () => {
    const ran = await tutti(['run', '-', '--detach'], { stdin: plan, views: [running] });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'run-1\n' });
    expect(ran.stderr).toContain('tutti runs resume run-1');
    expect(ran.calls.map(([method]) => method)).toEqual(['start']);
  });

  it('cuts a long output, and says where all of it is', async () => {
    const long = { ...aRun, output: 'x'.repeat(20_000) };
    const ran = await tutti(['run', '-'], { stdin: plan, views: [long] });
    expect(ran.stdout.length).toBeLessThan(10_200);
    expect(ran.stdout).toContain('[10000 more characters: tutti runs show run-1 --json]');
  });

  it('cancels the run when it is interrupted, and says so', async () => {
    const ending = new AbortController();
    const stderr = {
      write: (text: string) => {
        if (text.includes('one: ')) ending.abort(new Error('interrupted'));
      },
    };
    const ran = await tutti(['run', '-'], {
      stdin: plan,
      views: [running, cancelled],
      io: { signal: AbortSignal.any([ending.signal]), stderr },
    });
    expect(ran.exitCode).toBe(130);
    expect(ran.calls.at(-1)).toEqual(['cancel', 'run-1', 'cancelled at the terminal']);
  });
});

describe('a program that is terminated', () => {
  it('leaves its run to be resumed', async () => {
    const { cwd, name } = aFile(plan);
    const ending = new AbortController();
    const stderr = {
      write: (text: string) => {
        if (text.includes('one: ')) ending.abort(new Error('asked to end', { cause: 'SIGTERM' }));
      },
    };
    const ran = await tutti(['run', name], {
      views: [running],
      io: { cwd, signal: ending.signal, stderr },
    });
    expect(ran.exitCode).toBe(130);
    expect(ran.calls.map(([method]) => method)).toEqual(['start', 'follow']);
  });
});
