import { spawn } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { silentLog } from '../log.ts';
import { listProcesses, startOfProcess } from './list-processes.ts';
import { machineName, writeRecord, type OwnerRecord } from './owner-record.ts';
import { sweepLeftovers } from './sweep-leftovers.ts';

/** No process has this pid: the kernel's largest is smaller. */
const nobody = 2 ** 30;
const ourStart = (await startOfProcess(process.pid)) ?? '';
const eightDaysS = 8 * 24 * 3_600;

/** A program as an owner leaves it behind, with or without a mark. */
async function aLeftover(mark?: string): Promise<{ pid: number; startedAt: string }> {
  const child = spawn('sleep', ['1000'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', ...(mark === undefined ? {} : { TUTTI_OWNER: mark }) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  return { pid, startedAt: (await startOfProcess(pid)) ?? '' };
}

function aRecord(changes: Partial<OwnerRecord> = {}): OwnerRecord {
  const mark = `${Math.random().toString(16).slice(2)}-test.`;
  return { machine: machineName(), pid: nobody, startedAt: '1', mark, groups: [], ...changes };
}

async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((row) => row.pid === pid);
}

// Survivors are looked for in /proc.
describe.skipIf(process.platform !== 'linux')('sweeping at start', () => {
  it('kills what carries the mark of a dead owner, and removes its record', async () => {
    const directory = aDirectory();
    const record = aRecord();
    const { pid } = await aLeftover(`${record.mark}1;`);
    writeRecord(directory, 'one', record);
    const lines: LoggedLine[] = [];
    expect(await sweepLeftovers(directory, recordedLog(lines))).toBe(1);
    expect(await isRunning(pid)).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
    expect(lines).toMatchObject([{ level: 'info', fields: { processes: 1 } }]);
  });

  it('kills the groups of a dead owner without a mark, if their leaders are still the same', async () => {
    const directory = aDirectory();
    const left = await aLeftover();
    const stranger = await aLeftover();
    const groups = [
      { group: left.pid, startedAt: left.startedAt },
      { group: stranger.pid, startedAt: 'earlier' },
    ];
    writeRecord(directory, 'one', aRecord({ groups }));
    expect(await sweepLeftovers(directory, silentLog)).toBe(1);
    expect([await isRunning(left.pid), await isRunning(stranger.pid)]).toEqual([false, true]);
  });

  it('takes an owner for dead whose pid somebody else has', async () => {
    const directory = aDirectory();
    const record = aRecord({ pid: process.pid, startedAt: 'earlier' });
    const { pid } = await aLeftover(record.mark);
    writeRecord(directory, 'one', record);
    expect(await sweepLeftovers(directory, silentLog)).toBe(1);
    expect(await isRunning(pid)).toBe(false);
  });

  it.each([
    ['that lives', { pid: process.pid, startedAt: ourStart }],
    ['whose start is not known and whose pid is in use', { pid: process.pid, startedAt: '' }],
    ['of another machine or container', { machine: 'elsewhere' }],
  ])('spares the programs of an owner %s', async (_case, changes) => {
    const directory = aDirectory();
    const record = aRecord(changes);
    const { pid } = await aLeftover(record.mark);
    writeRecord(directory, 'one', record);
    expect(await sweepLeftovers(directory, silentLog)).toBe(0);
    expect(await isRunning(pid)).toBe(true);
    expect(readdirSync(directory)).toEqual(['one.json']);
  });

  it('drops what nobody can use: old records of elsewhere, half-written and unreadable ones', async () => {
    const directory = aDirectory();
    writeRecord(directory, 'elsewhere', aRecord({ machine: 'elsewhere' }));
    writeFileSync(join(directory, 'old.tmp'), '');
    writeFileSync(join(directory, 'young.tmp'), '');
    const longAgo = Date.now() / 1000 - eightDaysS;
    for (const name of ['elsewhere.json', 'old.tmp'])
      utimesSync(join(directory, name), longAgo, longAgo);
    const unreadable = [
      '',
      'null',
      '[]',
      '{"pid": 5}',
      JSON.stringify({ ...aRecord(), groups: [{ group: 1, startedAt: '' }] }),
      JSON.stringify({ ...aRecord(), groups: [{ group: -1, startedAt: '' }] }),
      JSON.stringify({ ...aRecord(), mark: '=' }),
    ];
    unreadable.forEach((text, index) => writeFileSync(join(directory, `${index}.json`), text));
    const lines: LoggedLine[] = [];
    expect(await sweepLeftovers(directory, recordedLog(lines))).toBe(0);
    expect(readdirSync(directory)).toEqual(['young.tmp']);
    expect(lines.map((line) => line.level)).toEqual(unreadable.map(() => 'warn'));
  });

  it('does nothing where there never was an owner', async () => {
    const directory = join(aDirectory(), 'run');
    expect(await sweepLeftovers(directory, silentLog)).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });
});
