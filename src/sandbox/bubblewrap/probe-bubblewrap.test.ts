import { execFile } from 'node:child_process';
import { chownSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { protections } from '../../contract/sandbox/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../../../testkit/sandbox/this-machine.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { reachableByOthers } from '../toolchains/find-toolchain.ts';
import { findProgram } from './host-facts.ts';
import { examineMachine } from './launch.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';
import { aDriver } from '../../../testkit/sandbox/bubblewrap/a-driver.ts';

const anybody = 23_456;

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`probing bubblewrap${whyNoBubblewrap}`, () => {
  it('says for each protection who holds it', async () => {
    const report = await aDriver().probe();
    expect(report.state).toBe('ready');
    expect(report.message).toMatch(/^bubblewrap \d+\.\d+\.\d+, (cgroup-v\d|watchdog)$/);
    expect(report.protections.map(({ protection }) => protection)).toEqual([...protections]);
    const isolation = report.protections.slice(0, protections.indexOf('dies-with-us'));
    expect(isolation.filter(({ holder }) => holder !== 'kernel')).toEqual([]);
  });

  it('reports that nothing can be started, with the reason, and never throws', async () => {
    const prepare = (): never => {
      throw new SandboxNotStartedError('bubblewrap', 'no room');
    };
    const driver = { findToolchain: aDriver().findToolchain.bind(aDriver()), prepare };
    const parts = { driver, without: new Set<never>(), examine: () => examineMachine() };
    expect(await probeBubblewrap(parts, undefined)).toMatchObject({
      state: 'unavailable',
      message: expect.stringContaining('no room'),
      protections: [],
    });
  });
});

const childProgram = fileURLToPath(
  new URL('../../../testkit/sandbox/bubblewrap/run-in-child.ts', import.meta.url),
);

/** Runs a script in a sandbox of another process, which `starter` starts, and gives what it saw. */
async function runInChild(starter: readonly string[], script: string): Promise<unknown> {
  const directory = aDirectory();
  if (process.getuid?.() === 0) chownSync(directory, anybody, anybody);
  const [command, ...args] = [...starter, process.execPath, childProgram, directory, script];
  const { stdout } = await promisify(execFile)(command, args, {
    env: { PATH: process.env['PATH'], HOME: directory, TMPDIR: directory },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

const setpriv = findProgram('setpriv');
const hidden = [process.execPath, childProgram].find((path) => !reachableByOthers(path));

/** Why nothing can be run as another user; empty where it can. */
function whyOnlyWe(): string {
  if (bubblewrapMissing) return whyNoBubblewrap;
  if (process.getuid?.() !== 0) return ' (skipped: only root can become another user)';
  if (setpriv === undefined) return ' (skipped: setpriv is not installed)';
  return hidden === undefined ? '' : ` (skipped: other users cannot read ${hidden})`;
}

const anybodysIds = ['--reuid', String(anybody), '--regid', String(anybody), '--clear-groups'];
const asAnybody = [setpriv ?? '', ...anybodysIds, '--'];

// Needs root, setpriv, and a checkout that others can read.
describe.skipIf(whyOnlyWe() !== '')(`a user without rights${whyOnlyWe()}`, () => {
  it('has the same sandbox', async () => {
    const seen = await runInChild(asAnybody, 'id -u; cat given; echo made >made');
    expect(seen).toMatchObject({
      uid: anybody,
      stdout: '1000\ngiven\n',
      files: ['given', 'made'],
      state: 'ready',
      notHeld: [],
    });
  }, 60_000);

  it('is held to a rate by us, which suffices for the standard policy', async () => {
    expect(await runInChild(asAnybody, 'true')).toMatchObject({
      cpuRate: 'supervisor',
      judgement: { kind: 'allowed' },
    });
  }, 60_000);

  it('is not stopped by folders that a program has closed', async () => {
    const script = 'mkdir a b; echo x >a/x; echo y >b/y; chmod 400 a; chmod 000 b; echo done';
    expect(await runInChild(asAnybody, script)).toMatchObject({
      stdout: 'done\n',
      files: ['given'],
    });
    const all = await runInChild(asAnybody, 'chmod 000 .; echo done');
    expect(all).toMatchObject({ stdout: 'done\n', files: [] });
  }, 60_000);
});

const bash = findProgram('bash');

// A bash must be there to close what was left open.
describe.skipIf(bubblewrapMissing || bash === undefined)(
  `files that who started us left open${whyNoBubblewrap}`,
  () => {
    it('are closed inside', async () => {
      const starter = [bash ?? '', '--norc', '-c', 'exec 7</etc/passwd 42</etc; exec "$@"', 'bash'];
      const seen = await runInChild(starter, 'ls /proc/self/fd | tr "\\n" " "');
      // The fourth is that of the listing.
      expect(seen).toMatchObject({ stdout: '0 1 2 3 ', state: 'ready' });
    }, 60_000);
  },
);
