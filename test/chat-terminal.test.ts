import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, program, runTutti } from './support/run-tutti.ts';
import { isCi } from '../testkit/sample.ts';
import {
  driveTerminal,
  keys,
  type TerminalEnd,
  type TerminalStep,
} from './support/terminal/drive-terminal.ts';

/** Debian and macOS have it; where it is missing nobody can sit at a terminal. */
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
const scripted = new URL('support/terminal/scripted-chat.ts', import.meta.url).pathname;
const prompt = { see: 'tutti>' } as const;

interface Sitting {
  readonly cwd?: string;
  readonly argv?: readonly string[];
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A person at a terminal; all they wait for has to come. */
async function sit(steps: readonly TerminalStep[], sitting: Sitting = {}): Promise<TerminalEnd> {
  const { cwd = aFolder(), argv = ['chat'] } = sitting;
  const end = await driveTerminal({
    argv: [sitting.program ?? scripted, ...argv],
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: cwd,
      TUTTI_HOME: join(cwd, 'data'),
      TUTTI_MODELS_AUTODETECT: 'false',
      TERM: 'xterm',
      NO_COLOR: '1',
      ...sitting.env,
    },
    steps,
  });
  expect(end.missed, end.screen).toBeNull();
  return end;
}

const line = (text: string): TerminalStep => ({ type: `${text}${keys.enter}` });
const leave = [prompt, { type: keys.ctrlD }] as const;
const left = { exitCode: 0 } as const;
const terminate = { signal: 'SIGTERM' } as const;

describe.skipIf(!hasPython && !isCi)('a chat at a real terminal', () => {
  it('takes lines, fences and pasted code as messages, and finds them again in the next chat', async () => {
    const cwd = aFolder();
    const first = await sit(
      [
        { see: 'Tutti 1.2.3' },
        prompt,
        line('hello'),
        { see: 'You said "hello"' },
        prompt,
        line('```'),
        { see: '  ... ' },
        line('/exit'),
        line('```'),
        { see: 'You said "```\\n/exit\\n```"' },
        prompt,
        { type: `explain: ${keys.pasted('def f():\n\treturn 1\n')}` },
        line('thanks'),
        { see: 'You said "explain: def f():\\n\\treturn 1\\nthanks"' },
        prompt,
        line('one\\'),
        { see: '  ... ' },
        line('two'),
        { see: 'You said "one\\ntwo"' },
        prompt,
        line(' not this'),
        { see: 'You said " not this"' },
        ...leave,
      ],
      { cwd },
    );
    expect(first).toMatchObject(left);
    const again = { type: keys.up + keys.enter };
    const next = await sit([prompt, again, { see: 'You said "one\\ntwo"' }, ...leave], { cwd });
    expect(next).toMatchObject(left);
    const file = join(cwd, 'data/chat-history');
    expect(readFileSync(file, 'utf8')).toMatch(/thanks\none⏎two\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('completes commands, tools and files', async () => {
    const cwd = aFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/app.py'), 'x = 1\n');
    const steps = [
      prompt,
      { type: `/pref${keys.tab}` },
      { see: '/preferences ' },
      line(''),
      { see: 'tests with pytest' },
      prompt,
      { type: `/tools fake.ec${keys.tab}` },
      { see: 'fake.echo_all' },
      line(''),
      { see: 'Arguments' },
      prompt,
      { type: `review @sr${keys.tab}` },
      { see: '@src/' },
      { type: keys.tab },
      { see: 'app.py' },
      line(''),
      { see: 'You said "review src/app.py" +src/app.py' },
      ...leave,
    ];
    expect(await sit(steps, { cwd })).toMatchObject(left);
  });

  it('takes a command or another request at a preview and at an approval', async () => {
    const end = await sit([
      prompt,
      line('plan'),
      { see: 'Run it? [Y/n]' },
      line('/preferences'),
      { see: 'tests with pytest' },
      { see: 'Run it? [Y/n]' },
      line('/rusn'),
      { see: 'Did you mean "/runs"?' },
      { see: 'Run it? [Y/n]' },
      line('something else, please'),
      { see: 'You said "something else, please"' },
      prompt,
      line('approval'),
      { see: 'Approve?' },
      line('/etc is full'),
      { see: 'You said "/etc is full"' },
      ...leave,
    ]);
    expect(end).toMatchObject(left);
  });

  it('cancels the run and not the chat with Ctrl-C, and leaves with 130 after two at an empty prompt', async () => {
    const end = await sit([
      prompt,
      line('wait'),
      { see: 'fake.echo_all' },
      { type: keys.ctrlC },
      { see: 'Cancelled' },
      prompt,
      line('still there?'),
      { see: 'You said "still there?"' },
      prompt,
      { type: 'never said' },
      { see: 'never said' },
      { type: keys.ctrlC },
      prompt,
      { type: keys.ctrlC },
      { see: 'Press Ctrl-C again' },
      prompt,
      { type: keys.ctrlC },
    ]);
    expect(end.exitCode).toBe(130);
    expect(end.screen).not.toContain('You said "never');
  });

  it('asks about plans and approvals, takes nothing typed before, and survives errors', async () => {
    const end = await sit([
      prompt,
      line('plan'),
      { see: 'Run it? [Y/n]' },
      line(''),
      { see: 'Ran 1 step' },
      prompt,
      { type: `approval${keys.enter}y${keys.enter}` },
      { see: 'Approve?' },
      line(''),
      { see: 'tutti runs approve run-1 one' },
      prompt,
      line('/approve'),
      { see: 'Went on with run-1' },
      prompt,
      line('fail'),
      { see: 'internal.bug' },
      prompt,
      line('/tols'),
      { see: 'Did you mean "/tools"?' },
      ...leave,
    ]);
    expect(end).toMatchObject(left);
    expect(end.screen).not.toContain('You said');
  });

  it('shows every name and length of a call that no screen holds, and approves only all of it', async () => {
    const { screen } = await sit(
      [
        prompt,
        line('approval'),
        { see: 'Approve? [a]ll of it, [n]o' },
        line('y'),
        { see: 'Nothing was approved: not all of it was shown yet' },
        { see: 'Approve? [a]ll of it, [n]o' },
        line('a'),
        { see: 'and wire 5000 to mallory' },
        { see: 'Approve? [y]es' },
        line(''),
        { see: 'tutti runs show run-1 one   shows all of it' },
        prompt,
        line('/approve'),
        { see: 'cli.approval_unseen' },
        prompt,
        line('approval'),
        { see: 'Approve? [a]ll of it, [n]o' },
        line('all'),
        { see: 'Approve? [y]es' },
        line('y'),
        { see: 'Went on with run-1' },
        ...leave,
      ],
      { env: { SCRIPTED_APPROVAL: 'long' } },
    );
    const [question = ''] = screen.split('Approve?', 1);
    for (const text of [
      'note: "xxx',
      'of 6026 characters left out',
      'rows: 60 items',
      'row59',
      'to: "bob"',
    ]) {
      expect(question).toContain(text);
    }
    expect(question).not.toContain('mallory');
  });

  it('asks one question about a plan of one effect that is chosen from several', async () => {
    const steps = [
      prompt,
      line('choice'),
      { see: 'Plan 2:' },
      { see: 'It calls fake.echo_all with {"text":"hello"}' },
      { see: 'Which one?' },
      line('2'),
      { see: 'Went on with run-1' },
      ...leave,
    ];
    expect((await sit(steps)).screen).not.toContain('Approve?');
  });

  it.each([
    ['/exit', [prompt, line('/exit')], 0],
    ['a signal while it runs', [prompt, line('wait'), { see: 'echo_all' }, terminate], 130],
  ] as const)('leaves the terminal as it was after %s', async (_name, steps, exitCode) => {
    const end = await sit(steps);
    expect(end.exitCode).toBe(exitCode);
    expect(end.screen.trimEnd().endsWith('\u001B[?2004l')).toBe(true);
  });
});

describe.skipIf(!hasPython && !isCi)('tutti ask at a real terminal', () => {
  it('asks about the plan right there', async () => {
    const steps = [{ see: 'Run it? [Y/n]' }, line('y'), { see: 'Ran 1 step' }];
    expect((await sit(steps, { argv: ['ask', 'plan'] })).exitCode).toBe(0);
    const no = [{ see: 'Run it? [Y/n]' }, line('n'), { see: 'Nothing was run' }];
    expect((await sit(no, { argv: ['ask', 'plan'] })).exitCode).toBe(0);
  });

  it('is cancelled by Ctrl-C with 130', async () => {
    const steps = [{ see: 'fake.echo_all' }, { type: keys.ctrlC }, { see: 'Cancelled' }];
    expect((await sit(steps, { argv: ['ask', 'wait'] })).exitCode).toBe(130);
  });
});

describe.skipIf(!hasPython && !isCi)('the built program', () => {
  it('takes a line typed ahead as the next message, after the question that came up', async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'accounts.py'), 'x = 1\n');
    writeFileSync(join(cwd, 'old.txt'), 'kept\n');
    const steps = [
      prompt,
      { type: `review accounts.py${keys.enter}delete old.txt${keys.enter}` },
      { see: 'Run it? [Y/n]' },
      line('n'),
      { see: 'Approve?' },
      line('n'),
      ...leave,
    ];
    expect((await sit(steps, { cwd, program })).exitCode).toBe(0);
    expect(existsSync(join(cwd, 'old.txt'))).toBe(true);
    const history = readFileSync(join(cwd, 'data/chat-history'), 'utf8');
    expect(history).toContain('review accounts.py\ndelete old.txt\n');
  });

  it('starts a chat when it is called alone at a terminal, and keeps its history in its home', async () => {
    const cwd = aFolder();
    const steps = [prompt, line('/sessions'), prompt, line('/exit')];
    expect((await sit(steps, { cwd, argv: [], program })).exitCode).toBe(0);
    expect(existsSync(join(cwd, 'data/chat-history'))).toBe(true);
  });

  it('plans without a model, shows the plan, and runs it after a yes', async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'ugly.py'), 'def f( a,b ):return a+b\n');
    const steps = [
      { see: 'code.format_code' },
      { see: 'Run it? [Y/n' },
      line('y'),
      { see: 'def f(a, b):' },
    ];
    const argv = ['ask', 'format the Python code in @ugly.py'];
    expect((await sit(steps, { cwd, argv, program })).exitCode).toBe(0);
  });

  it('does the same in a pipe: one document, no escapes, exit code 4 while a plan waits', async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'ugly.py'), 'def f( a,b ):return a+b\n');
    const stdin = 'format the Python code in @ugly.py\n';
    const json = await runTutti(['ask', '--json'], { cwd, stdin });
    expect(json.exitCode).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'plan', madeBy: 'planner' });
    const text = await runTutti(['chat'], { cwd, stdin: `${stdin}yes\n` });
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain('def f(a, b):');
    expect(text.stdout + text.stderr).not.toContain('\u001B');
  });
});
