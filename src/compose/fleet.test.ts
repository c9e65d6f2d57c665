import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { openSystem, type System } from './index.ts';

const fixture = new URL('../../testkit/fleet/fixture-server.ts', import.meta.url).pathname;
const context = () => ({
  caller: localCaller,
  signal: new AbortController().signal,
  progress: () => {},
  meta: {},
});

/** A machine whose user has configured `servers`; systems opened on it are closed after the test. */
function aMachine(servers: Readonly<Record<string, unknown>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-compose-fleet-'));
  const systems: System[] = [];
  onTestFinished(async () => {
    for (const system of systems) await system.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const configure = (entries: Readonly<Record<string, unknown>>): void => {
    mkdirSync(join(folder, 'tutti'), { recursive: true });
    writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers: entries }));
  };
  configure(servers);
  const open = async (request: { only?: string[]; flags?: object } = {}): Promise<System> => {
    const system = await openSystem({
      env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, HOME: folder },
      cwd: folder,
      ...request,
      flags: { home: join(folder, 'home'), ...request.flags },
    });
    systems.push(system);
    return system;
  };
  return { open, configure };
}

const program = { command: process.execPath, args: [fixture] };
const stateOf = async (system: System, server: string): Promise<string | undefined> =>
  (await system.fleet.status()).find(({ name }) => name === server)?.state;

it('serves configured programs beside our own servers, and lists them from disk the next time', async () => {
  const { open } = aMachine({ fix: program });
  const first = await open();
  await first.fleet.startAll(30_000);
  expect(await stateOf(first, 'fix')).toBe('ready');
  const names = (await first.catalogue.listTools()).map(({ name }) => name);
  expect(names).toContain('code__format_code');
  expect(names).toContain('fix__echo');
  const result = await first.catalogue.callTool('fix.echo', { a: 1 }, context());
  expect(result.content[0]).toMatchObject({ text: '{"a":1}' });
  await first.fleet.restart('fix');
  expect(await first.fleet.logs('fix', 1)).toEqual(['fixture is up']);
  await first.close();

  const second = await open({ flags: { 'tracing.enabled': false } });
  expect((await second.catalogue.listTools()).map(({ name }) => name)).toEqual(names);
  expect(await stateOf(second, 'fix')).toBe('idle');
  expect(await second.fleet.logs('fix', 10)).toEqual(['fixture is up', 'fixture is up']);
});

it('serves one configured server alone, under bare names', async () => {
  const { open } = aMachine({ fix: program });
  const system = await open({ only: ['fix'] });
  await system.fleet.startAll(30_000);
  const names = (await system.catalogue.listTools()).map(({ name }) => name);
  expect(names).toEqual(['crash', 'crash_reading', 'echo', 'pid']);
  await expect(open({ only: ['nonsense'] })).rejects.toThrow('code, standards');
});

it('lets the doctor name a configured server that does not start, as a warning with a way out', async () => {
  const { open } = aMachine({ gone: { command: '/no/such/program' } });
  // The sandbox is examined elsewhere.
  const checks = await (await open({ flags: { 'sandbox.driver': 'seatbelt' } })).doctor();
  expect(checks.find(({ name }) => name === 'servers')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('gone could not be listed'),
    fix: expect.stringContaining('tutti servers logs'),
  });
});

it('notices an edit of the configuration, and leaves the others alone', async () => {
  const { open, configure } = aMachine({ fix: program });
  const system = await open();
  await system.fleet.startAll(30_000);
  await system.catalogue.listTools();
  const pidOf = async (): Promise<unknown> =>
    (await system.catalogue.callTool('fix.pid', {}, context())).content[0]?.['text'];
  const pid = await pidOf();
  const announced = new Promise<void>((resolve) => {
    system.catalogue.onChange((change) => change.kind === 'tools' && resolve());
  });
  configure({ fix: program, more: program });
  await announced;
  const names = (await system.catalogue.listTools()).map(({ name }) => name);
  expect(names).toContain('more__echo');
  expect(await pidOf()).toBe(pid);
});
