import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadSettingsHere, startConditions } from './settings.ts';

function aRequest() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-conditions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = join(folder, 'project', 'inner');
  mkdirSync(join(folder, '.config', 'tutti'), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(folder, '.config', 'tutti', 'config.yaml'), '');
  writeFileSync(join(folder, 'project', 'tutti.yaml'), '');
  return { folder, request: { flags: {}, env: { HOME: folder }, cwd } };
}

it('names every file the settings were read from, and the places of files that could come', async () => {
  const { request } = aRequest();
  const settings = await loadSettingsHere(request);
  const { files } = settings;
  const { home, paths } = startConditions(request, settings);
  const contents = paths.filter(({ look }) => look === 'content').map(({ path }) => path);
  expect(files).toHaveLength(2);
  expect(contents).toEqual(expect.arrayContaining([...files]));
  expect(contents).toContain(join(request.cwd, 'tutti.yaml'));
  expect(contents).toContain(join(home, 'trust.json'));
  expect(paths).toContainEqual({ path: join(request.cwd, '.git'), look: 'presence' });
  expect(paths).toContainEqual({ path: join(home, 'catalogue'), look: 'listing' });
});

it('names the files of the project that its servers run', async () => {
  const { folder, request } = aRequest();
  const entry = { command: 'node', args: ['server.js'] };
  const [yaml, script] = ['tutti.yaml', 'server.js'].map((name) => join(folder, 'project', name));
  writeFileSync(yaml ?? '', JSON.stringify({ mcpServers: { a: entry } }));
  writeFileSync(script ?? '', '');
  const { paths } = startConditions(request, await loadSettingsHere(request));
  expect(paths).toContainEqual({ path: script, look: 'content' });
});

it('names the variables that settings know and those that say where files are', async () => {
  const { request } = aRequest();
  const { variables } = startConditions(request, await loadSettingsHere(request));
  expect(variables).toEqual(
    expect.arrayContaining(['TUTTI_SERVER_COMPACT', 'MCP_OPENAI_API_KEY', 'XDG_CONFIG_HOME']),
  );
});
