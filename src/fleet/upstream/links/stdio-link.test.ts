import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProcessOwner, silentLog } from '../../../kernel/index.ts';
import type { Link } from '../link.ts';
import { openStdioLink, type StdioLinkLimits } from './stdio-link.ts';
import { recordingListener } from '../../../../testkit/fleet/upstream/links/recording-listener.ts';

const runDirectory = mkdtempSync(join(tmpdir(), 'stdio-link-'));
const owner = createProcessOwner({ runDirectory, log: silentLog });
const links: Link[] = [];

afterAll(async () => {
  await Promise.all(links.map(async (link) => await link.close()));
  await owner.close();
  rmSync(runDirectory, { recursive: true, force: true });
});

/** A server whose whole program is given; `answer(line)` is called for each line it gets. */
async function open(program: string, limits: Partial<StdioLinkLimits> = {}) {
  const recording = recordingListener();
  const stderr: string[] = [];
  const link = await openStdioLink(
    {
      name: 'probe',
      owner,
      process: { command: process.execPath, args: ['-e', prelude + program], env: {} },
      onStderr: (line) => stderr.push(line),
      limits,
    },
    recording.listener,
  );
  links.push(link);
  return { ...recording, link, stderr };
}

const prelude = `
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const result = (id, value = {}) => say({ jsonrpc: '2.0', id, result: value });
const listen = (answer) => {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) answer(JSON.parse(line));
  });
};
`;
const echo = 'listen(({ id, params }) => id !== undefined && result(id, params));';
const ask = (id: number | string, params: object = {}) => ({
  id,
  text: JSON.stringify({ jsonrpc: '2.0', id, method: 'echo', params }),
});

describe('a link to a process', () => {
  it('carries messages both ways, in order, with the text they came as', async () => {
    const { link, received, until } = await open(echo);
    for (let id = 0; id < 500; id += 1) link.send(ask(id, { text: `é漢\n${id}` }));
    await until(() => received.length === 500);
    expect(received.map(({ message }) => message.kind === 'response' && message.id)).toEqual(
      Array.from({ length: 500 }, (_, id) => id),
    );
    expect(received[7]?.text).toBe('{"jsonrpc":"2.0","id":7,"result":{"text":"é漢\\n7"}}');
    expect(received[7]?.during).toBeUndefined();
    expect(link.pid).toBeGreaterThan(0);
  });

  it('lets a message that is sent at once overtake none that was held back', async () => {
    const { link, received, until } = await open(echo);
    link.send(ask(1));
    link.send({ ...ask(2), isAlone: true });
    link.send(ask(3));
    await until(() => received.length === 3);
    expect(received.map(({ message }) => message.kind === 'response' && message.id)).toEqual([
      1, 2, 3,
    ]);
  });

  it('carries a message of megabytes', async () => {
    const { link, until, resultOf } = await open(echo);
    const text = 'x'.repeat(3_000_000);
    link.send(ask(1, { text }));
    await until(() => resultOf(1) !== undefined);
    expect(resultOf(1)).toEqual({ text });
  });

  it('unpacks a batch, each part with its exact text', async () => {
    const { received, until, problems, failures } = await open(
      `process.stdout.write('[{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"s":"[\\\\"{,"}}, 5 ,{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":4,"error":"x"}]\\n'); ${echo}`,
    );
    await until(() => received.length === 2 && problems.length === 2);
    expect(received.map(({ text }) => text)).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"s":"[\\"{,"}}',
      '{"jsonrpc":"2.0","method":"m"}',
    ]);
    expect(failures.get(4)).toMatchObject({ code: 'fleet.bad_answer' });
  });

  it('ends when its input is closed, and says that this was wanted', async () => {
    const { link, closed } = await open(echo);
    await link.close();
    await link.close();
    expect(await closed).toEqual({
      reason: 'The process exited with code 0',
      isWanted: true,
      exitCode: 0,
      signal: null,
    });
    link.send(ask(1));
  });

  it('hands on standard error line by line, long lines cut', async () => {
    const { stderr, closed } = await open(
      `process.stderr.write('one\\r\\n' + 'y'.repeat(50_000) + '\\ntail');`,
      { maxStderrLineBytes: 1000 },
    );
    await closed;
    expect(stderr).toEqual(['one', 'y'.repeat(1000), 'tail']);
  });
});

describe('a process that ends', () => {
  it('is reported with its exit code and last words, after what it still said', async () => {
    const { closed, received } = await open(
      `result(1); process.stderr.write('warming up\\nno token given\\n'); process.exitCode = 3;`,
    );
    expect(await closed).toMatchObject({
      reason: 'The process exited with code 3; stderr: no token given',
      isWanted: false,
      exitCode: 3,
    });
    expect(received).toHaveLength(1);
  });

  it('is reported with the signal that ended it', async () => {
    const { closed } = await open(`process.kill(process.pid, 'SIGKILL');`);
    expect(await closed).toMatchObject({
      reason: 'The process was ended by SIGKILL',
      signal: 'SIGKILL',
    });
  });

  it('in the middle of a message leaves half a message, which is a problem and no message', async () => {
    const { closed, received, problems } = await open(
      `process.stdout.write('{"jsonrpc":"2.0","id":1,"resu');`,
    );
    await closed;
    expect(received).toEqual([]);
    expect(problems).toContain('ended its output in the middle of a line');
  });

  it('while it is being written to has no other effect', async () => {
    const { link, closed } = await open('process.exit(1)');
    for (let id = 0; id < 100; id += 1) link.send(ask(id, { text: 'x'.repeat(10_000) }));
    expect(await closed).toMatchObject({ exitCode: 1 });
  });

  it('is over although something it started holds its output open', async () => {
    const { closed } = await open(
      `require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' }).unref(); setTimeout(() => process.exit(4), 100);`,
    );
    expect(await closed).toMatchObject({ exitCode: 4 });
  });
});

describe('a hostile process', () => {
  it('may print banners and garbage around its messages', async () => {
    const { stderr, until, problems, resultOf, link } = await open(
      `console.log('\\x1b[1mWelcome!\\x1b[0m'); console.log(''); console.log('null'); process.stdout.write(Buffer.from([0xff, 0xfe, 10])); console.log('['.repeat(500) + ']'.repeat(500)); say({ jsonrpc: '2.0', id: 9, method: 'm', params: [1] }); ${echo}`,
    );
    link.send(ask(9));
    await until(() => resultOf(9) !== undefined);
    expect(problems).toEqual(Array(5).fill('sent an invalid JSON-RPC message'));
    expect(stderr[0]).toBe('no message on stdout: [1mWelcome! [0m');
    expect(stderr[3]).toHaveLength('no message on stdout: '.length + 201);
  });

  it('that writes a line of 100 MB is skipped over without holding it', async () => {
    const before = process.memoryUsage.rss();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    const { until, resultOf, problems, failures, link } = await open(
      `
      const chunk = Buffer.alloc(1 << 20, 0x61);
      let left = 100;
      process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"');
      const more = () => {
        while (left-- > 0) if (!process.stdout.write(chunk)) return process.stdout.once('drain', more);
        process.stdout.write('"}\\n{"result":"' + 'b'.repeat(5e6) + '","jsonrpc":"2.0","id":"two"}\\n');
        ${echo}
      };
      more();`,
      { message: { maxBytes: 4_000_000, maxDepth: 200 } },
    );
    link.send(ask(3));
    await until(() => resultOf(3) !== undefined);
    clearInterval(timer);
    expect(problems).toEqual(Array(2).fill('sent a message larger than allowed'));
    expect(failures.get(1)).toMatchObject({ code: 'fleet.answer_too_large' });
    expect(failures.get('two')).toMatchObject({ code: 'fleet.answer_too_large' });
    expect(most - before).toBeLessThan(80_000_000);
  });

  it('that floods is read slowly, and loses nothing', async () => {
    const startedAt = performance.now();
    const { received, until, problems } = await open(
      `for (let n = 0; n < 5000; n += 1) say({ jsonrpc: '2.0', method: 'n', params: { n } }); ${echo}`,
      { rate: { windowMs: 100, maxMessages: 1000, maxBytes: 1_000_000 } },
    );
    await until(() => received.length === 5000);
    expect(performance.now() - startedAt).toBeGreaterThan(200);
    expect(problems).toContain('flooded its output and was slowed down');
    const numbers = received.map(
      ({ message }) => message.kind === 'notification' && message.params,
    );
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, n) => ({ n })));
  });

  it('that never reads its input fails requests once too much waits, and can be closed', async () => {
    const { link, until, failures, closed, problems } = await open('setInterval(() => {}, 1000);', {
      maxQueuedLength: 1_000_000,
      closeGraceMs: 100,
    });
    for (let id = 0; id < 30; id += 1) link.send(ask(id, { text: 'x'.repeat(100_000) }));
    link.send({ text: '{"jsonrpc":"2.0","method":"n"}'.padEnd(100_000) });
    await until(() => failures.size > 0);
    expect(failures.has(0)).toBe(false);
    expect(failures.get(29)).toMatchObject({ code: 'fleet.server_not_reading' });
    expect(problems).toHaveLength(failures.size + 1);
    await link.close();
    expect(await closed).toMatchObject({
      reason: 'The process did not end when its input was closed, and was stopped',
      isWanted: true,
    });
  });

  it('that closes its output and lives on is stopped', async () => {
    const { closed } = await open(`require('node:fs').closeSync(1); setInterval(() => {}, 1000);`, {
      settleMs: 200,
    });
    expect(await closed).toMatchObject({
      reason: 'The process closed its output, and was stopped',
      isWanted: false,
      signal: 'SIGTERM',
    });
  });

  it('that closes its input and lives on is stopped', async () => {
    const { closed, link, until, received } = await open(
      `require('node:fs').closeSync(0); say({ jsonrpc: '2.0', method: 'closed' }); setInterval(() => {}, 1000);`,
      { settleMs: 200 },
    );
    await until(() => received.length === 1);
    link.send(ask(1));
    expect(await closed).toMatchObject({ reason: 'The process closed its input, and was stopped' });
  });

  it('that trickles its answer byte by byte is understood', async () => {
    const { link, until, resultOf } = await open(
      `listen(({ id }) => { const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'é漢' } }) + '\\r\\n'); let at = 0; const next = () => { if (at < bytes.length) process.stdout.write(bytes.subarray(at, at += 1), () => setImmediate(next)); }; next(); });`,
    );
    link.send(ask(1));
    await until(() => resultOf(1) !== undefined);
    expect(resultOf(1)).toEqual({ text: 'é漢' });
  });
});

it('rejects when the program cannot be started', async () => {
  const failing = {
    ...owner,
    start: () => Promise.reject(new Error('no such program')),
  };
  const opening = openStdioLink(
    {
      name: 'probe',
      owner: failing,
      process: { command: 'missing', args: [], env: {} },
      onStderr: () => {},
    },
    recordingListener().listener,
  );
  await expect(opening).rejects.toThrow('no such program');
});
