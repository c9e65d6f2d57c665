import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AskOutcome } from '../../contract/agent/index.ts';
import { AppError } from '../../kernel/index.ts';
import {
  aPlan,
  aPreview,
  aQuestion,
  aRefusal,
  anAnswer,
  type Scene,
  aWaitingRun,
} from '../../../testkit/cli/fake-agent.ts';
import { aRun, anApproval } from '../../../testkit/cli/fake-workflows.ts';
import { tuttiWithAgent as tutti } from '../../../testkit/cli/run-on-agent.ts';
import { aFile, atTerminal, running, waitingFor } from '../../../testkit/cli/run-on-runs.ts';

const streamed: Scene = {
  events: [
    { kind: 'session', sessionId: 'session-1' },
    { kind: 'run', run: running },
    { kind: 'run', run: aRun },
    { kind: 'text', text: 'Hello ' },
    { kind: 'text', text: 'there' },
  ],
  outcome: {
    sessionId: 'session-1',
    confidence: 1,
    model: 'm',
    kind: 'answer',
    answer: 'Hello there',
    runId: 'run-1',
    runStatus: 'succeeded',
  },
};
const runOutcome = (runStatus: 'failed' | 'cancelled' | 'waiting'): Scene => ({
  outcome: { ...base, kind: 'answer', answer: 'It did not work', runId: 'run-1', runStatus },
});
const base = { sessionId: 'session-1', confidence: 1, model: 'm' } as const;

describe('tutti ask', () => {
  it('streams the answer to stdout, and how the run goes to stderr', async () => {
    const ran = await tutti(['ask', 'say hello'], { scenes: [streamed] });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Hello there\n' });
    expect(ran.stderr).toContain('one: succeeded');
    expect(ran.requests).toEqual([{ message: 'say hello' }]);
  });

  it('takes a message without the word ask, and several words as one message', async () => {
    const alone = await tutti(['say hello', '--yes', '--session', 'session-1']);
    expect(alone.requests).toEqual([
      { message: 'say hello', session: 'session-1', acceptPreview: true },
    ]);
    const after = await tutti(['--session', 'session-1', 'hello?']);
    expect(after.requests).toEqual([{ message: 'hello?', session: 'session-1' }]);
    const words = await tutti(['ask', 'say', 'hello']);
    expect(words.requests).toEqual([{ message: 'say hello' }]);
  });

  it.each([[['ask', '--json']], [['ask', '-', '--json']]])(
    'reads the message from standard input: %j',
    async (argv) => {
      const ran = await tutti(argv, { stdin: 'say hello\n', scenes: [streamed] });
      expect(JSON.parse(ran.stdout)).toEqual(streamed.outcome);
      expect(ran.stderr).toBe('');
      expect(ran.requests).toEqual([{ message: 'say hello' }]);
    },
  );

  it.each([
    [{ outcome: anAnswer('x') }, [], 0],
    [runOutcome('failed'), [], 1],
    [runOutcome('cancelled'), [], 130],
    [{ outcome: aRefusal }, [], 3],
    [{ outcome: aQuestion }, [], 4],
    [{ outcome: aWaitingRun }, [], 4],
    [{ outcome: aPreview }, [], 4],
    [{ outcome: aPreview }, ['--plan-only'], 0],
  ] as const)('ends %j %j with %i, in words and as JSON', async (scene, words, exitCode) => {
    const text = await tutti(['ask', 'x y', ...words], { scenes: [scene] });
    const json = await tutti(['ask', 'x y', ...words, '--json'], { scenes: [scene] });
    expect([text.exitCode, json.exitCode]).toEqual([exitCode, exitCode]);
    expect(JSON.parse(json.stdout)).toEqual(scene.outcome);
    expect(text.stdout).not.toBe('');
  });

  it('reports an error with its code', async () => {
    class Rain extends AppError {
      readonly code = 'cli.needs_answer';
    }
    const scenes = [{ error: new Rain('it rained') }];
    const ran = await tutti(['ask', 'x y', '--json'], { scenes });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { message: 'it rained' } });
  });

  it('passes a cancellation on to the agent, and ends with 130', async () => {
    const cancel = new AbortController();
    const ran = tutti(['ask', 'x y'], {
      scenes: [{ isEndless: true }],
      io: { signal: cancel.signal },
    });
    setImmediate(() => cancel.abort(new Error('interrupted')));
    expect(await ran).toMatchObject({ exitCode: 130, stdout: '' });
  });

  it.each([
    [['ask', ''], ''],
    [['ask'], ''],
    [['ask', '-', 'more'], 'x'],
    [['ask', '--attach', '-'], 'x'],
  ])('refuses %j', async (argv, stdin) => {
    const ran = await tutti(argv, { stdin });
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
  });

  it('does not wait for a message from somebody who typed none', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await tutti(['ask'], { io: { stdin } })).toMatchObject({ exitCode: 2 });
  });

  it('shows what is streamed once, and the whole answer where it differs from that', async () => {
    const scenes: Scene[] = [
      { events: [{ kind: 'text', text: 'Hel' }], outcome: anAnswer('Hello') },
      { events: [{ kind: 'text', text: 'draft' }], outcome: anAnswer('Hello\n') },
    ];
    expect((await tutti(['ask', 'x y'], { scenes })).stdout).toBe('Hello\n');
    expect((await tutti(['ask', 'x y'], { scenes: scenes.slice(1) })).stdout).toBe(
      'draft\nHello\n',
    );
  });

  it('renders the Markdown of a model at a terminal, and no other text', async () => {
    const diff = '-  * old\n+  - new `x`\n# y\n';
    const scenes: Scene[] = [
      {
        events: [
          { kind: 'text', text: '- item\n', isMarkdown: true },
          { kind: 'text', text: diff },
        ],
        outcome: { ...anAnswer(`- item\n${diff}`), model: 'm' },
      },
      { outcome: { ...anAnswer(diff), model: null } },
      { outcome: { ...anAnswer('- item'), model: 'm' } },
    ];
    const shown = ['• item\n' + diff, diff, '• item\n'];
    for (const [index, text] of shown.entries()) {
      const options = { scenes: scenes.slice(index), isTTY: true };
      expect((await tutti(['ask', 'x y'], options)).stdout).toBe(text);
    }
  });

  it('tells when an answer starts anew', async () => {
    const events = [
      { kind: 'restart' },
      { kind: 'text', text: 'Hal' },
      { kind: 'restart' },
      { kind: 'notice', text: 'now b is asked' },
      { kind: 'text', text: 'Hello' },
    ] as const;
    const ran = await tutti(['ask', 'x y'], { scenes: [{ events, outcome: anAnswer('Hello') }] });
    expect(ran.stdout).toBe('Hal\nHello\n');
    expect(ran.stderr).toBe('The answer broke off and starts anew:\nnow b is asked\n');
  });

  it('lets no control character of others through', async () => {
    const evil = 'a\u001B]52;c;eA==\u0007\u009B2J\r\n\tb\u202Ec';
    const outcomes: AskOutcome[] = [
      anAnswer(evil),
      { ...base, kind: 'refusal', reason: evil },
      { ...base, kind: 'question', questions: [evil], candidates: [] },
      {
        ...base,
        kind: 'plan',
        plan: { ...aPlan, name: evil },
        candidates: [{ plan: { ...aPlan, name: evil }, why: evil, confidence: 1 }],
        preview: evil,
        madeBy: 'model',
      },
    ];
    for (const outcome of outcomes) {
      const events = [{ kind: 'notice', text: evil }] as const;
      const ran = await tutti(['ask', 'x y'], { scenes: [{ events, outcome }] });
      expect(ran.stdout + ran.stderr).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u);
      expect(ran.stdout).toContain(String.raw`a\u001b]`);
    }
  });
});

describe('tutti ask at a terminal', () => {
  const done = { outcome: anAnswer('Done') };

  it.each([
    ['y\n', 'y'],
    ['n\n', 'n'],
    ['2\n', '2'],
    ['in Go, please\n', 'in Go, please'],
  ])('shows the plan and hands the agent the answer %j', async (typed, message) => {
    const plan = { ...aPlan, steps: [...aPlan.steps, { id: 'two', tool: 'fake.wait' }] };
    const preview = 'It would echo.\nRun it? Answer yes or no.\n';
    const ran = await tutti(['ask', 'x y'], {
      scenes: [
        {
          outcome: {
            ...aPreview,
            plan,
            preview,
            candidates: [plan, aPlan].map((one) => ({ plan: one, why: '', confidence: 0.5 })),
          },
        },
        done,
      ],
      ...atTerminal(typed),
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toBe('one  fake.echo_all\nIt would echo.\nconfidence 90 %\nDone\n');
    expect(ran.stderr).toContain('Which one? [1 or 2, n for none] ');
    expect(ran.requests[1]).toEqual({ message, session: 'session-1' });
  });

  it('runs a plan on Enter, and nothing where there are several to choose from', async () => {
    const one = await tutti(['ask', 'x y'], {
      scenes: [{ outcome: aPreview }, done],
      ...atTerminal('\n'),
    });
    expect(one.stderr).toContain('Run it? [Y/n] ');
    expect(one.requests[1]).toEqual({ message: 'yes', session: 'session-1' });
    const candidates = [aPlan, aPlan].map((plan) => ({ plan, why: '', confidence: 0.5 }));
    const several = await tutti(['ask', 'x y'], {
      scenes: [{ outcome: { ...aPreview, candidates } }, done],
      ...atTerminal('\n'),
    });
    expect(several).toMatchObject({ exitCode: 4, requests: [{ message: 'x y' }] });
  });

  it.each([
    [1, 'Run it: tutti ask --session session-1 yes'],
    [2, 'Run the first: tutti ask --session session-1 1'],
    [3, 'Run the first: tutti ask --session session-1 1'],
  ])('in a pipe, names the answer that fits %i plans', async (count, hint) => {
    const candidates = Array.from({ length: count }, () => ({
      plan: aPlan,
      why: '',
      confidence: 0.5,
    }));
    const ran = await tutti(['ask', 'x y'], { scenes: [{ outcome: { ...aPreview, candidates } }] });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toContain(`Nothing was run. ${hint}\n`);
  });

  it('asks once about a plan of one step that asks for approval', async () => {
    const steps = [{ id: 'one', tool: 'fake.echo_all', args: { text: 'hello' }, approval: true }];
    const plan = { ...aPlan, steps };
    const outcome = { ...aPreview, plan, candidates: [{ plan, why: '', confidence: 1 }] };
    const ran = await tutti(['ask', 'x y'], {
      scenes: [{ outcome }, { outcome: aWaitingRun }, done],
      views: [waitingFor(anApproval)],
      ...atTerminal('y\n'),
    });
    expect(ran.stderr).not.toContain('Run it?');
    expect(ran.stderr).toContain('It calls fake.echo_all with {"text":"hello"}');
    expect(ran.requests.map(({ message }) => message)).toEqual(['x y', 'yes', 'continue']);
    const approved = { step: 'one', approvalId: 'ap-1', verdict: 'approved' };
    expect(ran.calls).toContainEqual(['decide', 'run-1', approved]);
  });

  it('leaves the plan waiting when the input ends', async () => {
    const scenes = [{ outcome: aPreview }, done];
    const open = await tutti(['ask', 'x y'], { scenes, ...atTerminal('') });
    expect(open).toMatchObject({ exitCode: 4, requests: [{ message: 'x y' }] });
    expect(open.stderr).toContain('tutti ask --session session-1 yes');
  });

  it('asks nothing with --plan-only', async () => {
    const ran = await tutti(['ask', 'x y', '--plan-only'], {
      scenes: [{ outcome: aPreview }],
      ...atTerminal('y\n'),
    });
    expect(ran).toMatchObject({ exitCode: 0, requests: [{ message: 'x y', planOnly: true }] });
  });

  it('puts questions right there, and takes the line as the answer', async () => {
    const scenes = [{ outcome: aQuestion }, done];
    const ran = await tutti(['ask', 'x y'], { scenes, ...atTerminal('Python\n') });
    expect(ran.stdout).toContain('Which language?\nWhich style?\n');
    expect(ran.requests[1]).toEqual({ message: 'Python', session: 'session-1' });
    expect(ran.exitCode).toBe(0);
    expect((await tutti(['ask', 'x y'], { scenes, ...atTerminal('') })).exitCode).toBe(4);
  });

  it.each([
    ['y\n', 'approved'],
    ['no\n', 'denied'],
  ])('asks for approvals as "tutti run" does: %j', async (typed, verdict) => {
    const ran = await tutti(['ask', 'x y'], {
      scenes: [{ outcome: aWaitingRun }, done],
      views: [waitingFor(anApproval), aRun],
      ...atTerminal(typed),
    });
    expect(ran.stderr).toContain('It calls fake.echo_all with {"text":"hello"}');
    expect(ran.calls).toEqual([['decide', 'run-1', { step: 'one', approvalId: 'ap-1', verdict }]]);
    expect(ran.requests[1]).toEqual({ message: 'continue', session: 'session-1' });
    expect(ran.exitCode).toBe(0);
  });

  it('never takes --yes or an empty line for an approval', async () => {
    const ran = await tutti(['ask', 'x y', '--yes'], {
      scenes: [{ outcome: aWaitingRun }, done],
      views: [waitingFor(anApproval), aRun],
      ...atTerminal('\n'),
    });
    expect(ran).toMatchObject({ exitCode: 4, calls: [] });
    expect(ran.stderr).toContain('tutti runs approve run-1 one');
  });
});

describe('files given along', () => {
  it('reads what the message mentions, and what --attach names', async () => {
    const { cwd } = aFile('x = 1\n', 'app.py');
    writeFileSync(join(cwd, 'two words.txt'), 'b');
    mkdirSync(join(cwd, 'src'));
    const message = 'review @app.py, @"two words.txt" and @src by @somebody, a@b.org, @@app.py';
    const argv = ['ask', message, '--attach', './app.py', '--attach', '-'];
    const ran = await tutti(argv, { io: { cwd }, stdin: 'piped' });
    expect(ran.requests).toEqual([
      {
        message: 'review app.py, two words.txt and src by @somebody, a@b.org, @app.py',
        attachments: [
          { name: './app.py', content: 'x = 1\n', language: 'python' },
          { name: 'standard input', content: 'piped' },
          { name: 'app.py', content: 'x = 1\n', language: 'python' },
          { name: 'two words.txt', content: 'b' },
        ],
      },
    ]);
  });

  it('leaves decorators in code alone', async () => {
    const message = 'explain `@a.b` and\n```python\n@app.route\ndef f(): ...\n```';
    expect((await tutti(['ask', message])).requests).toEqual([{ message }]);
  });

  it.each([
    ['@gone.py', 2, '"gone.py" was not attached: there is no such file'],
    ['@big.txt', 2, 'longer than 1048576 bytes'],
    ['@binary.bin', 2, 'not UTF-8'],
    ['@link.txt', 3, 'outside the folders'],
    ['@../outside.txt', 3, 'outside the folders'],
    ['@/etc/passwd', 3, 'outside the folders'],
  ])('refuses %s', async (mention, exitCode, reason) => {
    const { cwd } = aFile('x', 'app.py');
    writeFileSync(join(cwd, 'big.txt'), 'x'.repeat(1_048_577));
    writeFileSync(join(cwd, 'binary.bin'), Buffer.from([0xff, 0xfe]));
    symlinkSync('/etc/hostname', join(cwd, 'link.txt'));
    const ran = await tutti(['ask', `review ${mention}`], { io: { cwd } });
    expect(ran).toMatchObject({ exitCode, requests: [] });
    expect(ran.stderr).toContain(reason);
  });

  it('takes no folder for --attach, and not too many files', async () => {
    const { cwd } = aFile('x', 'f0');
    const names = Array.from({ length: 21 }, (_, index) => `f${index}`);
    for (const name of names) writeFileSync(join(cwd, name), name);
    const many = await tutti(['ask', names.map((name) => `@${name}`).join(' ')], { io: { cwd } });
    expect(many.stderr).toContain('one message takes 20 files');
    const folder = await tutti(['ask', 'x y', '--attach', '.'], { io: { cwd } });
    expect(folder.stderr).toContain('it is a folder');
  });
});
