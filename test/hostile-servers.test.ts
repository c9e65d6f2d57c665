import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { errorCodes } from '../src/contract/error/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import type { ServerStatus } from '../src/contract/fleet/index.ts';
import { errorMetaKey, failedToolResult, type ToolResult } from '../src/contract/tool/index.ts';
import { reportError } from '../src/kernel/index.ts';
import { hostileKinds } from './support/servers/hostile-kinds.ts';

const script = new URL('support/servers/hostile-server.ts', import.meta.url).pathname;
const callLimitMs = 8_000;
const noticeLimitMs = 60_000;
const limitMs = 180_000;

let folder: string;
let system: System;
let results: ReadonlyMap<string, ToolResult>;
let goodDuringIt: readonly ToolResult[];
let statuses: readonly ServerStatus[];

function call(server: string): Promise<ToolResult> {
  const context = {
    caller: localCaller,
    signal: AbortSignal.timeout(callLimitMs * 4),
    progress: () => {},
    meta: {},
  };
  return system.catalogue.callTool(`${server}.echo`, { word: server }, context);
}

/** One fleet of every hostile kind beside one good server, everybody called at once. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-hostile-'));
  mkdirSync(join(folder, 'tutti'));
  const entry = (kind: string): object => ({
    command: process.execPath,
    args: [script, kind],
    timeoutMs: callLimitMs,
    retryAttempts: 1,
    retryDelayMs: 50,
  });
  const names = ['good', ...hostileKinds.map(({ kind }) => kind)];
  const mcpServers = Object.fromEntries(names.map((name) => [name, entry(name)]));
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  system = await openSystem({
    flags: { home: join(folder, 'home') },
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
    cwd: folder,
  });
  await system.fleet.startAll(15_000);
  const good: Promise<ToolResult>[] = [];
  const again = setInterval(() => good.push(call('good')), 100);
  const calls = hostileKinds.map(async ({ kind }) => {
    const failed = (error: unknown): ToolResult => failedToolResult(reportError(error));
    return [kind, await call(kind).catch(failed)] as const;
  });
  results = new Map(await Promise.all(calls));
  clearInterval(again);
  goodDuringIt = await Promise.all(good);
  const isNamed = ({ name, lastError, problems }: ServerStatus): boolean =>
    hostileKinds.every(({ kind, named }) => kind !== name || named === undefined) ||
    lastError !== null ||
    problems.length > 0;
  // Some show only in time: who never answers is given up after a while.
  await vi.waitUntil(
    async () => {
      statuses = await system.fleet.status();
      return statuses.every(isNamed);
    },
    { timeout: noticeLimitMs, interval: 500 },
  );
}, limitMs);

afterAll(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
}, limitMs);

describe('a hostile server', () => {
  it.each(hostileKinds.filter(({ works }) => works))(
    'that $kind is of use all the same',
    ({ kind }) => {
      const result = results.get(kind);
      expect(JSON.stringify(result?.content)).toContain(kind);
      expect(result?.isError).not.toBe(true);
    },
  );

  it.each(hostileKinds.filter(({ works }) => !works))(
    'that $kind is refused with a clear error, within its time limit',
    ({ kind }) => {
      const result = results.get(kind);
      expect(result?.isError).toBe(true);
      const report = result?._meta?.[errorMetaKey];
      expect(report).toMatchObject({
        code: expect.toSatisfy((code: string) => Object.hasOwn(errorCodes, code)),
        message: expect.stringContaining(kind),
      });
    },
  );

  it.each(hostileKinds.filter(({ named }) => named !== undefined))(
    'that $kind is named in the status',
    ({ kind, named = /./ }) => {
      const status = statuses.find(({ name }) => name === kind);
      const said = [status?.lastError ?? '', ...(status?.problems ?? [])].join('\n');
      expect(said).toMatch(named);
    },
  );
});

it('the good server beside them answers all the time', () => {
  expect(goodDuringIt.length).toBeGreaterThan(5);
  for (const result of goodDuringIt) expect(JSON.stringify(result.content)).toContain('good');
});
