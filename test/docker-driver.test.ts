import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxLimits, SandboxResult } from '../src/contract/sandbox/index.ts';
import { createDockerDriver, type DockerOptions } from '../src/sandbox/docker/index.ts';
import type { PreparedSandbox, SandboxDriver, SandboxJob } from '../src/sandbox/driver.ts';
import { judge } from '../src/sandbox/choose-driver.ts';
import { startDocker, type TestDocker } from './support/docker.ts';
import { isCi } from '../testkit/sample.ts';

const here = await startDocker();
const skipReason = here.kind === 'skipped' ? here.reason : null;
if (isCi && skipReason?.includes('missing') === true) throw new Error(skipReason);
const why = skipReason === null ? '' : ` (skipped: ${skipReason})`;

afterAll(async () => {
  if (here.kind === 'ready') await here.docker.stop();
});

/** Only called by tests that are not skipped. */
function docker(): TestDocker {
  if (here.kind === 'skipped') throw new Error(here.reason);
  return here.docker;
}

const mebibyte = 1024 * 1024;
const limits: SandboxLimits = {
  wallMs: 20_000,
  cpuMs: 20_000,
  cpus: 1,
  memoryBytes: 128 * mebibyte,
  pids: 32,
  diskBytes: 4 * mebibyte,
  openFiles: 128,
  outputBytes: 64 * 1024,
};
const all = { paths: [], maxFiles: 10, maxBytes: mebibyte };

interface Wanted {
  readonly limits?: Partial<SandboxLimits>;
  readonly job?: Partial<SandboxJob>;
  readonly signal?: AbortSignal;
}

async function prepare(
  driver: SandboxDriver,
  changed: Partial<SandboxLimits> = {},
): Promise<PreparedSandbox> {
  const toolchain = await driver.findToolchain('python');
  return await driver.prepare({
    toolchain,
    boot: 'python',
    mounts: [],
    limits: { ...limits, ...changed },
  });
}

function aJob(code: string, { limits: changed, job }: Wanted = {}): SandboxJob {
  return {
    program: { kind: 'python', main: 'main.py', args: [] },
    files: { 'main.py': code },
    env: {},
    stdin: '',
    limits: { ...limits, ...changed },
    collect: null,
    ...job,
  };
}

async function run(
  driver: SandboxDriver,
  code: string,
  wanted: Wanted = {},
): Promise<Omit<SandboxResult, 'wasWarm'>> {
  const sandbox = await prepare(driver, wanted.limits);
  return await sandbox.run(aJob(code, wanted), { signal: wanted.signal });
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Stays when it may have no more processes, so that whoever looks now and then sees it. */
const stubbornForks = `
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(60)
    except OSError:
        time.sleep(60)`;

/** An engine on this machine is looked at directly; of another one only what its API tells is known. */
const views = [{ looksAtHost: true }, { looksAtHost: false }] as const;

// Needs a Docker engine, which `make test` starts where it may.
describe.skipIf(skipReason !== null)(`the docker driver${why}`, { timeout: 120_000 }, () => {
  it.each(views)('runs a program and brings back its files ($looksAtHost)', async (view) => {
    const code = `
import os, sys
print(sys.stdin.read(), os.getuid(), os.getcwd(), os.uname().nodename, dict(os.environ))
print("problem", file=sys.stderr)
os.mkdir("d"); open("d/made.txt", "w").write("made"); os.symlink("/etc/passwd", "link")
sys.exit(3)`;
    const job = { stdin: 'given', env: { A: 'b' }, collect: all };
    const result = await run(docker().aDockerDriver(view), code, { job });
    expect(result).toMatchObject({ status: 'exited', exitCode: 3, reason: null, driver: 'docker' });
    expect(text(result.stdout)).toBe(
      "given 1000 /work sandbox {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': '/work', 'LANG': 'C.UTF-8', 'A': 'b'}\n",
    );
    expect(text(result.stderr)).toBe('problem\n');
    const files = Object.fromEntries(result.files.map(({ path, bytes }) => [path, text(bytes)]));
    expect(files).toEqual({ 'd/made.txt': 'made', 'main.py': code });
    expect(result.observations.map(({ message }) => message).join()).toContain('"link"');
    expect(await docker().sandboxNamespaces()).toEqual(new Set());
  });

  it.each([
    ['timeout', 'while True: pass', { wallMs: 500 }],
    ['cpu', 'while True: pass', { cpuMs: 200 }],
    ['memory', 'kept = bytearray(1 << 30)', {}],
    ['pids', 'import os\nwhile True: os.fork()', {}],
    ['output', 'while True: print("x" * 1000)', {}],
    ['disk', 'f = open("f", "wb")\nwhile True: f.write(bytes(65536))', {}],
  ])('ends a program at its limit: %s', async (reason, code, changed) => {
    const result = await run(docker().aDockerDriver(), code, { limits: changed });
    expect(result).toMatchObject({ status: 'killed', reason, exitCode: null, signal: null });
  });

  it.each([
    ['cpu', 'while True: pass', { cpuMs: 200 }],
    ['memory', 'kept = bytearray(1 << 30)', {}],
    ['disk', 'f = open("f", "wb")\nwhile True: f.write(bytes(65536))', {}],
    ['pids', stubbornForks, {}],
  ])('asks an engine elsewhere about the limit: %s', async (reason, code, changed) => {
    const driver = docker().aDockerDriver({ looksAtHost: false });
    const result = await run(driver, code, { limits: changed });
    expect(result).toMatchObject({ status: 'killed', reason });
  });

  it.each(views)('does not wait for what a program left running ($looksAtHost)', async (view) => {
    const code =
      'import os, time\nif os.fork() == 0: time.sleep(60)\nelse: print("done", flush=True)';
    const result = await run(docker().aDockerDriver(view), code, { job: { collect: all } });
    expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
    expect(text(result.stdout)).toBe('done\n');
    expect(result.usage.wallMs).toBeLessThan(20_000);
  });

  it('kills a program that is cancelled, and tells of a signal that was not ours', async () => {
    const driver = docker().aDockerDriver();
    const stop = new AbortController();
    const sandbox = await prepare(driver);
    const job = aJob('import time\nprint("up", flush=True)\ntime.sleep(60)');
    const onOutput = (): void => stop.abort();
    const cancelled = await sandbox.run(job, { signal: stop.signal, onOutput });
    expect(cancelled).toMatchObject({ status: 'killed', reason: 'cancelled' });
    const crashed = await run(driver, 'import os\nos.abort()');
    expect(crashed).toMatchObject({ status: 'signalled', signal: 'SIGABRT', reason: null });
  });

  it('runs one program in each sandbox, with the limits of that program', async () => {
    const sandbox = await prepare(docker().aDockerDriver());
    expect(sandbox.isUsable()).toBe(true);
    expect(sandbox.accepts({ ...limits, memoryBytes: 64 * mebibyte })).toBe(true);
    expect(sandbox.accepts({ ...limits, diskBytes: 1 })).toBe(false);
    const small = { memoryBytes: 64 * mebibyte };
    const result = await sandbox.run(aJob('x = bytearray(100 << 20)', { limits: small }), {});
    expect(result.reason).toBe('memory');
    expect(sandbox.isUsable()).toBe(false);
    await expect(sandbox.run(aJob(''), {})).rejects.toMatchObject({ code: 'sandbox.not_started' });
  });

  it('leaves nothing of a sandbox that was not used', async () => {
    const sandbox = await prepare(docker().aDockerDriver());
    expect((await docker().sandboxNamespaces()).size).toBe(1);
    await sandbox.dispose();
    expect(sandbox.isUsable()).toBe(false);
    expect((await docker().sandboxNamespaces()).size).toBe(0);
  });

  it('shows what is mounted, and lets nobody write there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-mount-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // Modes must not be what keeps the program out.
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, 'given.txt'), 'given');
    chmodSync(join(folder, 'given.txt'), 0o666);
    const driver = docker().aDockerDriver();
    const toolchain = await driver.findToolchain('shell');
    const mounts = [{ source: folder, target: '/given' }];
    const sandbox = await driver.prepare({ toolchain, boot: 'command', mounts, limits });
    const argv = ['sh', '-c', 'cat /given/given.txt; echo x > /given/given.txt; echo y > /given/y'];
    const result = await sandbox.run(aJob('', { job: { program: { kind: 'command', argv } } }), {});
    expect(text(result.stdout)).toBe('given');
    expect(text(result.stderr)).toContain('Read-only file system');
    expect(readdirSync(folder)).toEqual(['given.txt']);
  });

  it('says what is missing: an image, a language in it, an engine', async () => {
    const noImage = docker().aDockerDriver({ images: { python: 'nobody/has:this' } });
    await expect(noImage.findToolchain('python')).rejects.toThrow('docker pull nobody/has:this');
    const noGo = docker().aDockerDriver();
    await expect(noGo.findToolchain('go')).rejects.toThrow('sandbox.docker.images.go');
    const report = await createDockerDriver({
      env: {},
      socket: '/nowhere.sock',
      image: 'x',
    }).probe();
    expect(report).toMatchObject({ state: 'unavailable', protections: [] });
    expect(report.message).toContain('/nowhere.sock');
  });

  it('says why a container does not start, and leaves none', async () => {
    const driver = docker().aDockerDriver({ runtime: 'no-such-runtime' });
    const shape = {
      toolchain: await docker().aDockerDriver().findToolchain('python'),
      boot: 'python',
      mounts: [],
      limits,
    } as const;
    await expect(driver.prepare(shape)).rejects.toThrow('no-such-runtime');
    const broken = { ...shape, toolchain: { ...shape.toolchain, program: '/bin/false' } };
    await expect(docker().aDockerDriver().prepare(broken)).rejects.toMatchObject({
      code: 'sandbox.not_started',
    });
    const stop = new AbortController();
    const stopped = docker().aDockerDriver().prepare(shape, stop.signal);
    stop.abort(new Error('changed my mind'));
    await expect(stopped).rejects.toThrow('changed my mind');
    expect((await docker().sandboxNamespaces()).size).toBe(0);
  });

  it('holds every protection, and the policy allows it', async () => {
    const report = await docker().aDockerDriver().probe();
    const lacking = report.protections.filter(({ holder }) => holder === 'none');
    expect(lacking).toEqual([]);
    expect(judge(report, 'strict')).toEqual({ kind: 'allowed' });
  });

  it('is remembered by its engine, its image and its options', async () => {
    const fingerprint = await docker().aDockerDriver().fingerprint?.();
    expect(fingerprint).toContain('sha256:');
    expect(await docker().aDockerDriver().fingerprint?.()).toBe(fingerprint);
    const weaker = docker().aDockerDriver({ without: ['network'] });
    expect(await weaker.fingerprint?.()).not.toBe(fingerprint);
    const noImage = docker().aDockerDriver({ image: 'nobody/has:this' });
    await expect(noImage.fingerprint?.()).rejects.toThrow('docker pull nobody/has:this');
  });

  it('takes its containers along when its process is killed', async () => {
    const kill = await aDoomedDriver({});
    expect((await docker().sandboxNamespaces()).size).toBe(2);
    kill();
    const isEmpty = async (): Promise<boolean> => (await docker().sandboxNamespaces()).size === 0;
    await vi.waitUntil(isEmpty, { timeout: 10_000, interval: 50 });
  });

  it('sweeps what a dead owner left, and nothing of a living one', async () => {
    const driver = docker().aDockerDriver();
    const own = await prepare(driver);
    onTestFinished(() => own.dispose());
    const kill = await aDoomedDriver({ without: ['dies-with-us'] });
    expect((await docker().sandboxNamespaces()).size).toBe(3);
    kill();
    await vi.waitUntil(async () => (await driver.sweep()) > 0, { timeout: 10_000, interval: 50 });
    const isAlone = async (): Promise<boolean> => (await docker().sandboxNamespaces()).size === 1;
    await vi.waitUntil(isAlone, { timeout: 10_000, interval: 50 });
    expect(own.isUsable()).toBe(true);
  });
});

/** Another process with a sandbox that runs a stubborn program and one that waits; resolves with its killer. */
async function aDoomedDriver(changed: Partial<DockerOptions>): Promise<() => void> {
  const { socket, image } = docker();
  const module = new URL('../src/sandbox/docker/index.ts', import.meta.url).href;
  const program = `
import { createDockerDriver } from ${JSON.stringify(module)};
const driver = createDockerDriver(${JSON.stringify({ env: {}, socket, image, ...changed })});
const toolchain = await driver.findToolchain('shell');
const limits = ${JSON.stringify(limits)};
const shape = { toolchain, boot: 'command', mounts: [], limits };
const [running] = await Promise.all([driver.prepare(shape), driver.prepare(shape)]);
const argv = ['sh', '-c', 'trap "" TERM HUP; sleep 60 & echo up; sleep 60'];
const program = { kind: 'command', argv };
const job = { program, files: {}, env: {}, stdin: '', limits, collect: null };
await running.run(job, { onOutput: () => console.log('up') });`;
  const doomed = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void doomed.kill('SIGKILL');
  onTestFinished(kill);
  await once(doomed.stdout, 'data');
  return kill;
}
