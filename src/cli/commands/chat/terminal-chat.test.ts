import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  anAnswer,
  aPlan,
  aPreview,
  aQuestion,
  type Scene,
  aWaitingRun,
} from '../../../../testkit/cli/fake-agent.ts';
import { createFakeModels } from '../../../../testkit/cli/fake-models.ts';
import { aRun, anApproval } from '../../../../testkit/cli/fake-workflows.ts';
import type { AgentOptions, RanAgent } from '../../../../testkit/cli/run-on-agent.ts';
import { aFile, running, waitingFor } from '../../../../testkit/cli/run-on-runs.ts';
import { sitAtTerminal, type Move } from '../../../../testkit/cli/sit-at-terminal.ts';

const prompt: Move = { see: 'tutti> ' };
const type = (text: string): Move => ({ type: text });
const ctrlC = type('\u0003');
const ctrlD = type('\u0004');
const pasted = (text: string): Move => type(`\u001B[200~${text}\u001B[201~`);

const failing = {
  ...createFakeModels([]),
  find: () => Promise.reject(new Error('the network is \u001B down')),
};

/** A chat in an empty folder, which is its home, too. */
function chat(moves: readonly Move[], options: AgentOptions = {}): Promise<RanAgent> {
  const { cwd } = aFile('', 'empty');
  return sitAtTerminal(['chat'], moves, { ...options, io: { cwd, ...options.io } });
}

const messages = ({ requests }: RanAgent): readonly string[] =>
  requests.map(({ message }) => message);

describe('a chat at a terminal', () => {
  it('greets with the model, answers, and ends with 0 after Ctrl-D', async () => {
    const ran = await chat([prompt, type('hello\r'), { see: 'You said: hello' }, prompt, ctrlD]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('Tutti 1.2.3');
    expect(ran.stdout).toContain('Model: ollama/qwen2.5-coder:7b');
    expect(ran.stdout).toMatch(/^\u001B\[\?2004h[^]*\u001B\[\?2004l$/);
  });

  it.each([
    ['there is none', createFakeModels([]), 'No model: plans are made without one'],
    ['looking for one fails', failing, String.raw`No model: the network is \u001b down`],
  ])('greets where %s', async (_name, models, said) => {
    expect((await chat([prompt, ctrlD], { models })).stdout).toContain(said);
  });

  it('ends with the last answer only at a terminal that is left: an error before does not count', async () => {
    const scenes = [{ error: new Error('it rained') }];
    const ran = await chat([prompt, type('x\r'), { see: 'internal.bug' }, prompt, ctrlD], {
      scenes,
    });
    expect(ran.exitCode).toBe(0);
  });

  it('takes a continued line, a fence and a paste as one message each', async () => {
    const ran = await chat([
      prompt,
      type('a\\\r'),
      { see: '... ' },
      type('b\r'),
      prompt,
      type('```\r'),
      { see: '... ' },
      type('/exit\r```\r'),
      prompt,
      type('see: '),
      pasted('def f():\r\treturn 1\r'),
      type('ok?\r'),
      { see: 'You said: see: def' },
      prompt,
      ctrlD,
    ]);
    expect(messages(ran)).toEqual(['a\nb', '```\n/exit\n```', 'see: def f():\n\treturn 1\nok?']);
  });

  it.each([
    ['a preview', { outcome: aPreview }, {}, 'Run it? [Y/n] '],
    [
      'an approval',
      { outcome: aWaitingRun },
      { views: [waitingFor(anApproval)] },
      'decide later: ',
    ],
  ])('runs a command typed at %s, and asks again', async (_what, scene, options, question) => {
    const ran = await chat(
      [
        prompt,
        type('x y\r'),
        { see: question },
        type('/help\r'),
        { see: 'Ctrl-C cancels what is running' },
        { see: question },
        type('/hepl\r'),
        { see: 'Did you mean "/help"?' },
        { see: question },
        type('n\r'),
        { see: 'fine' },
        prompt,
        ctrlD,
      ],
      { scenes: [scene, { outcome: anAnswer('fine') }], ...options },
    );
    expect(messages(ran)).toHaveLength(2);
  });

  it('takes another request typed at a question as the next message, with the files it mentions', async () => {
    const { cwd } = aFile('x = 1\n', 'app.py');
    const ran = await chat(
      [
        prompt,
        type('x y\r'),
        { see: 'Run it? [Y/n] ' },
        type('review @app.py\r'),
        { see: 'fine' },
        prompt,
        type('/etc is full\r'),
        { see: 'fine' },
        prompt,
        ctrlD,
      ],
      { scenes: [{ outcome: aPreview }, { outcome: anAnswer('fine') }], io: { cwd } },
    );
    expect(messages(ran)).toEqual(['x y', 'review app.py', '/etc is full']);
    expect(ran.requests[1]?.attachments).toMatchObject([{ content: 'x = 1\n' }]);
  });

  it('takes a request typed at the question about a model that was found as the first message', async () => {
    const found = {
      name: 'ollama',
      url: 'http://127.0.0.1:11434/v1',
      owner: 'uid:998',
      ownerText: 'ollama',
      models: ['a'],
      isAccepted: null,
    };
    const ran = await chat(
      [
        { see: 'Use it? [y/N] ' },
        type('review src\r'),
        { see: 'You said: review src' },
        prompt,
        ctrlD,
      ],
      { found },
    );
    expect(messages(ran)).toEqual(['review src']);
  });

  it('says that a run still waits when another request is typed at its approval', async () => {
    const ran = await chat(
      [
        prompt,
        type('x y\r'),
        { see: 'decide later: ' },
        type('review src\r'),
        { see: 'fine' },
        prompt,
        ctrlD,
      ],
      {
        scenes: [{ outcome: aWaitingRun }, { outcome: anAnswer('fine') }],
        views: [waitingFor(anApproval)],
      },
    );
    expect(messages(ran)).toEqual(['x y', 'review src']);
    expect(ran.stdout).toMatch(
      /Run \S+ still waits for your approval: \/approve or \/deny, or later "tutti runs approve /,
    );
  });

  it('goes through earlier messages with the up key, several lines at once', async () => {
    const { cwd } = aFile('', 'empty');
    const io = { cwd };
    await chat([prompt, type('one\\\r'), { see: '... ' }, type('two\r'), prompt, ctrlD], { io });
    const ran = await chat([prompt, type('\u001B[A\r'), { see: 'You said' }, prompt, ctrlD], {
      io,
    });
    expect(messages(ran)).toEqual(['one\ntwo']);
  });

  it('completes, and does not where nothing fits', async () => {
    const { cwd } = aFile('x', 'app.py');
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/a.py'), 'y');
    const ran = await chat(
      [
        prompt,
        type('/attach ap\t'),
        { see: 'app.py' },
        type('\r'),
        { see: 'Attached to the next' },
        prompt,
        type('review @../\t@sr\t'),
        { see: '@src/' },
        type('a.py\r'),
        { see: 'outside' },
        prompt,
        ctrlD,
      ],
      { io: { cwd } },
    );
    expect(ran.requests).toEqual([]);
  });

  it('drops what was typed with Ctrl-C, and leaves with 130 after two at an empty prompt', async () => {
    const ran = await chat([
      prompt,
      type('never'),
      { see: 'never' },
      ctrlC,
      prompt,
      type('a\\\r'),
      { see: '... ' },
      ctrlC,
      prompt,
      ctrlC,
      { see: 'Press Ctrl-C again' },
      prompt,
      type('b\r'),
      { see: 'You said: b' },
      prompt,
      ctrlC,
      { see: 'Press Ctrl-C again' },
      prompt,
      ctrlC,
    ]);
    expect(ran.exitCode).toBe(130);
    expect(messages(ran)).toEqual(['b']);
  });

  it('ends with 130 when the program is asked to end', async () => {
    const end = new AbortController();
    const act = (): void => end.abort(new Error('terminated'));
    const ran = await chat([prompt, { act }], { io: { signal: end.signal } });
    expect(ran.exitCode).toBe(130);
  });
});

describe('a run in a chat', () => {
  const underWay: Scene = { events: [{ kind: 'run', run: running }], isEndless: true };

  it('is cancelled by Ctrl-C, and the chat goes on', async () => {
    const scenes = [underWay, { outcome: anAnswer('still here') }];
    const ran = await chat(
      [
        prompt,
        type('x\r'),
        { see: 'fake.echo_all' },
        ctrlC,
        { see: 'Cancelled' },
        prompt,
        type('y\r'),
        { see: 'still here' },
        prompt,
        ctrlD,
      ],
      { scenes },
    );
    expect(ran.exitCode).toBe(0);
  });

  it('that does not end when it is cancelled is left after another Ctrl-C', async () => {
    const deaf: Scene = { events: [{ kind: 'notice', text: 'deaf' }], isDeaf: true };
    const moves = [type('x\r'), { see: 'deaf' }, ctrlC, ctrlC, { see: 'Cancelled' }, prompt, ctrlD];
    expect((await chat([prompt, ...moves], { scenes: [deaf] })).exitCode).toBe(0);
  });

  it('lets lines be typed ahead, which are the next messages', async () => {
    const ran = await chat([prompt, type('one\rtwo\r'), { see: 'You said: two' }, prompt, ctrlD]);
    expect(messages(ran)).toEqual(['one', 'two']);
  });
});

describe('questions in a chat', () => {
  const done = { outcome: anAnswer('Done') };

  it('keep what was typed before them for later, and take none of it as their answer', async () => {
    const ran = await chat(
      [
        prompt,
        type('review accounts.py\rdelete requirements.txt\ry\r'),
        { see: 'Run it? [Y/n] ' },
        type('n\r'),
        { see: 'Done' },
        prompt,
        ctrlD,
      ],
      { scenes: [{ outcome: aPreview }, { outcome: anAnswer('Left') }, done] },
    );
    expect(messages(ran)).toEqual(['review accounts.py', 'n', 'delete requirements.txt']);
  });

  it('about a plan are asked at once, and left open by Ctrl-C', async () => {
    const scenes = [{ outcome: aPreview }, { outcome: aPreview }, done];
    const ran = await chat(
      [
        prompt,
        type('x\r'),
        { see: 'Run it? [Y/n] ' },
        ctrlC,
        prompt,
        type('y\r'),
        { see: 'Run it? [Y/n] ' },
        type('\r'),
        { see: 'Done' },
        prompt,
        ctrlD,
      ],
      { scenes },
    );
    expect(messages(ran)).toEqual(['x', 'y', 'yes']);
  });

  it('of the agent are answered by the next message', async () => {
    const scenes = [{ outcome: aQuestion }, done];
    const moves = [prompt, type('x\r'), { see: 'Which language?' }, prompt, type('Go\r')];
    const ran = await chat([...moves, { see: 'Done' }, prompt, ctrlD], { scenes });
    expect(messages(ran)).toEqual(['x', 'Go']);
  });

  it('for an approval are not answered by what was typed before', async () => {
    const ran = await chat(
      [
        prompt,
        type('x\ry\r'),
        { see: 'Approve?' },
        type('\r'),
        { see: 'tutti runs approve run-1 one' },
        prompt,
        ctrlD,
      ],
      { scenes: [{ outcome: aWaitingRun }, done], views: [waitingFor(anApproval), aRun] },
    );
    expect(ran.calls).toEqual([]);
    expect(messages(ran)).toEqual(['x']);
  });

  it('for an approval are asked with all that is known, and the run goes on', async () => {
    const ran = await chat(
      [prompt, type('x\r'), { see: 'Approve?' }, type('y\r'), { see: 'Done' }, prompt, ctrlD],
      { scenes: [{ outcome: aWaitingRun }, done], views: [waitingFor(anApproval), aRun] },
    );
    expect(ran.calls).toHaveLength(1);
    expect(messages(ran)).toEqual(['x', 'continue']);
    expect(ran.stdout).not.toContain('It needs your approval');
  });

  const approved = [['decide', 'run-1', { step: 'one', approvalId: 'ap-1', verdict: 'approved' }]];
  const choices = (args: Record<string, string>): readonly Scene[] => {
    const steps = [{ id: 'one', tool: 'fake.echo_all', args, approval: true }];
    const candidates = [aPlan, { ...aPlan, steps }].map((plan) => ({
      plan,
      why: '',
      confidence: 0.5,
    }));
    return [{ outcome: { ...aPreview, candidates } }, { outcome: aWaitingRun }, done];
  };

  it('to choose a plan of one effect show the effect, and the number approves it', async () => {
    const ran = await chat(
      [
        prompt,
        type('x\r'),
        { see: 'Plan 2:\n  It calls fake.echo_all with {"text":"hello"}' },
        { see: 'Which one? Choosing a plan shown here approves its call. [1 or 2' },
        type('2\r'),
        { see: 'Done' },
        prompt,
        ctrlD,
      ],
      { scenes: choices({ text: 'hello' }), views: [waitingFor(anApproval), aRun] },
    );
    expect(ran.calls).toEqual(approved);
    expect(ran.stdout).not.toContain('Approve?');
    expect(messages(ran)).toEqual(['x', '2', 'continue']);
  });

  it.each([
    ['of which another call waits', { text: 'hi' }, '2\r'],
    ['whose arguments were not known', { text: '${input.text}' }, '2\r'],
    ['that was not named', { text: 'hello' }, 'yes\r'],
  ])('to choose a plan %s do not approve it', async (_what, args, answer) => {
    const ran = await chat(
      [
        prompt,
        type('x\r'),
        { see: 'Which one?' },
        type(answer),
        { see: 'Approve?' },
        type('y\r'),
        { see: 'Done' },
        prompt,
        ctrlD,
      ],
      { scenes: choices(args), views: [waitingFor(anApproval), aRun] },
    );
    expect(ran.calls).toEqual(approved);
  });
});
