import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { silentLog, sweepLeftovers } from '../../../src/kernel/index.ts';
import { openBubblewrap } from './drivers.ts';
import {
  cgroupsOf,
  holdNamespaces,
  membersOfCgroups,
  mountsNow,
  sandboxNamespacesOf,
} from './sandbox-traces.ts';
import { marksIn, survivorsOf } from '../survivors.ts';

const program = fileURLToPath(new URL('doomed-supervisor.ts', import.meta.url));

/** The promise: this long after the death of the supervisor nothing of its sandboxes runs. */
const survivalMs = 2_000;

export interface Crash {
  readonly sandboxes: number;
  readonly mode: 'running' | 'warm';
  /** Kills while sandboxes are still being started, this long after the first. */
  readonly killAfterMs?: number;
}

/**
 * Kills a supervisor of sandboxes by SIGKILL and looks for what is left, before and after the next start.
 * Gives the number of sandboxes there were.
 */
export async function crashSupervisor({ sandboxes, mode, killAfterMs }: Crash): Promise<number> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'sandbox-crash-'));
  onTestFinished(() => rmSync(runDirectory, { recursive: true, force: true }));
  const mounts = mountsNow();
  const folders = temporaryFolders();
  const supervisor = spawn(process.execPath, [program, runDirectory, String(sandboxes), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void supervisor.kill('SIGKILL'));
  const owner = supervisor.pid ?? 0;
  await untilSaid(supervisor, killAfterMs === undefined ? 'started' : 'starting');
  await sleep(killAfterMs ?? 0);

  const namespaces = sandboxNamespacesOf(owner);
  const view = holdNamespaces(namespaces);
  onTestFinished(() => view.letGo());
  if (killAfterMs === undefined) {
    expect(namespaces.size).toBe(sandboxes);
    expect(view.processes().length).toBeGreaterThanOrEqual(
      mode === 'running' ? 3 * sandboxes : sandboxes,
    );
  }
  const exited = once(supervisor, 'exit');
  supervisor.kill('SIGKILL');
  await exited;
  await sleep(survivalMs);
  expect(view.processes()).toEqual([]);
  expect(membersOfCgroups(owner)).toEqual([]);
  expect(marksIn(runDirectory).flatMap(survivorsOf)).toEqual([]);

  // What the next start does.
  await sweepLeftovers(runDirectory, silentLog);
  const next = openBubblewrap(runDirectory);
  await next.driver.sweep();
  expect(cgroupsOf(owner)).toEqual([]);
  expect(mountsNow()).toEqual(mounts);
  expect(temporaryFolders().filter((name) => !folders.includes(name))).toEqual([]);
  await next.close();
  expect(readdirSync(runDirectory)).toEqual([]);
  return namespaces.size;
}

async function untilSaid(supervisor: ChildProcess, word: string): Promise<void> {
  if (!supervisor.stdout) throw new Error('the supervisor has no output');
  for await (const line of createInterface({ input: supervisor.stdout })) if (line === word) return;
  throw new Error('the supervisor ended before it had started its sandboxes');
}

/** Of ours alone: other programs make folders there all the time. */
function temporaryFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('tutti-sandbox'));
}
