import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { createLog, logLimits } from './create-log.ts';
import { followLog, type LogLine, type LogQuery, readLog } from './read-log.ts';

const signal = new AbortController().signal;

async function messages(file: string, query: LogQuery = {}, limit = 100): Promise<string[]> {
  const { lines } = await readLog(file, { query, limit, signal });
  return lines.map(({ msg }) => msg);
}

function logInto(file: string, options: { maxBytes?: number; now?: () => number } = {}) {
  return createLog({ level: 'debug', file, backupCount: 50, ...options });
}

it('reads the latest lines across rotated files, oldest first', async () => {
  const file = join(aDirectory(), 'tutti.log');
  const log = logInto(file, { maxBytes: 300 });
  for (let number = 0; number < 40; number += 1) log.info(`line ${number}`);
  log.close();
  const all = Array.from({ length: 40 }, (_, number) => `line ${number}`);
  expect(await messages(file)).toEqual(all);
  expect(await messages(file, {}, 7)).toEqual(all.slice(-7));
});

it('takes only lines to which every condition applies', async () => {
  const file = join(aDirectory(), 'tutti.log');
  let now = 1_000;
  const log = logInto(file, { now: () => (now += 1_000) });
  log.debug('a', { server: 'code' });
  log.warn('b', { server: 'code', runId: 'abc1' });
  log.error('c', { server: 'codex', runId: 'abd1' });
  log.info('d', { server: 'code', traceId: 'ff00' });
  log.close();
  expect(await messages(file, { level: 'warn' })).toEqual(['b', 'c']);
  expect(await messages(file, { server: 'code' })).toEqual(['a', 'b', 'd']);
  expect(await messages(file, { run: 'ab' })).toEqual(['b', 'c']);
  expect(await messages(file, { run: 'abc', level: 'error' })).toEqual([]);
  expect(await messages(file, { trace: 'FF' })).toEqual(['d']);
  expect(await messages(file, { sinceMs: 4_000 })).toEqual(['c', 'd']);
});

it('skips and counts what is no line of the log, however long', async () => {
  const file = join(aDirectory(), 'tutti.log');
  const log = logInto(file);
  log.info('before');
  appendFileSync(file, `plain text\n[1]\n{"time":1}\n${'x'.repeat(5 * logLimits.maxLineLength)}\n`);
  log.info('after, ä\u{1f600}');
  log.close();
  const read = await readLog(file, { query: {}, limit: 10, signal });
  expect(read.lines.map(({ msg }) => msg)).toEqual(['before', 'after, ä\u{1f600}']);
  expect(read.unreadable).toBeGreaterThanOrEqual(4);
  expect(await messages(join(aDirectory(), 'none.log'))).toEqual([]);
});

it('follows from where reading ended, through rotation, truncation and torn lines', async () => {
  const file = join(aDirectory(), 'tutti.log');
  const line = (msg: string): string =>
    `${JSON.stringify({ time: '2026-01-01T00:00:00.000Z', level: 'info', msg })}\n`;
  writeFileSync(file, line('read before') + line('half').slice(0, 30));
  const { lines, end } = await readLog(file, { query: {}, limit: 10, signal });
  expect(lines).toHaveLength(1);
  const ending = new AbortController();
  const seen: string[] = [];
  const onLine = ({ msg }: LogLine): void => void seen.push(msg);
  const following = followLog(file, { query: {}, from: end, signal: ending.signal, onLine });
  const until = async (...all: string[]): Promise<void> => {
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(all);
  };
  appendFileSync(file, line('half').slice(30) + line('next'));
  await until('half', 'next');
  appendFileSync(file, line('last of the old file'));
  renameSync(file, `${file}.1`);
  writeFileSync(file, line('first of the new file'));
  await until('half', 'next', 'last of the old file', 'first of the new file');
  writeFileSync(file, line('cut'));
  await until('half', 'next', 'last of the old file', 'first of the new file', 'cut');
  ending.abort();
  await following;
});
