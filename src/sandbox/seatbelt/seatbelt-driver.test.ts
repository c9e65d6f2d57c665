import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunWatch, SandboxLimits } from '../../contract/sandbox/index.ts';
import { createProcessOwner, silentLog, type ProcessOwner } from '../../kernel/index.ts';
import type { SandboxJob, Toolchain } from '../driver.ts';
import { defaultLimits } from '../limits.ts';
import { createSeatbeltDriver } from './seatbelt-driver.ts';

/**
 * Everything but the confinement itself, which only macOS has: a stand-in takes the place of
 * sandbox-exec and just becomes the program it is given. Only harmless programs are run here.
 */
let folder: string;
let owner: ProcessOwner;
let standIn: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seatbelt-'));
  owner = createProcessOwner({ runDirectory: join(folder, 'run'), log: silentLog });
  standIn = join(folder, 'sandbox-exec');
  writeFileSync(standIn, '#!/bin/sh\n[ "$1" = -p ] || exit 64\nshift 2\nexec "$@"\n');
  chmodSync(standIn, 0o755);
});
afterAll(async () => {
  await owner.close();
  rmSync(folder, { recursive: true, force: true });
});

const node: Toolchain = {
  name: 'node',
  version: process.version,
  program: process.execPath,
  mounts: [],
  searchPath: [],
  env: {},
};

const aDriver = (platform: NodeJS.Platform = 'darwin') =>
  createSeatbeltDriver({
    owner,
    platform,
    program: standIn,
    folder: join(folder, 'work'),
    findToolchain: async () => node,
    runCanaries: async () => [],
  });

async function run(code: string, limits: Partial<SandboxLimits> = {}, watch: RunWatch = {}) {
  const settled = { ...defaultLimits, ...limits };
  const shape = { toolchain: node, boot: 'node', mounts: [], limits: settled } as const;
  const sandbox = await aDriver().prepare(shape);
  const job: SandboxJob = {
    program: { kind: 'node', main: 'main.cjs', args: [] },
    files: { 'main.cjs': code },
    env: { COLOUR: 'blue' },
    stdin: 'typed',
    limits: settled,
    collect: { paths: [], maxFiles: 10, maxBytes: 1000 },
  };
  return sandbox.run(job, watch);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('a program under seatbelt', () => {
  it('runs with its own files, environment and input, and its folder is gone afterwards', async () => {
    const code = `
      const fs = require('node:fs');
      fs.writeFileSync('made.txt', fs.readFileSync(0, 'utf8'));
      fs.symlinkSync('/etc/passwd', 'link');
      console.log(process.env.COLOUR, Object.keys(process.env).sort().join());
      process.exitCode = 7;`;
    const result = await run(code);
    expect(result).toMatchObject({ status: 'exited', exitCode: 7, driver: 'seatbelt' });
    expect(text(result.stdout)).toBe('blue COLOUR,HOME,LANG,PATH,TMPDIR\n');
    expect(result.files.map(({ path, bytes }) => [path, text(bytes)])).toEqual(
      expect.arrayContaining([['made.txt', 'typed']]),
    );
    expect(result.files.map(({ path }) => path)).not.toContain('link');
    expect(readdirSync(join(folder, 'work'))).toEqual([]);
  });

  it('of any kind gets all of its input, files of every size and its own words', async () => {
    const limits = defaultLimits;
    const shape = { toolchain: node, boot: 'command', mounts: [], limits } as const;
    const sandbox = await aDriver().prepare(shape);
    const big = 'x'.repeat(300_000);
    const script = '#!/bin/sh\nwc -c <big/file.txt; cat; echo "$COLOUR $1"';
    const result = await sandbox.run(
      {
        program: { kind: 'command', argv: ['./say', "it's"] },
        files: { 'big/file.txt': big, say: script },
        env: { COLOUR: 'blue' },
        stdin: 'typed\n'.repeat(20_000),
        limits,
        collect: null,
      },
      {},
    );
    expect(result).toMatchObject({ status: 'exited', exitCode: 0 });
    const said = `300000\n${'typed\n'.repeat(20_000)}blue it's\n`;
    expect(text(result.stdout).trimStart()).toBe(said);
  });

  it.each([
    ['timeout', 'setInterval(() => {}, 1000)', { wallMs: 300 }],
    ['output', "for (;;) console.log('x'.repeat(1000))", { outputBytes: 5000 }],
    [
      'disk',
      "require('node:fs').writeFileSync('f', Buffer.alloc(3e6)); setInterval(() => {}, 1000)",
      { diskBytes: 1_000_000 },
    ],
    [
      'memory',
      'globalThis.kept = Buffer.alloc(3e8, 1); setInterval(() => {}, 1000)',
      { memoryBytes: 150_000_000 },
    ],
    [
      'pids',
      "for (let i = 0; i < 12; i++) require('node:child_process').spawn('sleep', ['20']); setInterval(() => {}, 1000)",
      { pids: 8 },
    ],
  ])('that goes beyond its %s is ended for it', async (reason, code, limits) => {
    expect(await run(code, limits)).toMatchObject({ status: 'killed', reason });
  });

  it('ends when it is cancelled', async () => {
    const cancel = new AbortController();
    const onOutput = (): void => cancel.abort();
    const code = "console.log('up'); setInterval(() => {}, 1000)";
    const result = await run(code, {}, { signal: cancel.signal, onOutput });
    expect(result).toMatchObject({ status: 'killed', reason: 'cancelled' });
  });
});

describe('the driver', () => {
  it('is unavailable elsewhere, and unproven where it could work', async () => {
    expect(await aDriver('linux').probe()).toMatchObject({ state: 'unavailable' });
    expect(await aDriver('darwin').probe()).toMatchObject({ state: 'unproven' });
  });

  it('shows folders at their own place only', async () => {
    const mounts = [{ source: '/srv', target: '/work/srv' }];
    const shape = { toolchain: node, boot: 'node', mounts, limits: defaultLimits } as const;
    await expect(aDriver().prepare(shape)).rejects.toMatchObject({ code: 'sandbox.invalid_run' });
  });

  it('says why a sandbox did not start', async () => {
    const broken = { ...node, program: '/nonexistent/node' };
    const shape = { toolchain: broken, boot: 'node', mounts: [], limits: defaultLimits } as const;
    await expect(aDriver().prepare(shape)).rejects.toMatchObject({
      code: 'sandbox.not_started',
      message: expect.stringContaining('/nonexistent/node'),
    });
  });

  it('sweeps the folders of owners that are gone, and no others', async () => {
    mkdirSync(join(folder, 'work', '4194305-gone'), { recursive: true });
    mkdirSync(join(folder, 'work', `${process.ppid}-living`));
    expect(await aDriver().sweep()).toBe(1);
    expect(readdirSync(join(folder, 'work'))).toEqual([`${process.ppid}-living`]);
    rmSync(join(folder, 'work', `${process.ppid}-living`), { recursive: true });
  });
});
