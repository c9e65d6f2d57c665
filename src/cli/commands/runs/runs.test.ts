import { describe, expect, it } from 'vitest';
import type { RunView, Waiting } from '../../../contract/run/index.ts';
import { anApproval, aRun, type WorkflowCall } from '../../../../testkit/cli/fake-workflows.ts';
import {
  aFile,
  atTerminal,
  cancelled,
  failed,
  plan,
  running,
  tutti,
  waitingFor,
} from '../../../../testkit/cli/run-on-runs.ts';

describe('a run that waits', () => {
  it.each<[Waiting, readonly string[]]>([
    [
      anApproval,
      [
        'Step "one" waits for approval: May it?',
        'It calls fake.echo_all with {"text":"hello"}',
        'tutti runs approve run-1 one',
        'tutti runs deny run-1 one',
      ],
    ],
    [
      { ...anApproval, message: 'Step "one" waits for approval' },
      ['Step "one" waits for approval\n  It calls fake.echo_all'],
    ],
    [
      { ...anApproval, arguments: { content: 'a\nb' }, preview: '1 file changed\n-a\n+b\n' },
      ['It calls fake.echo_all:\n1 file changed\n-a\n+b\n  The question expires'],
    ],
    [
      { kind: 'signal', step: 'one', signal: 'go on' },
      ['waits for the signal "go on"', `tutti runs signal run-1 'go on' `],
    ],
    [
      { kind: 'resolve', step: 'each[1]', tool: 's.t', message: 'the answer was lost' },
      ['the answer was lost', `tutti runs resolve run-1 'each[1]' --not-happened`],
    ],
    [
      { kind: 'repair', step: 'one', error: { code: 'x', message: 'bad date', details: {} } },
      ['waits for other arguments: bad date', 'tutti runs repair run-1 one --give-up'],
    ],
  ])('says for what, and which command answers: %j', async (wait, lines) => {
    const ran = await tutti(['run', '-'], { stdin: plan, views: [waitingFor(wait)] });
    expect(ran.exitCode).toBe(4);
    for (const line of lines) expect(ran.stderr).toContain(line);
  });

  it('asks for approval at a terminal, and goes on', async () => {
    const { cwd, name } = aFile(plan);
    const { io, isTTY } = atTerminal('y\n');
    const ran = await tutti(['run', name], {
      views: [waitingFor(anApproval), aRun],
      isTTY: isTTY ?? true,
      io: { ...io, cwd },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('Approve? [y]es, [n]o, Enter to decide later:');
    expect(ran.calls).toContainEqual([
      'decide',
      'run-1',
      { step: 'one', approvalId: 'ap-1', verdict: 'approved' },
    ]);
  });

  it('is denied by no, and left waiting by any other answer', async () => {
    const views = [waitingFor(anApproval), failed];
    const no = await tutti(['runs', 'resume', 'run-1'], {
      views: [running, ...views],
      ...atTerminal('n\n'),
    });
    expect(no.calls).toContainEqual([
      'decide',
      'run-1',
      { step: 'one', approvalId: 'ap-1', verdict: 'denied' },
    ]);
    const later = await tutti(['runs', 'watch', 'run-1'], { views, ...atTerminal('n\n') });
    expect(later.exitCode).toBe(4);
    const { cwd, name } = aFile(plan);
    const { io } = atTerminal('');
    const ended = await tutti(['run', name], { views, isTTY: true, io: { ...io, cwd } });
    expect(ended.exitCode).toBe(4);
    expect(ended.calls.map(([method]) => method)).toEqual(['start', 'follow']);
  });

  it('is not asked about with --json', async () => {
    const { cwd, name } = aFile(plan);
    const { io } = atTerminal('y\n');
    const views = [waitingFor(anApproval), aRun];
    const ran = await tutti(['run', name, '--json'], { views, isTTY: true, io: { ...io, cwd } });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'waiting', waitingFor: [anApproval] });
  });
});

describe('tutti runs', () => {
  it('lists the latest, or those of a status', async () => {
    const ran = await tutti(['runs'], {
      views: [aRun, { ...running, startedAt: null, goal: 'G', name: null }],
    });
    expect(ran.stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')).toBe(
      'run-1  succeeded  TIME  1 min 2 s  Greet\nrun-1  running    TIME             G\n',
    );
    const left = { ...running, isInterrupted: true } as const;
    const interrupted = await tutti(['runs'], { views: [left] });
    expect(interrupted.stdout).toMatch(/^run-1 {2}interrupted .* tutti runs resume run-1$/m);
    const shown = await tutti(['runs', 'show', 'run-1'], { views: [left] });
    expect(shown.stdout).toContain('was interrupted: its process ended. Go on with it: tutti runs');
    const some = await tutti(['runs', 'list', '--status', 'failed, waiting', '-k', '1', '--json']);
    expect(some.calls).toEqual([['list', { limit: 1, status: ['failed', 'waiting'] }]]);
    expect(JSON.parse(some.stdout)).toHaveLength(1);
    expect((await tutti(['runs'], { views: [] })).stdout).toContain('There are no runs');
    expect((await tutti(['runs', '--status', 'fialed'])).stderr).toContain(
      'Did you mean "failed"?',
    );
  });

  it('shows a run as a tree, by the beginning of its id', async () => {
    const { stdout, exitCode } = await tutti(['runs', 'show', 'run']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        'Greet',
        '✓ one        fake.echo_all  1.5 s',
        '✓ each       fake.echo_all  1.5 s  2 of 2',
        '✓   each[0]  fake.echo_all  1.5 s  from the cache',
        '✓   each[1]  fake.echo_all  1.5 s  attempt 3',
        '-   inner    fake.echo_all',
        '✓ big        fake.echo_all  1.5 s',
        'said: hello',
        'Trace: tutti trace abc1',
        'Run run-1 succeeded after 1 min 2 s',
        '',
      ].join('\n'),
    );
    const fork: RunView = { ...failed, forkedFrom: 'run-0', traceId: null };
    expect((await tutti(['runs', 'show', 'run-1'], { views: [fork] })).stdout).toContain(
      'error: Step "one" failed: it rained (workflow.step_failed)\nForked from run-0\nRun run-1 failed',
    );
    const long = { ...aRun, output: 'x'.repeat(20_000) };
    expect((await tutti(['runs', 'show', 'run-1'], { views: [long] })).stdout).toContain(
      '[cut: tutti runs show run-1 --json has all]',
    );
  });

  it('shows what one step gave', async () => {
    const step = async (name: string, view = aRun) =>
      (await tutti(['runs', 'show', 'run-1', name], { views: [view] })).stdout;
    expect(await step('one')).toBe('said: hello\n');
    expect(await step('outer/inner')).toBe('skipped\n');
    expect(await step('big')).toContain(
      '[99 bytes in all: tutti call workflow.read_artifact id=sha256:ab]',
    );
    const error = { code: 'x.y', message: 'it rained', details: {} };
    const one = {
      ...aRun.steps['one'],
      status: 'failed',
      startedAt: null,
      endedAt: null,
      attempts: 1,
      error,
    } as const;
    expect(await step('one', { ...aRun, steps: { one } })).toBe('failed: it rained (x.y)\n');
    const unknown = await tutti(['runs', 'show', 'run-1', 'oen']);
    expect(unknown.stderr).toContain('There is no step "oen". Did you mean "one"?');
  });

  it.each<[string, WorkflowCall]>([
    ['resume run-1', ['resume', 'run-1']],
    ['retry run-1', ['retry', 'run-1', undefined]],
    ['retry run-1 --from one', ['retry', 'run-1', 'one']],
    ['approve run-1', ['decide', 'run-1', { verdict: 'approved' }]],
    [
      'approve run-1 one --reason ok',
      ['decide', 'run-1', { verdict: 'approved', step: 'one', reason: 'ok' }],
    ],
    ['deny run-1 one', ['decide', 'run-1', { verdict: 'denied', step: 'one' }]],
    ['signal run-1 go', ['signal', 'run-1', 'go', null]],
    ['signal run-1 go {"a":1}', ['signal', 'run-1', 'go', { a: 1 }]],
    ['signal run-1 go words', ['signal', 'run-1', 'go', 'words']],
    ['signal run-1 go -', ['signal', 'run-1', 'go', [7]]],
    ['resolve run-1 one --happened', ['resolve', 'run-1', 'one', { kind: 'happened' }]],
    [
      'resolve run-1 one --happened --output {"a":1}',
      ['resolve', 'run-1', 'one', { kind: 'happened', output: { a: 1 } }],
    ],
    ['resolve run-1 one --not-happened', ['resolve', 'run-1', 'one', { kind: 'not-happened' }]],
    ['repair run-1 one --args {"a":1}', ['repair', 'run-1', 'one', { a: 1 }]],
    ['repair run-1 one --give-up', ['repair', 'run-1', 'one', null]],
    [
      'fork run-1 --from one --input count=5 --args one={"a":1}',
      ['fork', 'run-1', { fromStep: 'one', input: { count: 5 }, args: { one: { a: 1 } } }],
    ],
    ['fork run-1', ['fork', 'run-1', {}]],
  ])('%s, and goes on until the end', async (line, call) => {
    const views = [{ ...running, input: aRun.input }, aRun];
    const ran = await tutti(['runs', ...line.split(' ')], { views, stdin: '[7]' });
    expect(ran.exitCode).toBe(0);
    expect(ran.calls).toEqual([call, ['follow', call[0] === 'fork' ? 'run-2' : 'run-1', true]]);
    expect(ran.stderr).not.toContain('one: succeeded');
    const detached = await tutti(['runs', ...line.split(' '), '--detach'], { views, stdin: '[7]' });
    expect(detached.calls).toEqual([call]);
  });

  it.each(['show last', 'watch last', 'resume last', 'approve last', 'cancel last'])(
    'takes the newest run: %s',
    async (line) => {
      const ran = await tutti(['runs', ...line.split(' ')], { views: [aRun] });
      expect(ran.calls[0]).toEqual(['list', { limit: 1, where: 'here' }]);
      expect(ran.stdout + ran.stderr).not.toContain('There is no run');
      for (const [method, runId] of ran.calls.slice(2)) {
        expect([method, runId]).toEqual([method, 'run-1']);
      }
    },
  );

  it('decides about the only run that waits for approval, and names several', async () => {
    const only = waitingFor(anApproval);
    const ran = await tutti(['runs', 'approve'], { views: [only] });
    const approved = { verdict: 'approved', approvalId: 'ap-1' };
    expect(ran.calls).toContainEqual(['decide', 'run-1', approved]);
    const denied = await tutti(['runs', 'deny', '--reason', 'no'], { views: [only] });
    expect(denied.calls).toContainEqual(['decide', 'run-1', { verdict: 'denied', reason: 'no' }]);
    const several = await tutti(['runs', 'approve'], { views: [only, only] });
    expect(several).toMatchObject({ exitCode: 2 });
    expect(several.stderr).toContain('Say which:\n  run-1  Greet\n  run-1  Greet');
    expect(several.calls.map(([method]) => method)).toEqual(['list']);
    const none = await tutti(['runs', 'approve'], {
      views: [waitingFor({ kind: 'signal', step: 'one', signal: 'go' })],
    });
    expect(none.stderr).toContain('No run waits for approval');
  });

  it('shows what the tool said, and JSON only when that is asked for', async () => {
    const text = 'modified a.txt\n-  * one\n+  * two';
    const one = { ...aRun.steps['one'], text, output: { diff: 'x' } } as const;
    const done = { ...aRun, steps: { one }, output: { one: { diff: 'x' } } } as RunView;
    const views = [waitingFor(anApproval), done];
    const approve = ['runs', 'approve', 'run-1'];
    const shown = await tutti(approve, { views, ...atTerminal('') });
    expect(shown.stdout).toBe(`${text}\n`);
    expect((await tutti(approve, { views })).stdout).toBe(`${text}\n`);
    expect((await tutti(['runs', 'show', 'run-1'], { views: [done] })).stdout).toContain(text);
    const json = await tutti([...approve, '--json'], { views });
    expect(JSON.parse(json.stdout)).toEqual(done);
  });

  it.each<[RunView['output'], string]>([
    [{ one: { diff: '-a\n+b\n' } }, 'one:\n  diff: |\n    -a\n    +b\n'],
    [{ two: [1, null], one: { diff: 'x' } }, 'two:\n  - 1\n  - null\n\n-a\n+b\n'],
    ['-a\n+b', '-a\n+b\n'],
    [[{ diff: '--- a\n+++ b\n' }], '- diff: |\n    --- a\n    +++ b\n'],
    [{ note: 'beep \u0007 \u001b[31mred' }, 'note: "beep \\a \\e[31mred"\n'],
  ])('shows an output of a plan as text: %j', async (output, text) => {
    const one = { ...aRun.steps['one'], text: '-a\n+b\n', output: { diff: 'x' } } as const;
    const views = [{ ...aRun, steps: { one }, output } as RunView];
    for (const options of [{ views }, { views, ...atTerminal('') }]) {
      expect((await tutti(['runs', 'resume', 'run-1'], options)).stdout).toBe(text);
    }
  });

  it('stops a run and shows how it stands then', async () => {
    const ran = await tutti(['runs', 'cancel', 'run-1', '--reason', 'enough'], {
      views: [running, cancelled],
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.calls).toEqual([['cancel', 'run-1', 'enough']]);
    expect(ran.stdout).toContain('Run run-1 was cancelled');
    const paused = await tutti(['runs', 'pause', 'run-1', '--json'], {
      views: [running, { ...running, status: 'paused' }],
    });
    expect(JSON.parse(paused.stdout)).toMatchObject({ status: 'paused' });
    const resumed = await tutti(['runs', 'watch', 'run-1'], {
      views: [{ ...running, status: 'paused' }],
    });
    expect(resumed.exitCode).toBe(4);
    expect(resumed.stderr).toContain('tutti runs resume run-1');
  });

  it('watches without executing, and leaves the run alone when interrupted', async () => {
    const ran = await tutti(['runs', 'watch', 'run-1'], { views: [running, failed] });
    expect(ran.exitCode).toBe(1);
    expect(ran.calls).toEqual([['follow', 'run-1', false]]);
    const ending = AbortSignal.abort(new Error('interrupted'));
    const left = await tutti(['runs', 'watch', 'run-1', '--json'], {
      views: [running],
      io: { signal: ending },
    });
    expect(left.exitCode).toBe(130);
    expect(JSON.parse(left.stdout)).toMatchObject({ status: 'running' });
    expect(left.calls.map(([method]) => method)).toEqual(['follow']);
  });

  it.each([
    ['shwo', 'There is no action "shwo". Did you mean "show"?'],
    ['show', '"runs show" wants RUN [STEP], and RUN is missing'],
    ['list extra', '"runs list" takes nothing more, and got "extra" too'],
    ['resolve run-1 one', '"runs resolve" wants --happened or --not-happened'],
    ['resolve run-1 one --not-happened --output 1', 'What has not happened has no --output'],
    ['resolve run-1 one --happened --output {', '--output is not JSON'],
    ['repair run-1 one', '"runs repair" wants --args'],
    ['repair run-1 one --args 5', '--args must be a JSON object'],
    ['fork run-1 --args one', '--args looks like STEP='],
    ['show run-1 --give-up', '"runs show" does not take --give-up'],
    ['resume nope', 'There is no run "nope"'],
  ])('refuses "%s"', async (line, reason) => {
    const ran = await tutti(['runs', ...line.split(' ')]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(reason);
  });
});

describe('tutti worker', () => {
  it('says when it is ready, and ends when it is told to', async () => {
    const io = { signal: AbortSignal.abort(new Error('stop')) };
    const ran = await tutti(['worker'], { io });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'executing runs on the embedded engine\n' });
    const restate = await tutti(['worker', '--engine', 'restate'], { io });
    expect(restate.stdout).toContain('reached at http://127.0.0.1:9080');
  });
});
