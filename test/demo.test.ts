import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bubblewrapMissing } from '../testkit/sandbox/this-machine.ts';

const demo = join(import.meta.dirname, '../examples/demo.ts');
const limitMs = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
const home = join(folder, 'home');
const temporary = join(folder, 'tmp');
for (const path of [home, temporary]) mkdirSync(path);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the demo without a terminal, for a user with an empty home directory and an environment that must not matter. */
function runDemo(temporaryFolder: string): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [demo], {
    cwd: home,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      TMPDIR: temporaryFolder,
      TUTTI_HOME: join(home, 'own'),
      OPENAI_API_KEY: 'a key that the demo must not use',
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
}

describe('make demo', { timeout: limitMs }, () => {
  it('plays every scene and leaves nothing behind', () => {
    const { status, stdout, stderr } = runDemo(temporary);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^memory +ready +stdio/m);
    expectResumedWithoutRepeating(stdout);
    expect(stdout).toContain('waits for approval');
    if (bubblewrapMissing) expect(stdout).toContain('5 and 6 are skipped');
    else {
      expect(stdout).toContain('4 passed, 0 failed');
      expect(stdout).toContain('killed: pids');
      expect(stdout).toContain('small changes of the code');
      expect(stdout).toContain('Self-tested, NOT verified (code_endpoint, 3 attempts)');
    }
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('ends with one sentence when something fails', () => {
    const { status, stderr } = runDemo(join(folder, 'missing'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^make demo: .+\n$/);
  });
});

function expectResumedWithoutRepeating(stdout: string): void {
  const [beforeKill = '', afterKill = ''] = stdout.split('\nKilled\n');
  const done = [...beforeKill.matchAll(/^(\w+): succeeded/gm)].map((match) => match[1]);
  expect(done).not.toEqual([]);
  const resumed = afterKill.slice(0, afterKill.indexOf('━━'));
  for (const step of done) expect(resumed).not.toMatch(new RegExp(`^${step}: running`, 'm'));
  expect(resumed).toContain('succeeded after');
}
