import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/index.ts';
import { aReport, FakeDriver } from '../../../testkit/sandbox/fake-driver.ts';
import { ProbeCache } from './probe-cache.ts';

const hourMs = 3_600_000;

function aFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = { time: 1_000_000, now: () => clock.time };
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  return { folder, clock, warnings, open: (path = folder) => new ProbeCache(path, { clock, log }) };
}

const driver = new FakeDriver({ fingerprint: 'bwrap 1' });
const report = aReport('fake');

describe('results of probes', () => {
  it('are known to the next process for a day', async () => {
    const { open, clock, folder } = aFolder();
    await open().keep(driver, report);
    expect(await open().find(driver)).toEqual(report);
    expect(readdirSync(folder)).toEqual(['sandbox-probe-fake.json']);
    clock.time += 23 * hourMs;
    expect(await open().find(driver)).toEqual(report);
    clock.time += hourMs;
    expect(await open().find(driver)).toBeUndefined();
  });

  it('are looked at again soon where something can be fixed', async () => {
    const { open, clock } = aFolder();
    const fixable = report.protections.map((row) =>
      row.protection === 'memory'
        ? { ...row, holder: 'supervisor' as const, fix: 'delegate cgroups' }
        : row,
    );
    await open().keep(driver, { ...report, protections: fixable });
    clock.time += 4 * 60_000;
    expect(await open().find(driver)).toBeDefined();
    clock.time += 60_000;
    expect(await open().find(driver)).toBeUndefined();
  });

  it('do not count for another version or other options of the driver', async () => {
    const { open } = aFolder();
    await open().keep(driver, report);
    expect(await open().find(new FakeDriver({ fingerprint: 'bwrap 2' }))).toBeUndefined();
    expect(
      await open().find(new FakeDriver({ name: 'other', fingerprint: 'bwrap 1' })),
    ).toBeUndefined();
  });

  it('are kept in memory only where a driver says not what they depend on', async () => {
    const { open, folder } = aFolder();
    const cache = open();
    await cache.keep(new FakeDriver(), report);
    expect(await cache.find(new FakeDriver())).toEqual(report);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are never kept of a driver that does not work: somebody may be installing it', async () => {
    const { open } = aFolder();
    const cache = open();
    await cache.keep(driver, aReport('fake', { state: 'unavailable' }));
    expect(await cache.find(driver)).toBeUndefined();
  });

  it('are never kept of a driver that lacks a protection: the machine may have been too busy', async () => {
    const { open } = aFolder();
    const cache = open();
    await cache.keep(driver, aReport('fake', { without: ['network'] }));
    expect(await cache.find(driver)).toBeUndefined();
  });

  it('are not known of a driver that cannot say what they depend on', async () => {
    const { open, folder } = aFolder();
    const broken = new FakeDriver({ fingerprint: 'bwrap 1' });
    Object.assign(broken, { fingerprint: () => Promise.reject(new Error('no engine')) });
    await open().keep(broken, report);
    expect(readdirSync(folder)).toEqual([]);
    expect(await open().find(broken)).toBeUndefined();
  });

  it.each([
    ['no JSON', () => '{"key'],
    ['another shape', (text: string) => text.replace('"kernel"', '"nobody"')],
    ['of the future', (text: string) => text.replace('"probedAt":1000000', '"probedAt":9000000')],
    ['huge', (text: string) => text + ' '.repeat(300_000)],
  ])('are taken anew when the file is damaged: %s', async (_what, damage) => {
    const { open, folder } = aFolder();
    await open().keep(driver, report);
    const file = join(folder, 'sandbox-probe-fake.json');
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    expect(await open().find(driver)).toBeUndefined();
  });

  it('are taken anew when others could have written the file', async () => {
    const { open, folder } = aFolder();
    await open().keep(driver, report);
    chmodSync(join(folder, 'sandbox-probe-fake.json'), 0o666);
    expect(await open().find(driver)).toBeUndefined();
  });

  it('are taken anew when the file is a link', async () => {
    const { open, folder } = aFolder();
    await open().keep(driver, report);
    const file = join(folder, 'sandbox-probe-fake.json');
    renameSync(file, join(folder, 'elsewhere.json'));
    symlinkSync(join(folder, 'elsewhere.json'), file);
    expect(await open().find(driver)).toBeUndefined();
  });

  it('are for us alone to read and write', async () => {
    const { open, folder } = aFolder();
    await open(join(folder, 'made')).keep(driver, report);
    expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'made', 'sandbox-probe-fake.json')).mode & 0o777).toBe(0o600);
  });

  it('are used all the same when they cannot be written', async () => {
    const { open, folder, warnings } = aFolder();
    writeFileSync(join(folder, 'file'), '');
    const cache = open(join(folder, 'file', 'below'));
    await cache.keep(driver, report);
    expect(warnings).toEqual(['failed to cache probe result']);
    expect(await cache.find(driver)).toEqual(report);
  });
});
