import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog, type LogFields } from '../kernel/index.ts';
import { openServerEntries, type ServerEntries } from './server-entries.ts';
import { openServerFiles } from './server-files.ts';
import { loadSettingsHere } from './settings.ts';

const hourMs = 3_600_000;

/** A user's and a project's file, and the servers in them. Changes count after `settle`. */
async function aFleet(user: string, project?: string) {
  const base = mkdtempSync(join(tmpdir(), 'tutti-entries-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const userFile = join(base, '.config/tutti/config.yaml');
  const projectFile = join(base, 'project/tutti.yaml');
  mkdirSync(dirname(userFile), { recursive: true });
  mkdirSync(dirname(projectFile));
  writeFileSync(userFile, user);
  if (project !== undefined) writeFileSync(projectFile, project);
  const request = {
    flags: {},
    env: { HOME: base, XDG_CONFIG_HOME: join(base, '.config'), XDG_DATA_HOME: base, KEY: 'k' },
    cwd: dirname(projectFile),
  };
  const warnings: LogFields[] = [];
  const log = {
    ...silentLog,
    warn: (_message: string, fields: LogFields = {}) => void warnings.push(fields),
  };
  const settings = await loadSettingsHere(request);
  const entries = await openServerEntries({ request, settings, log, pollMs: hourMs });
  onTestFinished(() => entries.close());
  let changes = 0;
  entries.onChange(() => {
    changes += 1;
  });
  return {
    entries,
    userFile,
    projectFile,
    warnings,
    changes: () => changes,
    files: () => openServerFiles(request),
    settle: async () => {
      await entries.check();
      await entries.check();
    },
    names: () => namesOf(entries),
  };
}

function namesOf(entries: ServerEntries): string[] {
  return entries.current().map(({ name, source, state }) => `${name} ${source} ${state}`);
}

it('lists the servers of the user and of the project, the latter untrusted at first', async () => {
  const fleet = await aFleet(
    'mcpServers: {b: {command: x}, a: {command: x, disabled: true}}',
    'mcpServers: {p: {command: evil}, b: {command: evil}, off: {command: x, enabled: false}}',
  );
  expect(fleet.names()).toEqual([
    'a user disabled',
    'b user enabled',
    'off project disabled',
    'p project untrusted',
  ]);
});

it('notices trust, and that a change of the project voids it', async () => {
  const fleet = await aFleet('mcpServers: {b: {command: x}}', 'mcpServers: {b: {command: y}}');
  await (await fleet.files()).trust();
  await fleet.settle();
  expect(fleet.names()).toEqual(['b project enabled']);
  expect(fleet.entries.current()[0]?.settings.command).toBe('y');
  writeFileSync(fleet.projectFile, 'mcpServers: {b: {command: z}}');
  await fleet.settle();
  expect(fleet.names()).toEqual(['b user enabled']);
  await (await fleet.files()).trust();
  await (await fleet.files()).revoke();
  await fleet.settle();
  expect(fleet.changes()).toBe(2);
});

it('notices files that are replaced, go and come, and tells of real changes only', async () => {
  const fleet = await aFleet('mcpServers: {a: {command: x}}');
  const [before] = fleet.entries.current();
  const replacement = `${fleet.userFile}.new`;
  writeFileSync(replacement, '# other text\nmcpServers: {a: {command: x}, b: {command: y}}');
  renameSync(replacement, fleet.userFile);
  await fleet.settle();
  expect(fleet.names()).toEqual(['a user enabled', 'b user enabled']);
  expect(fleet.entries.current()[0]?.fingerprint).toBe(before?.fingerprint);
  expect(fleet.changes()).toBe(1);
  rmSync(fleet.userFile);
  await fleet.settle();
  expect(fleet.names()).toEqual([]);
  writeFileSync(fleet.projectFile, 'mcpServers: {p: {command: x}}');
  await fleet.settle();
  expect(fleet.names()).toEqual(['p project untrusted']);
  writeFileSync(fleet.projectFile, '# a comment\nmcpServers: {p: {command: x}}');
  await fleet.settle();
  expect(fleet.changes()).toBe(3);
});

it('waits until a file rests', async () => {
  const fleet = await aFleet('');
  writeFileSync(fleet.userFile, 'mcpServers: {a: {command: x}}');
  await fleet.entries.check();
  expect(fleet.names()).toEqual([]);
  writeFileSync(fleet.userFile, 'mcpServers: {a: {command: x}, b: {command: y}}');
  await fleet.entries.check();
  expect(fleet.changes()).toBe(0);
  await fleet.entries.check();
  expect(fleet.names()).toHaveLength(2);
});

it('keeps the last good servers while a file is broken, and says what is wrong', async () => {
  const fleet = await aFleet('mcpServers: {a: {command: x}}');
  writeFileSync(fleet.userFile, 'mcpServers: {a: {comand: x}}');
  await fleet.settle();
  expect(fleet.names()).toEqual(['a user enabled']);
  expect(fleet.warnings).toEqual([
    { message: expect.stringContaining('config.yaml:1:17: mcpServers.a: expected exactly one of') },
  ]);
  writeFileSync(fleet.userFile, 'mcpServers: {c: {command: x}}');
  await fleet.settle();
  expect(fleet.names()).toEqual(['c user enabled']);
});

it('notices that trust is taken back while a file is broken', async () => {
  const fleet = await aFleet('', 'mcpServers: {p: {command: x}}');
  const files = await fleet.files();
  await files.trust();
  await fleet.settle();
  expect(fleet.names()).toEqual(['p project enabled']);
  writeFileSync(fleet.projectFile, 'mcpServers: [');
  await files.revoke();
  await fleet.settle();
  expect(fleet.names()).toEqual(['p project untrusted']);
});

it('fills in variables when a server is started, and forgets listeners that left', async () => {
  const fleet = await aFleet('mcpServers: {a: {command: x, env: {A: "${KEY}"}}}');
  const [entry] = fleet.entries.current();
  if (!entry) throw new Error('there is one');
  expect(await fleet.entries.launch(entry)).toMatchObject({ env: { A: 'k' } });
  const heard: string[] = [];
  fleet.entries.onChange(() => heard.push('kept'));
  fleet.entries.onChange(() => heard.push('left'))();
  writeFileSync(fleet.userFile, '');
  await fleet.settle();
  expect(heard).toEqual(['kept']);
});

it('starts no program of a trusted project that changed, also between two looks at the files', async () => {
  const fleet = await aFleet('', 'mcpServers: {p: {command: node, args: [server.js]}}');
  const script = join(dirname(fleet.projectFile), 'server.js');
  writeFileSync(script, 'one');
  await fleet.settle();
  await (await fleet.files()).trust();
  await fleet.settle();
  const [entry] = fleet.entries.current();
  if (!entry) throw new Error('there is an entry');
  expect(await fleet.entries.launch(entry)).toMatchObject({ args: ['server.js'] });
  writeFileSync(script, 'two');
  await expect(fleet.entries.launch(entry)).rejects.toMatchObject({
    code: 'compose.project_changed',
  });
  await fleet.settle();
  expect(fleet.names()).toEqual(['p project untrusted']);
});
