import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FleetEntry } from '../contract/fleet/index.ts';
import { errorMetaKey, type ToolResult } from '../contract/tool/index.ts';
import { createProcessOwner, silentLog } from '../kernel/index.ts';
import { FileListingCache } from './catalogue/listing-cache.ts';
import { openUpstream } from './open-upstream.ts';
import { aFleet, anEntry, anOutside } from '../../testkit/fleet/a-fleet.ts';
import { aContext } from '../../testkit/fleet/a-server.ts';

const fixture = new URL('../../testkit/fleet/fixture-server.ts', import.meta.url).pathname;

/** Real programs, each with its own variables. */
function aProcessFleet(
  entries: readonly FleetEntry[],
  env: Record<string, Record<string, string>>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-fleet-'));
  const owner = createProcessOwner({ runDirectory: join(folder, 'run'), log: silentLog });
  const starts = join(folder, 'starts');
  const fake = anOutside(entries, (request) =>
    openUpstream(request, {
      launch: {
        transport: 'stdio',
        command: process.execPath,
        args: [fixture],
        cwd: folder,
        env: { STARTS: starts, ...env[request.entry.name] },
      },
      owner: () => owner,
      clientInfo: { name: 'test', version: '1' },
      log: silentLog,
    }),
  );
  const outside = {
    ...fake,
    memoryBytes: async (pid: number) => (await owner.measure(pid))?.memoryBytes ?? null,
  };
  const cache = new FileListingCache(join(folder, 'catalogue'), silentLog);
  const limits = { maxConcurrent: 1_000, maxWaiting: 1_000, timeoutMs: 30_000 };
  const fleet = aFleet({ outside, cache, limits, firstWaitMs: 20_000 });
  onTestFinished(async () => {
    await fleet.catalogue.close();
    await owner.close();
    rmSync(folder, { recursive: true });
  });
  const startCount = (): number => readFileSync(starts, 'utf8').trim().split('\n').length;
  return { ...fleet, folder, startCount };
}

const textOf = (result: ToolResult): unknown => result.content[0]?.['text'];

describe('a fleet of programs', () => {
  it('starts one process for 200 first calls', async () => {
    const { catalogue, startCount } = aProcessFleet([anEntry('git')], {});
    const results = await Promise.all(
      Array.from({ length: 200 }, () => catalogue.callTool('pid', {}, aContext())),
    );
    expect(new Set(results.map(textOf)).size).toBe(1);
    expect(startCount()).toBe(1);
  });

  it('shows every other server while one cannot start, and says what that one wrote last', async () => {
    const entries = [anEntry('dead', { retryAttempts: 1 }), anEntry('git')];
    const { catalogue, control } = aProcessFleet(entries, { dead: { BEHAVIOUR: 'dies' } });
    const names = (await catalogue.listTools()).map(({ name }) => name);
    expect(names).toEqual(['git__crash', 'git__crash_reading', 'git__echo', 'git__pid']);
    const [dead] = await control.status();
    expect(dead).toMatchObject({
      state: 'crash-looping',
      lastError: expect.stringContaining('cannot find my database'),
    });
    expect(await control.logs('dead', 1)).toEqual(['cannot find my database']);
  });

  it('repeats a reading call that its server crashed under, and not another', async () => {
    const mark = join(mkdtempSync(join(tmpdir(), 'tutti-crash-')), 'mark');
    onTestFinished(() => rmSync(join(mark, '..'), { recursive: true }));
    const { catalogue, control } = aProcessFleet([anEntry('git', { trustAnnotations: true })], {
      git: { CRASH_MARK: mark },
    });
    expect(textOf(await catalogue.callTool('crash_reading', {}, aContext()))).toBe('survived');
    const lost = await catalogue.callTool('crash', {}, aContext());
    expect(lost._meta?.[errorMetaKey]).toMatchObject({
      code: 'fleet.outcome_unknown',
      message: expect.stringContaining('I was told to crash'),
    });
    expect(textOf(await catalogue.callTool('echo', { a: 1 }, aContext()))).toBe('{"a":1}');
    const [status] = await control.status();
    expect(status).toMatchObject({ state: 'ready', restarts: 2, version: '7' });
    expect(status?.memoryBytes).toBeGreaterThan(1_000_000);
  });

  it('repeats no call on the annotations of an untrusted server, nor where the caller forbids it', async () => {
    const marks = mkdtempSync(join(tmpdir(), 'tutti-crash-'));
    onTestFinished(() => rmSync(marks, { recursive: true }));
    for (const [trustAnnotations, mayRepeat] of [
      [false, true],
      [true, false],
    ] as const) {
      const mark = join(marks, String(mayRepeat));
      const { catalogue } = aProcessFleet([anEntry('git', { trustAnnotations })], {
        git: { CRASH_MARK: mark },
      });
      const lost = await catalogue.callTool('crash_reading', {}, { ...aContext(), mayRepeat });
      expect(lost._meta?.[errorMetaKey]).toMatchObject({ code: 'fleet.outcome_unknown' });
    }
  });

  it('stops an idle process', async () => {
    const { catalogue, control } = aProcessFleet([anEntry('git', { idleStopMs: 50 })], {});
    const pid = Number(textOf(await catalogue.callTool('pid', {}, aContext())));
    await expect.poll(async () => (await control.status())[0]?.state).toBe('idle');
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    expect(await catalogue.listTools()).toHaveLength(4);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
