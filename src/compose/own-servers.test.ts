import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { wireTextOf, withWireText } from '../contract/wire/index.ts';
import { innerArguments } from './own-servers.ts';
import { openSystem } from './open-system.ts';
import type { System } from './system.ts';

let folder: string;
let system: System;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-admin-'));
  system = await openSystem({
    flags: {
      home: join(folder, 'home'),
      'performance.max_concurrent_requests': 1,
      'server.pinned_tools': ['code.format_code'],
    },
    env: {},
    cwd: folder,
    face: 'compact',
  });
});

afterAll(async () => {
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

const aContext = () => ({
  caller: localCaller,
  signal: new AbortController().signal,
  progress: () => {},
  meta: {},
});

it('calls tools through call_tool, even when each call takes the only place', async () => {
  const call = (code: string) => {
    const inner = { language: 'python', code };
    const args = { name: 'code.format_code', arguments: inner };
    return system.catalogue.callTool(
      'admin__call_tool',
      withWireText(args, JSON.stringify(args)),
      aContext(),
    );
  };
  const results = await Promise.all([call('x=1'), call('y=2'), call('z=3')]);
  expect(results.map(({ structuredContent }) => structuredContent?.['formatted_code'])).toEqual([
    'x = 1\n',
    'y = 2\n',
    'z = 3\n',
  ]);
});

it('finds tools, and tells how the servers are doing', async () => {
  const found = await system.findTools('which keys and passwords were leaked', 1);
  expect(found.map(({ name }) => name)).toEqual(['code.scan_secrets']);
  const result = await system.catalogue.callTool('admin.get_server_status', {}, aContext());
  expect(result.structuredContent).toMatchObject({
    servers: expect.arrayContaining([
      expect.objectContaining({ name: 'admin', state: 'ready', tools: 6 }),
    ]),
  });
});

it('shows clients the finders and the pinned tools when it is compact', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  stdin.end(
    [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ]
      .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      .join(''),
  );
  await system.serveStdio({ stdin, stdout });
  stdout.end();
  const text = Buffer.concat(await stdout.toArray()).toString();
  const names = [...text.matchAll(/"name":"(\w+__\w+)"/g)].map(([, name]) => name);
  expect(names).toHaveLength(5);
  expect(new Set(names)).toEqual(
    new Set([
      'admin__call_tool',
      'admin__find_tools',
      'agent__ask',
      'admin__list_tools',
      'code__format_code',
    ]),
  );
});

it('gives a called tool its arguments as they were written', () => {
  const text = '{"name":"a.b","arguments":{"n": 12345678901234567890, "x": 1.0}}';
  const inner = innerArguments(withWireText(JSON.parse(text), text)) ?? {};
  expect(wireTextOf(inner)).toBe('{"n": 12345678901234567890, "x": 1.0}');
  expect(innerArguments({ name: 'a.b', arguments: {} })).toBeUndefined();
});
