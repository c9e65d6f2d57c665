import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PreparedSandbox } from '../src/sandbox/driver.ts';
import { defaultLimits } from '../src/sandbox/limits.ts';
import { isProof } from '../testkit/sample.ts';
import { openBubblewrap, openDocker, type OpenedDriver } from './support/sandbox/drivers.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

const setting = '/proc/sys/kernel/core_pattern';
const isRoot = process.getuid?.() === 0;
const why = !isProof
  ? ' (skipped: changes a setting of the whole machine, which only make proof does)'
  : isRoot
    ? ''
    : ' (skipped: only root can change where cores go)';
const limitMs = 120_000;
/** What the kernel and a handler need to pass a core on. */
const handedOverMs = 1_500;
const memoryBytes = 32 * 1024 * 1024;
/** Registers, names of files and the page that every process shares with the kernel. */
const maxCoreBytes = 128 * 1024;

/** Says where cores go until the end of the test, or of this process, however that comes, for a minute at most. */
async function sendCoresTo(pattern: string, skip: (reason: string) => never): Promise<void> {
  const before = readFileSync(setting, 'utf8').trim();
  const restore = spawn('/bin/sh', ['-c', `timeout 60 cat; printf %s "$0" >${setting}`, before], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  onTestFinished(async () => {
    const restored = once(restore, 'exit');
    restore.stdin.end();
    await restored;
    expect(readFileSync(setting, 'utf8').trim()).toBe(before);
  });
  try {
    writeFileSync(setting, pattern);
  } catch (error) {
    skip(`cores cannot be sent to ${pattern}: ${String(error)}`);
  }
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cores-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Dies with a core outside of any sandbox, under the limit that usually forbids cores. */
async function crashOutside(): Promise<void> {
  // Not waited for in a way that keeps this process from reading the core.
  await once(spawn('/bin/sh', ['-c', 'ulimit -c 0; kill -ABRT $$']), 'exit');
  await sleep(handedOverMs);
}

const crashes = [
  'os.kill(os.getpid(), signal.SIGABRT)',
  'ctypes.string_at(0)',
  'os.kill(os.getpid(), signal.SIGQUIT)',
  'os.fork() or os.abort(); os.wait()',
  `os.fork() or os.execv('/bin/sh', ['sh', '-c', 'kill -SEGV $$']); os.wait()`,
];

async function prepare({ driver }: OpenedDriver): Promise<PreparedSandbox> {
  const toolchain = await driver.findToolchain('python');
  return await driver.prepare({ toolchain, boot: 'python', mounts: [], limits: defaultLimits });
}

async function crashInside(opened: OpenedDriver): Promise<void> {
  for (const crash of crashes) {
    const code = `import ctypes, os, signal\nkept = b'x' * ${memoryBytes}\n${crash}`;
    const sandbox = await prepare(opened);
    await sandbox.run(
      {
        program: { kind: 'python', main: 'main.py', args: [] },
        files: { 'main.py': code },
        env: {},
        stdin: '',
        limits: defaultLimits,
        collect: null,
      },
      {},
    );
  }
  await sleep(handedOverMs);
}

const drivers = {
  bubblewrap: async () => (bubblewrapMissing ? whyNoBubblewrap : openBubblewrap()),
  docker: openDocker,
};

// Needs root, and a kernel that is the machine's own.
describe.skipIf(why !== '')(`the core of a program${why}`, { timeout: limitMs }, () => {
  for (const [name, open] of Object.entries(drivers)) {
    it(`in ${name} is handed to no program of the host`, async ({ skip }) => {
      const opened = await open();
      if (typeof opened === 'string') return skip(opened);
      onTestFinished(() => opened.close());
      const folder = aFolder();
      const [handler, seen] = [join(folder, 'handler'), join(folder, 'seen')];
      writeFileSync(handler, `#!/bin/sh\ncat >/dev/null\necho "$@" >>${seen}\n`);
      chmodSync(handler, 0o755);
      const handed = (): string => (existsSync(seen) ? readFileSync(seen, 'utf8') : '');
      // Where cores go may change while Tutti runs.
      await (await prepare(opened)).dispose();
      await sendCoresTo(`|${handler} %e`, skip);
      await crashOutside();
      if (handed() === '') return skip('the kernel runs no program of ours for cores');
      const before = handed();
      await crashInside(opened);
      expect(handed()).toBe(before);
    });
  }

  it('in bubblewrap takes none of its memory to a socket of the host', async ({ skip }) => {
    if (bubblewrapMissing) return skip(whyNoBubblewrap);
    const opened = openBubblewrap();
    onTestFinished(() => opened.close());
    const socket = join(aFolder(), 'socket');
    const sizes: number[] = [];
    const server = createServer((connection) => {
      let size = 0;
      connection.on('data', (bytes) => (size += bytes.length));
      connection.on('close', () => sizes.push(size));
    });
    server.listen(socket);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await sendCoresTo(`@${socket}`, skip);
    await crashOutside();
    if (sizes.length === 0) return skip('the kernel sends no cores to sockets of ours');
    sizes.length = 0;
    await crashInside(opened);
    expect(Math.max(0, ...sizes)).toBeLessThan(maxCoreBytes);
  });
});
