import { afterAll, expect, it } from 'vitest';
import type { OutputPiece, RunWatch, SandboxRun } from '../../src/contract/sandbox/index.ts';
import type { PreparedSandbox, SandboxDriver } from '../../src/sandbox/driver.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';
import { aRun } from './a-run.ts';

/** The shell programs of the suite; the fake answers to just these. */
export const suitePrograms = {
  echo: 'cat; echo done >&2',
  readFile: 'cat dir/input.txt; printf %s "$GREETING"',
  exit: 'exit 7',
  signal: 'kill -SEGV $$',
  endless: 'echo started; while :; do sleep 0.05; done',
  flood: 'while :; do echo 0123456789012345678901234567890123456789; done',
  write: 'mkdir out; printf made > out/made.txt; ln -s /etc/passwd out/link; printf no > not.txt',
} as const;

/** What every driver promises, whatever it is made of. */
export function describeDriver(open: () => SandboxDriver): void {
  const driver = open();
  const prepared: PreparedSandbox[] = [];
  afterAll(async () => {
    await Promise.all(prepared.map((sandbox) => sandbox.dispose()));
    await driver.close();
  });

  async function prepare(run: SandboxRun): Promise<PreparedSandbox> {
    const toolchain = await driver.findToolchain(run.toolchain);
    const { program, mounts, limits } = run;
    const sandbox = await driver.prepare({ toolchain, boot: program.kind, mounts, limits });
    prepared.push(sandbox);
    return sandbox;
  }

  async function run(
    script: keyof typeof suitePrograms,
    change: Partial<SandboxRun> = {},
    watch: RunWatch = {},
  ) {
    const argv = ['sh', '-c', suitePrograms[script]];
    const wanted = aRun({ program: { kind: 'command', argv }, ...change });
    const sandbox = await prepare(wanted);
    return sandbox.run(wanted, watch);
  }

  it('gives the program its standard input and brings back both outputs, as they come too', async () => {
    const pieces: OutputPiece[] = [];
    const bytes = Buffer.from([0, 255, 10, 128, 65]);
    const result = await run('echo', { stdin: bytes }, { onOutput: (piece) => pieces.push(piece) });
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, signal: null, reason: null });
    expect(Buffer.from(result.stdout)).toEqual(bytes);
    expect(Buffer.from(result.stderr).toString()).toBe('done\n');
    expect(result.truncated).toBe(false);
    expect(pieces.map(({ sequence }) => sequence)).toEqual([...pieces.keys()]);
    const seen = pieces.filter(({ stream }) => stream === 'stdout').map((piece) => piece.bytes);
    expect(Buffer.concat(seen)).toEqual(bytes);
  });

  it('lays out files and variables before the program starts', async () => {
    const files = { 'dir/input.txt': 'from a file, ' };
    const result = await run('readFile', { files, env: { GREETING: "it's $HOME" } });
    expect(Buffer.from(result.stdout).toString()).toBe("from a file, it's $HOME");
  });

  it('tells an exit code from a signal', async () => {
    expect(await run('exit')).toMatchObject({ status: 'exited', exitCode: 7, signal: null });
    const signalled = await run('signal');
    expect(signalled).toMatchObject({ status: 'signalled', signal: 'SIGSEGV', reason: null });
  });

  it('ends a program at its wall time', async () => {
    const result = await run('endless', { limits: { ...defaultLimits, wallMs: 300 } });
    expect(result).toMatchObject({ status: 'killed', reason: 'timeout' });
    expect(Buffer.from(result.stdout).toString()).toBe('started\n');
  });

  it('ends a program that writes more than it may, and keeps just as much', async () => {
    const result = await run('flood', { limits: { ...defaultLimits, outputBytes: 10_000 } });
    expect(result).toMatchObject({ status: 'killed', reason: 'output', truncated: true });
    expect(result.stdout.length + result.stderr.length).toBe(10_000);
  });

  it('ends a cancelled program', async () => {
    const cancel = new AbortController();
    const onOutput = (): void => cancel.abort(new Error('cancelled'));
    const result = await run('endless', {}, { signal: cancel.signal, onOutput });
    expect(result).toMatchObject({ status: 'killed', reason: 'cancelled' });
  });

  it('brings back the files asked for, and never what a link points to', async () => {
    const collect = { paths: ['out'], maxFiles: 10, maxBytes: 1000 };
    const { files } = await run('write', { collect });
    expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['out/made.txt', 'made'],
    ]);
  });

  it('runs one program per sandbox, and none after it was disposed of', async () => {
    const wanted = aRun({ program: { kind: 'command', argv: ['sh', '-c', suitePrograms.exit] } });
    const used = await prepare(wanted);
    expect(used.isUsable()).toBe(true);
    await used.run(wanted, {});
    expect(used.isUsable()).toBe(false);
    const unused = await prepare(wanted);
    await unused.dispose();
    await unused.dispose();
    expect(unused.isUsable()).toBe(false);
  });

  it('refuses a start that was cancelled before, and a toolchain it does not have', async () => {
    const toolchain = await driver.findToolchain('shell');
    const shape = { toolchain, boot: 'command', mounts: [], limits: defaultLimits } as const;
    await expect(driver.prepare(shape, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    await expect(driver.findToolchain('cobol')).rejects.toMatchObject({
      code: expect.stringMatching(/^sandbox\.(?:toolchain_missing|invalid_run)$/),
    });
  });
}
