import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { PipeClient, type Heard } from './support/pipe-client.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

/** The result of a run, as far as the tests look at it. */
interface Outcome {
  readonly status: string;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly usage: { readonly wallMs: number; readonly peakMemoryBytes: number };
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  readonly observations: readonly { readonly kind: string; readonly message: string }[];
  readonly verdict: string;
}

interface Called {
  readonly outcome: Outcome;
  /** The whole answer, for what is no outcome. */
  readonly text: string;
}

interface Connection {
  readonly system: System;
  readonly client: PipeClient;
  call(tool: string, args: object): Promise<Called>;
  close(): Promise<void>;
}

interface ConnectOptions {
  readonly home: string;
  readonly flags?: object;
  readonly capabilities?: object;
  readonly answer?: (asked: Heard) => object;
}

async function connect({ home, flags, capabilities, answer }: ConnectOptions): Promise<Connection> {
  const system = await openSystem({
    flags: { home, ...flags },
    env: { ...process.env, PLANTED_IN_THE_HOST: 'secret' },
    cwd: home,
    only: ['exec'],
  });
  const client = new PipeClient(answer);
  const serving = system.serveStdio({ stdin: client.stdin, stdout: client.stdout });
  await client.initialize(capabilities);
  return {
    system,
    client,
    call: (tool, args) => callTool(client, tool, args),
    async close() {
      client.stdin.end();
      await serving;
      await system.close();
    },
  };
}

async function callTool(client: PipeClient, name: string, args: object): Promise<Called> {
  const { result, error } = await client.ask('tools/call', { name, arguments: args }).answer;
  expect(error).toBeUndefined();
  // The gateway checked it against the tool's own schema.
  return { outcome: result?.['structuredContent'] as Outcome, text: JSON.stringify(result) };
}

/** Small, so that a bomb does no harm to what else runs here. */
const small = { wallMs: 15_000, memoryBytes: 128 * 1024 * 1024, pids: 32 };

/** Host processes whose command line holds the text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(
  `code that is run over MCP${whyNoBubblewrap}`,
  { timeout: 60_000 },
  () => {
    // One folder: what the canaries found out is kept there.
    const home = mkdtempSync(join(tmpdir(), 'tutti-exec-'));
    let connection: Connection;

    beforeAll(async () => {
      connection = await connect({ home });
    }, 60_000);

    afterAll(async () => {
      await connection.close();
      rmSync(home, { recursive: true, force: true });
    });

    async function python(code: string, more: object = {}): Promise<Outcome> {
      const args = { language: 'python', code, limits: small, ...more };
      const { outcome, text } = await connection.call('run_code', args);
      expect(outcome, text).toBeDefined();
      return outcome;
    }

    it('gives what it wrote and how it ended', async () => {
      const code = 'import sys\nprint("out", input())\nprint("err", file=sys.stderr)\nsys.exit(7)';
      expect(await python(code, { stdin: 'in\n' })).toMatchObject({
        status: 'exited',
        exitCode: 7,
        reason: null,
        stdout: 'out in\n',
        stderr: 'err\n',
        truncated: false,
        verdict: 'allow',
      });
    });

    it.each([
      ['timeout', 'while True: pass', { ...small, wallMs: 1_000 }],
      ['cpu', 'while True: pass', { ...small, cpuMs: 300 }],
      ['pids', 'import os\nwhile True: os.fork()', small],
      ['memory', 'x = []\nwhile True: x.append(bytearray(8 << 20))', small],
      ['output', 'while True: print("x" * 1000)', { ...small, outputBytes: 100_000 }],
      [
        'disk',
        'f = open("big", "wb")\nwhile True: f.write(bytes(1 << 20)); f.flush()',
        { ...small, diskBytes: 8 << 20 },
      ],
    ])('ends with reason %s when it goes too far', async (reason, code, limits) => {
      const outcome = await python(code, { limits });
      expect(outcome).toMatchObject({ status: 'killed', reason });
      expect(outcome.usage.wallMs).toBeLessThan(limits.wallMs + 2_000);
      expect(outcome.stdout.length).toBeLessThanOrEqual(1_048_576);
      expect(outcome.truncated).toBe(reason === 'output');
    });

    it('is cleaned at the edge: escape sequences, broken UTF-8, binary output', async () => {
      const code = [
        'import sys',
        'w = sys.stdout.buffer.write',
        'w(b"\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07\\x1b]52;c;aGk=\\x1b\\\\x \\xff\\xc3( \\xe2\\x82")',
        'sys.stderr.buffer.write(bytes(range(256)) * 4)',
      ].join('\n');
      const { stdout, stderr, observations } = await python(code);
      expect(stdout).toBe('red x \ufffd\ufffd( \ufffd');
      expect(stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(observations).toMatchObject([
        { kind: 'binary_output', message: expect.stringContaining('stderr is not text') },
      ]);
    });

    it('leaves regular files within bounds: nothing sparse, linked or special', async () => {
      const code = [
        'import os',
        'open("good.txt", "w").write("good")',
        'open("sparse", "wb").truncate(100 << 20)',
        'os.symlink("/etc/passwd", "passwd")',
        'os.symlink("/proc/1/root/etc", "folder")',
        'os.symlink("good.txt", "link")',
        'os.mkfifo("pipe")',
      ].join('\n');
      const { files, observations } = await python(code, { collect: [] });
      expect(files).toMatchObject([{ path: 'good.txt', content: 'good' }]);
      expect(observations.map(({ kind }) => kind)).toContain('file_not_collected');
      expect(JSON.stringify(observations)).toContain('sparse');
    });

    it('has the environment that was given and nothing of the host', async () => {
      const code = 'import os, json\nprint(json.dumps(dict(os.environ)))';
      const { stdout } = await python(code, { env: { GIVEN: 'ü\n"$HOME"' } });
      const env = JSON.parse(stdout) as Record<string, string>;
      expect(env['GIVEN']).toBe('ü\n"$HOME"');
      expect(env['HOME']).toBe('/work');
      expect(stdout).not.toContain('PLANTED_IN_THE_HOST');
      expect(Object.keys(env).sort()).toEqual(
        expect.arrayContaining(['GIVEN', 'HOME', 'LANG', 'PATH']),
      );
      expect(Object.keys(env).filter((name) => /^(?:npm|VITEST|NODE|USER|SSH)/.test(name))).toEqual(
        [],
      );
    });

    it('tells its output live, in order, before it ends', async () => {
      const { client } = connection;
      const code = [
        'import sys, time',
        'for n in range(5):',
        '  print("out", n, flush=True); time.sleep(0.2)',
        '  print("err", n, file=sys.stderr, flush=True); time.sleep(0.2)',
        'time.sleep(0.3)',
      ].join('\n');
      const call = client.ask('tools/call', {
        name: 'run_code',
        arguments: { language: 'python', code, limits: small },
      });
      const progress = () =>
        client.heard.filter(
          ({ method, params }) =>
            method === 'notifications/progress' && params['progressToken'] === call.id,
        );
      let settled = false;
      const ended = call.answer.finally(() => (settled = true));
      await expect.poll(() => progress().length, { timeout: 20_000 }).toBeGreaterThan(0);
      expect(settled).toBe(false);
      await ended;
      const text = progress().map(({ params }) => params['message']);
      const expected = [0, 1, 2, 3, 4].map((n) => `out ${n}\nerr ${n}\n`);
      expect(text.join('')).toBe(expected.join(''));
      const counts = progress().map(({ params }) => Number(params['progress']));
      expect(counts).toEqual(counts.map((_, index) => index + 1));
    });

    it('is dead soon after its call was cancelled', async () => {
      const { client } = connection;
      const mark = `98765${process.pid}`;
      const call = client.ask('tools/call', {
        name: 'run_command',
        arguments: { argv: ['sleep', mark] },
      });
      await expect.poll(() => processesWith(`sleep\0${mark}`).length, { timeout: 20_000 }).toBe(1);
      const startedAt = performance.now();
      client.notify('notifications/cancelled', { requestId: call.id });
      while (processesWith(`sleep\0${mark}`).length > 0) await sleep(5);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    });

    it('leaves in the trace what ran, its limits and what it used', async () => {
      const own = await connect({ home });
      await own.call('run_code', { language: 'python', code: 'print(1)', limits: small });
      await own.close();
      const again = await openSystem({ flags: { home }, env: {}, cwd: home });
      onTestFinished(() => again.close());
      const [latest] = await again.traces.recent(5);
      const [span] = await again.traces.find(latest?.traceId ?? '');
      expect(span?.attributes).toMatchObject({
        'tutti.sandbox.language': 'python',
        'tutti.sandbox.limit.pids': 32,
        'tutti.sandbox.status': 'exited',
        'tutti.sandbox.driver': 'bubblewrap',
        'tutti.check.verdict': 'allow',
      });
      expect(span?.attributes['tutti.sandbox.usage.peakMemoryBytes']).toBeGreaterThan(0);
      const { 'tutti.sandbox.pool.hits': hits, 'tutti.sandbox.pool.misses': misses } =
        span?.attributes ?? {};
      expect(Number(hits) + Number(misses)).toBeGreaterThan(0);
    });

    it('is refused or asked about by what the check finds, before it runs', async () => {
      const miner = 'pool = "stratum+tcp://pool.example:3333"';
      const refused = await connection.call('run_code', { language: 'python', code: miner });
      expect(refused.text).toContain('exec.refused_by_check');

      const asked: Heard[] = [];
      const own = await connect({
        home,
        flags: { 'sandbox.check.critical': 'ask' },
        capabilities: { elicitation: {} },
        answer: (question) => {
          asked.push(question);
          return { action: 'accept', content: { approve: true } };
        },
      });
      onTestFinished(() => own.close());
      const code = 'import subprocess\nsubprocess.run(input(), shell=True)';
      const args = { language: 'python', code, stdin: 'echo hi\n' };
      const { outcome } = await own.call('run_code', args);
      expect(outcome).toMatchObject({ stdout: 'hi\n', verdict: 'ask' });
      expect(asked.map(({ method }) => method)).toEqual(['elicitation/create']);
    });

    const programs = [
      ['javascript', 'console.log("js", ...process.argv.slice(2)); process.exit(3)'],
      [
        'typescript',
        'const all: string[] = process.argv.slice(2); console.log("ts", ...all); process.exit(3)',
      ],
      ['shell', 'echo sh "$@"; exit 3'],
      [
        'go',
        'package main\nimport ("fmt"; "os")\nfunc main() { fmt.Println("go", os.Args[1], os.Args[2]); os.Exit(3) }',
      ],
      [
        'rust',
        'fn main() { let a: Vec<String> = std::env::args().skip(1).collect(); println!("rs {}", a.join(" ")); std::process::exit(3) }',
      ],
      [
        'java',
        'class Main { public static void main(String[] a) { System.out.println("java " + String.join(" ", a)); System.exit(3); } }',
      ],
    ] as const;

    it.for(programs)('runs in %s', async ([language, code], { skip }) => {
      const args = { language, code, args: ['a b', "c'd"], limits: { wallMs: 60_000 } };
      const { outcome, text } = await connection.call('run_code', args);
      skip(text.includes('sandbox.toolchain_missing'), `${language} is not installed`);
      expect(outcome, text).toMatchObject({ status: 'exited', exitCode: 3 });
      expect(outcome.stdout).toMatch(/^\w+ a b c'd\n$/);
    });
  },
);
