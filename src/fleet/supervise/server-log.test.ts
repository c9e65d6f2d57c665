import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readLogFile, ServerLog } from './server-log.ts';

function aPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-server-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'deep', 'git.log');
}

it('keeps the latest lines in memory and all of them in a file others can read', async () => {
  const path = aPath();
  const log = new ServerLog(path, { maxLines: 2 });
  for (const line of ['one', 'two', 'three']) log.add(line);
  expect(await log.tail(10)).toEqual(['two', 'three']);
  await log.flush();
  expect(await readLogFile(path, 10)).toEqual(['one', 'two', 'three']);
  expect(await new ServerLog(path).tail(1)).toEqual(['three']);
});

it('puts a full file aside, so that the two together stay bounded', async () => {
  const path = aPath();
  const log = new ServerLog(path, { maxFileBytes: 50 });
  for (let round = 0; round < 20; round += 1) {
    log.add(`line ${round} with some text`);
    await log.flush();
  }
  expect(readFileSync(path).length).toBeLessThan(100);
  expect(readFileSync(`${path}.1`).length).toBeLessThan(100);
  expect((await readLogFile(path, 1))[0]).toBe('line 19 with some text');
});

it('continues in a new file when the full one was removed', async () => {
  const path = aPath();
  const log = new ServerLog(path, { maxFileBytes: 10 });
  log.add('a line that fills the file');
  await log.flush();
  rmSync(path);
  for (const line of ['lost or not', 'here']) {
    log.add(line);
    await log.flush();
  }
  expect((await readLogFile(path, 1))[0]).toBe('here');
});

it('says how many lines it dropped when they come faster than the disk takes them', async () => {
  const path = aPath();
  const log = new ServerLog(path, { maxWaitingLength: 20 });
  for (let round = 0; round < 10; round += 1) log.add('ten bytes!');
  await log.flush();
  expect(readFileSync(path, 'utf8')).toMatch(/\(\d lines were not written\)/);
});

it('loses lines and nothing else when the file cannot be written', async () => {
  const path = aPath();
  writeFileSync(join(path, '..', '..', 'deep'), 'a file in place of the folder');
  const log = new ServerLog(path);
  log.add('one');
  await log.flush();
  expect(await log.tail(1)).toEqual(['one']);
});

it('reads the end of a long file, from a line’s beginning', async () => {
  const path = join(aPath(), '..', '..', 'long.log');
  writeFileSync(path, Array.from({ length: 60_000 }, (_, at) => `line ${at}`).join('\n'));
  const lines = await readLogFile(path, 100_000);
  expect(lines.length).toBeLessThan(60_000);
  expect(lines[0]).toMatch(/^line \d+$/);
  expect(lines.at(-1)).toBe('line 59999');
});
