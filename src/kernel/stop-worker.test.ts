import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { stopWorker } from './stop-worker.ts';

async function aWorker(code: string): Promise<Worker> {
  const said = `const { parentPort } = require('node:worker_threads'); parentPort.postMessage('up');`;
  const worker = new Worker(`${said} ${code}`, { eval: true });
  await once(worker, 'message');
  return worker;
}

it('waits for the end of a thread that computes', async () => {
  const worker = await aWorker('for (;;);');
  const exited = once(worker, 'exit');
  await stopWorker(worker);
  expect(await exited).toEqual([1]);
});

// What it hangs in is made by mkfifo.
it.skipIf(process.platform === 'win32')(
  'does not wait for ever for a thread that hangs in a call of the system',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stop-worker-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const shell = ['-c', 'echo >hangs; read line <pipe'];
    const options = JSON.stringify({ cwd: folder });
    const worker = await aWorker(
      `require('node:child_process').spawnSync('/bin/sh', ${JSON.stringify(shell)}, ${options});`,
    );
    await vi.waitUntil(() => existsSync(join(folder, 'hangs')), { timeout: 20_000 });
    let hasExited = false;
    const exited = once(worker, 'exit').then(() => (hasExited = true));
    await stopWorker(worker, 50);
    expect(hasExited).toBe(false);
    writeFileSync(pipe, '');
    await exited;
  },
);
