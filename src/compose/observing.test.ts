import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryTraceStore } from '../../testkit/observe/memory-trace-store.ts';
import { startObserving, type Observing } from './observing.ts';
import { loadSettingsHere } from './settings.ts';

interface Observed extends Observing {
  readonly folder: string;
  /** What standard error got. */
  readonly lines: readonly string[];
}

async function observed(logTo: 'file' | 'stderr', file = 'tutti.log'): Promise<Observed> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-observing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'taken'), '');
  const flags = { home: folder, 'logging.file': join(folder, file) };
  const { values: settings } = await loadSettingsHere({ flags, env: {}, cwd: folder });
  const lines: string[] = [];
  const stderr = { write: (text: string) => lines.push(text) };
  const traces = new MemoryTraceStore();
  const started = startObserving({ settings, version: '0', logTo, traces, stderr });
  return { ...started, folder, lines };
}

it('logs to the file alone, warnings and errors too', async () => {
  const { log, folder, lines } = await observed('file');
  log.info('started');
  log.child({ part: 'x' }).error('failed');
  log.close();
  expect(readFileSync(join(folder, 'tutti.log'), 'utf8').trim().split('\n')).toHaveLength(2);
  expect(lines).toEqual([]);
});

it('logs the same lines to the file and to standard error when that is asked for', async () => {
  const { log, folder, lines } = await observed('stderr');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`at ${level}`);
  log.child({ part: 'x' }).child({ piece: 'y' }).warn('inside', { z: 1 });
  log.close();
  const messages = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => ({ ...(JSON.parse(line) as object), time: '' }));
  expect(messages(lines.join(''))).toMatchObject([
    { msg: 'at info' },
    { msg: 'at warn' },
    { msg: 'at error' },
    { msg: 'inside', part: 'x', piece: 'y', z: 1 },
  ]);
  expect(messages(readFileSync(join(folder, 'tutti.log'), 'utf8'))).toEqual(
    messages(lines.join('')),
  );
});

it.each(['file', 'stderr'] as const)(
  'tells standard error once what the file does not take, logging to %s',
  async (logTo) => {
    const { log, lines } = await observed(logTo, 'taken/tutti.log');
    log.warn('homeless');
    log.close();
    expect(lines.filter((line) => line.includes('homeless'))).toHaveLength(1);
  },
);
