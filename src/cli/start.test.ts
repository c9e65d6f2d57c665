import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const start = new URL('./start.ts', import.meta.url).pathname;

/** The program in a process of its own, whose standard output nobody reads. */
function startUnread(argv: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-start-'));
  const child = spawn(process.execPath, [start, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, TUTTI_HOME: join(folder, 'data') },
  });
  onTestFinished(async () => {
    await ended(child, () => child.kill('SIGKILL'));
    rmSync(folder, { recursive: true, force: true });
  });
  return child;
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}

/** More answers than a pipe holds. */
const manyLists = Array.from(
  { length: 50 },
  (_, id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`,
).join('');

it('ends when it is told to, even if nobody reads its output', async () => {
  const child = startUnread(['mcp']);
  child.stdin.write(manyLists);
  // It answers now; nothing is read after this.
  await once(child.stdout, 'readable');
  await ended(child, () => child.kill('SIGTERM'));
  expect([child.exitCode, child.signalCode]).toEqual([0, null]);
}, 30_000);
