import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../kernel/index.ts';
import {
  aPreview,
  aQuestion,
  aRefusal,
  anAnswer,
  aWaitingRun,
} from '../../../../testkit/cli/fake-agent.ts';
import { aSession } from '../../../../testkit/cli/fake-memory.ts';
import { aRun, anApproval } from '../../../../testkit/cli/fake-workflows.ts';
import {
  tuttiWithAgent,
  type AgentOptions,
  type RanAgent,
} from '../../../../testkit/cli/run-on-agent.ts';
import { aFile, waitingFor } from '../../../../testkit/cli/run-on-runs.ts';
import { slashCommands } from './slash/slash-table.ts';

/** A chat in a pipe: these lines, and nobody to ask. */
function chat(lines: readonly string[], options: AgentOptions = {}): Promise<RanAgent> {
  return tuttiWithAgent(['chat'], { ...options, stdin: lines.map((line) => `${line}\n`).join('') });
}

describe('a chat in a pipe', () => {
  it('takes each line as a message of one conversation, and writes nothing but answers', async () => {
    const ran = await chat(['hello', '', 'and again']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toBe('You said: hello\nYou said: and again\n');
    expect(ran.requests).toEqual([
      { message: 'hello' },
      { message: 'and again', session: 'session-1' },
    ]);
  });

  it('is what tutti alone does', async () => {
    const ran = await tuttiWithAgent([], { stdin: 'hello' });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'You said: hello\n' });
  });

  it('joins fenced lines and those that end in a backslash', async () => {
    const ran = await chat(['review ```python', 'x = 1', '', '/exit', '```', 'a\\', 'b\\\\']);
    expect(ran.requests.map(({ message }) => message)).toEqual([
      'review ```python\nx = 1\n\n/exit\n```',
      'a\nb\\\\',
    ]);
  });

  it.each([
    [{ outcome: aRefusal }, 3],
    [{ outcome: aQuestion }, 4],
    [{ outcome: aPreview }, 4],
    [{ outcome: anAnswer('x') }, 0],
    [{ error: new Error('it rained') }, 1],
  ])('ends with the exit code of the last message: %j', async (scene, exitCode) => {
    const ran = await chat(['one', 'two'], { scenes: [{ outcome: anAnswer('fine') }, scene] });
    expect(ran.exitCode).toBe(exitCode);
  });

  it('tells an error with its code, and goes on', async () => {
    class Rain extends AppError {
      readonly code = 'cli.outside_roots';
    }
    const scenes = [{ error: new Rain('it rained') }, { outcome: anAnswer('fine') }];
    const ran = await chat(['one', 'look at @gone.py', '/nonsense', 'two'], { scenes });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
    expect(ran.stderr).toContain('error: it rained\n');
    expect(ran.stderr).toContain('(cli.outside_roots)');
    expect(ran.stderr).toContain('(cli.attachment_unusable)');
  });

  it('leaves a scoped package as it is written', async () => {
    const ran = await tuttiWithAgent(['ask', 'how do routes work in @acme/router?']);
    expect(ran.requests).toMatchObject([{ message: 'how do routes work in @acme/router?' }]);
  });

  it('goes on with a session that is named, and knows before whether it is there', async () => {
    const ran = await tuttiWithAgent(['chat', '--session', 'last'], { stdin: 'hello' });
    expect(ran.requests).toEqual([{ message: 'hello', session: 'session-1' }]);
    const gone = await tuttiWithAgent(['chat', '--session', 'gone'], { stdin: 'hello' });
    expect(gone).toMatchObject({ exitCode: 2, requests: [] });
  });

  it('ends with 130 when the program is asked to end', async () => {
    const cancel = new AbortController();
    const ran = chat(['one', 'two'], {
      scenes: [{ isEndless: true }],
      io: { signal: cancel.signal },
    });
    setImmediate(() => cancel.abort(new Error('interrupted')));
    expect(await ran).toMatchObject({ exitCode: 130, stdout: '' });
  });

  it('refuses --json, and lines without an end', async () => {
    const json = await tuttiWithAgent(['chat', '--json'], { stdin: 'hello' });
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'cli.usage' } });
    expect((await chat(['x'.repeat(1_100_000)])).exitCode).toBe(2);
  });
});

describe('a plan that waits', () => {
  const scenes = [{ outcome: aPreview }, { outcome: anAnswer('Done') }];

  it.each([
    ['yes', 'yes'],
    ['2', '2'],
    ['/plan yes', 'yes'],
    ['/plan no', 'no'],
    ['/plan 2', '2'],
  ])('is settled by %s, which the agent reads', async (line, message) => {
    const ran = await chat(['do it', line], { scenes });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('It would echo.');
    expect(ran.requests[1]).toEqual({ message, session: 'session-1' });
  });

  it('is shown again by /plan', async () => {
    const ran = await chat(['do it', '/plan'], { scenes });
    expect(ran.stdout).toContain('one  fake.echo_all\n');
    const none = await chat(['/plan', '/plan yes']);
    expect(none).toMatchObject({ exitCode: 2, requests: [] });
  });
});

describe('a run that waits', () => {
  const options = {
    scenes: [{ outcome: aWaitingRun }, { outcome: anAnswer('Done') }],
    views: [waitingFor(anApproval), aRun],
  };

  it.each([
    ['/approve', 'approved', undefined],
    ['/deny', 'denied', undefined],
    ['/approve run-1 one', 'approved', 'one'],
    ['/deny run one', 'denied', 'one'],
  ])('is decided by %s, and the agent goes on with it', async (line, verdict, step) => {
    const ran = await chat(['do it', line], options);
    expect(ran.stderr).toContain('tutti runs approve run-1 one');
    expect(ran.stderr).toContain('or in this chat: /approve, /deny');
    const shown = verdict === 'approved' && { approvalId: 'ap-1' };
    expect(ran.calls).toEqual([['decide', 'run-1', { verdict, ...(step && { step }), ...shown }]]);
    expect(ran.requests[1]).toEqual({ message: 'continue', session: 'session-1' });
    expect(ran.stdout).toContain('Done');
  });

  it.each(['/approve', '/deny'])('is not decided by %s once it is over', async (line) => {
    const over = { ...anAnswer('Done'), runId: 'run-1', runStatus: 'succeeded' as const };
    const ran = await chat(['do it', line], { scenes: [{ outcome: over }], views: [aRun] });
    expect(ran.stderr).toContain('Nothing waits for approval here');
    expect(ran.calls).toEqual([]);
  });

  it('of another chat is decided as "tutti runs approve" does', async () => {
    const ran = await chat(['/approve run-1 one'], { views: [waitingFor(anApproval), aRun] });
    expect(ran.calls.map(([method]) => method)).toEqual(['decide', 'follow']);
    expect(ran.exitCode).toBe(0);
    expect((await chat(['/approve'])).exitCode).toBe(2);
  });
});

describe('chat commands', () => {
  it('are all listed by /help', async () => {
    const { stdout } = await chat(['/help']);
    for (const { name } of slashCommands) expect(stdout).toContain(`/${name}`);
  });

  it('propose the nearest where the name is wrong, and leave paths to messages', async () => {
    const wrong = await chat(['/tols']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('There is no command "/tols". Did you mean "/tools"?');
    expect((await chat(['/usr/bin is a folder'])).requests).toHaveLength(1);
  });

  it('do what the command line does, on the system that is open', async () => {
    const lines = ['/tools echo', '/servers list', '/models', '/runs show run-1', '/tools --help'];
    const ran = await chat(lines);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(ran.seen.options).toEqual([]);
    for (const word of [
      'fake.echo_all',
      'untrusted',
      'ollama/qwen',
      'Greet',
      'Usage: tutti tools',
    ]) {
      expect(ran.stdout).toContain(word);
    }
    expect((await chat(['/runs show --nonsense'])).exitCode).toBe(2);
  });

  it('show the conversation, and others', async () => {
    const ran = await chat(['hello', '/session', '/sessions', '/history', '/history 1']);
    expect(ran.stdout).toContain('title  Greeting');
    expect(ran.stdout).toMatch(/^session-1 .*2 turns.*Greeting$/m);
    const turn = String.raw`2 tutti  \d{4}-\d\d-\d\d \d\d:\d\d  Hello to you\n`;
    expect(ran.stdout).toMatch(new RegExp(`1 you  [^\\n]*hello\\n${turn}${turn}`));
    expect((await chat(['/session'])).stderr).toContain('begins with your first message');
    expect((await chat(['hello', '/history x'])).exitCode).toBe(2);
  });

  it('begin anew, fork, save and load', async () => {
    const { cwd } = aFile('no JSON', 'broken.json');
    const ran = await chat(
      [
        'one',
        '/save',
        '/save',
        '/clear',
        'two',
        '/fork 1',
        'three',
        '/load tutti-session-1.json',
        'four',
        '/load session-1',
        'five',
        '/load broken.json',
      ],
      { io: { cwd } },
    );
    const file = join(cwd, 'tutti-session-1.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(aSession);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ran.stderr).toContain('there already');
    expect(ran.stderr).toContain('broken.json" is no saved conversation');
    expect(ran.requests.map(({ session }) => session)).toEqual([
      undefined,
      undefined,
      'session-1-fork',
      'imported',
      'session-1',
    ]);
    expect((await chat(['/load'])).exitCode).toBe(2);
  });

  it('give files and pasted lines along with the next message only', async () => {
    const { cwd } = aFile('x = 1\n', 'app.py');
    const ran = await chat(
      ['/attach app.py', '/paste go', 'package a', '```', '', '/end', 'review it', 'again'],
      { io: { cwd } },
    );
    expect(ran.requests.map(({ attachments }) => attachments)).toEqual([
      [
        { name: 'app.py', content: 'x = 1\n', language: 'python' },
        { name: 'pasted 2', content: 'package a\n```\n', language: 'go' },
      ],
      undefined,
    ]);
    expect(ran.stderr).toContain('Attached to the next message: app.py, pasted 2');
    for (const lines of [['/attach'], ['/paste', '/end'], Array(21).fill('/attach app.py')]) {
      expect((await chat(lines, { io: { cwd } })).exitCode).toBe(2);
    }
  });

  it('store what the person thinks of the last answer', async () => {
    const ran = await chat(['hello', '/good', '/bad too long']);
    expect(ran.stderr).toContain(
      'Stored: up for turn session-1#2\nStored: down for turn session-1#2',
    );
    expect((await chat(['/good'])).exitCode).toBe(2);
  });

  it('show and forget likings', async () => {
    const ran = await chat(['/preferences', '/forget tabs', '/preferences', '/forget tabz']);
    const shown = ran.stdout.split('\n').map((line) => line.split('  ', 1)[0]);
    expect(shown).toEqual([
      'tests with pytest',
      'tabs',
      'Forgotten: tabs',
      'tests with pytest',
      '',
    ]);
    expect(ran.exitCode).toBe(2);
    expect((await chat(['/forget'])).exitCode).toBe(2);
  });

  it('end the chat with /exit', async () => {
    const ran = await chat(['hello', '/quit', 'never']);
    expect(ran).toMatchObject({ exitCode: 0, requests: [{ message: 'hello' }] });
  });

  it('write no file where they only read', async () => {
    const { cwd } = aFile('x', 'a');
    writeFileSync(join(cwd, 'b'), 'y');
    await chat(['/history', '/session', '/plan'], { io: { cwd } });
    expect(existsSync(join(cwd, 'chat-history'))).toBe(false);
  });
});
