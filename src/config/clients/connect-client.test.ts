import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionTarget } from '../../contract/client-connection/index.ts';
import { type ClientName, clientTitles } from '../../contract/server-files/index.ts';
import { randomJsonc } from '../../../testkit/config/random-jsonc.ts';
import { clientTarget } from './client-files.ts';
import { jsonFormat, tomlFormat } from './client-formats.ts';
import {
  applyChange,
  type ConnectionPlace,
  planConnect,
  planDisconnect,
} from './connect-client.ts';

const clients = Object.keys(clientTitles) as ClientName[];
const jsonClients = clients.filter((client) => client !== 'codex');
const entry = {
  command: '/usr/bin/node',
  args: ['/opt/tutti/bin/tutti.js', 'mcp', '--root', '/shop'],
};

function aMachine(): ConnectionPlace & { readonly base: string } {
  const base = mkdtempSync(join(tmpdir(), 'tutti-connect-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, 'project');
  mkdirSync(cwd);
  const around = { env: {}, cwd, homeDirectory: join(base, 'home'), platform: 'linux' } as const;
  mkdirSync(around.homeDirectory);
  return { base, home: join(base, 'data'), around };
}

function fileOf({ client, scope }: ConnectionTarget, { around }: ConnectionPlace): string {
  return clientTarget(client, scope, around)?.file ?? '';
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function connect(
  target: ConnectionTarget,
  place: ConnectionPlace,
  args = entry.args,
): Promise<void> {
  await applyChange(await planConnect(target, { ...entry, args }, place), place);
}

async function disconnect(target: ConnectionTarget, place: ConnectionPlace): Promise<void> {
  await applyChange(await planDisconnect(target, place), place);
}

function entryAt(file: string, client: ClientName, place: ConnectionPlace): unknown {
  const shape = clientTarget(client, 'user', place.around);
  const format = shape?.format === 'toml' ? tomlFormat : jsonFormat;
  const section = format.parse(readFileSync(file, 'utf8'))[shape?.section ?? ''];
  return (section as Record<string, unknown>)['tutti'];
}

describe('settings for all projects', () => {
  it('come with a note on the folder that they read, unless there is none or one project is meant', async () => {
    const place = aMachine();
    const user = { client: 'cursor', scope: 'user' } as const;
    const notesOf = async (target: ConnectionTarget, args: readonly string[]) =>
      (await planConnect(target, { ...entry, args: [...args] }, place)).notes;
    expect(await notesOf(user, entry.args)).toEqual([
      expect.stringMatching(/every project.*always read \/shop.*--client-roots/),
    ]);
    expect(await notesOf(user, ['mcp'])).toEqual([]);
    expect(await notesOf({ ...user, scope: 'project' }, entry.args)).toEqual([]);
  });
});

describe('connecting and disconnecting', () => {
  it.each(jsonClients)(
    'leaves random settings of %s byte for byte as they were',
    async (client) => {
      const place = aMachine();
      const target = { client, scope: 'user' } as const;
      const file = fileOf(target, place);
      const section = clientTarget(client, 'user', place.around)?.section ?? '';
      for (let seed = 0; seed < 12; seed += 1) {
        const before = randomJsonc(seed * 31 + client.length, section);
        write(file, before);
        await connect(target, place);
        expect(entryAt(file, client, place), before).toMatchObject(entry);
        // Connecting again, for another project, must not change what is restored.
        if (seed % 3 === 0) await connect(target, place, [...entry.args, '--root', '/other']);
        await disconnect(target, place);
        expect(readFileSync(file, 'utf8'), before).toBe(before);
      }
    },
  );

  it.each([
    '',
    '\n',
    '# mine',
    '# mine\r\n\r\n[mcp_servers.a] # x\r\ncommand = "b"',
    'model = "m"\n[mcp_servers]\n',
    '\uFEFF[a]\nb = [\n [1],\n [2]\n]\n',
  ])('leaves the TOML %j of Codex byte for byte as it was', async (before) => {
    const place = aMachine();
    const target = { client: 'codex', scope: 'user' } as const;
    const file = fileOf(target, place);
    write(file, before);
    await connect(target, place);
    expect(entryAt(file, 'codex', place)).toEqual(entry);
    await disconnect(target, place);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it.each(clients)('removes the file and the folders it made for %s', async (client) => {
    const place = aMachine();
    const target = { client, scope: 'user' } as const;
    await connect(target, place);
    expect(entryAt(fileOf(target, place), client, place)).toMatchObject(entry);
    await disconnect(target, place);
    expect(existsSync(fileOf(target, place))).toBe(false);
    expect(existsSync(join(place.around.homeDirectory, '.config'))).toBe(false);
  });

  it.each(['', ' \r\n', '{}', '// nothing yet\n'])('keeps a file of %j', async (before) => {
    const place = aMachine();
    const target = { client: 'cursor', scope: 'project' } as const;
    write(fileOf(target, place), before);
    await connect(target, place);
    await disconnect(target, place);
    expect(readFileSync(fileOf(target, place), 'utf8')).toBe(before);
  });

  it('takes only its own entry out when the file was edited in between', async () => {
    const place = aMachine();
    const target = { client: 'cursor', scope: 'user' } as const;
    const file = fileOf(target, place);
    write(file, '{\n  // mine\n  "mcpServers": {"a": {}} // last\n}\n');
    await connect(target, place);
    write(file, readFileSync(file, 'utf8').replace('// mine', '// yours\n  "other": 1,'));
    await disconnect(target, place);
    expect(readFileSync(file, 'utf8')).toBe(
      '{\n  // yours\n  "other": 1,\n  "mcpServers": {"a": {}} // last\n}\n',
    );
  });

  it.each(jsonClients)('works on settings of %s that the client wrote anew', async (client) => {
    const place = aMachine();
    const target = { client, scope: 'user' } as const;
    const file = fileOf(target, place);
    write(file, '{"a": 1}');
    await connect(target, place);
    write(file, JSON.stringify({ b: 2, ...JSON.parse(readFileSync(file, 'utf8')) }, null, '\t'));
    await disconnect(target, place);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ b: 2, a: 1 });
  });

  it('works without its records: the entry goes, the rest stays', async () => {
    const place = aMachine();
    for (const client of ['cursor', 'codex'] as const) {
      const target = { client, scope: 'user' } as const;
      await connect(target, place);
      await disconnect(target, { ...place, home: join(place.base, 'elsewhere') });
      const text = readFileSync(fileOf(target, place), 'utf8');
      expect(text).not.toContain('tutti');
    }
  });

  it('keeps the mode of the file, and a link to it', async () => {
    const place = aMachine();
    const target = { client: 'zed', scope: 'user' } as const;
    const real = join(place.base, 'dotfiles.json');
    write(real, '{}\n');
    chmodSync(real, 0o640);
    mkdirSync(dirname(fileOf(target, place)), { recursive: true });
    symlinkSync(real, fileOf(target, place));
    await connect(target, place);
    expect(readFileSync(real, 'utf8')).toContain('tutti');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    await disconnect(target, place);
    expect(readFileSync(real, 'utf8')).toBe('{}\n');
    expect(readFileSync(fileOf(target, place), 'utf8')).toBe('{}\n');
  });
});

describe('a settings file that cannot be changed', () => {
  const target = { client: 'cursor', scope: 'user' } as const;

  it.each([
    ['{"mcpServers": {', /not valid JSON/],
    ['{"a": 1} {"b": 2}', /not valid JSON/],
    ['[1]', /not a JSON object/],
    ['{"mcpServers": []}', /"mcpServers" is not an object/],
    ['{"mcpServers": null}', /"mcpServers" is not an object/],
    ['{"mcpServers": {"tutti": {"command": "music-player"}}}', /is not Tutti/],
    ['['.repeat(100_000), /nested too deeply|not valid JSON/],
  ])('is refused and left alone (%#)', async (text, reason) => {
    const place = aMachine();
    write(fileOf(target, place), text);
    await expect(planConnect(target, entry, place)).rejects.toMatchObject({
      code: 'config.client_file',
      message: expect.stringMatching(reason),
    });
    expect(readFileSync(fileOf(target, place), 'utf8')).toBe(text);
  });

  it('is refused when it is not UTF-8, or changed after the change was shown', async () => {
    const place = aMachine();
    const file = fileOf(target, place);
    write(file, '{}');
    const change = await planConnect(target, entry, place);
    write(file, '{"a": 1}');
    await expect(applyChange(change, place)).rejects.toThrow('changed in the meantime');
    writeFileSync(file, Buffer.from('{"a": "\xFF"}', 'latin1'));
    await expect(planConnect(target, entry, place)).rejects.toThrow('not UTF-8');
  });

  it('is refused when it has inline servers in TOML, or a project links elsewhere', async () => {
    const place = aMachine();
    const codex = { client: 'codex', scope: 'user' } as const;
    write(fileOf(codex, place), 'mcp_servers = { a = { command = "b" } }\n');
    await expect(planConnect(codex, entry, place)).rejects.toThrow('written inline');
    const project = { client: 'claude-code', scope: 'project' } as const;
    write(join(place.base, 'secret.json'), '{}');
    symlinkSync(join(place.base, 'secret.json'), fileOf(project, place));
    await expect(planConnect(project, entry, place)).rejects.toThrow('links of a project');
    symlinkSync(place.base, join(place.around.cwd, '.cursor'));
    await expect(planConnect({ client: 'cursor', scope: 'project' }, entry, place)).rejects.toThrow(
      'out of the project',
    );
    await expect(
      planConnect({ client: 'windsurf', scope: 'project' }, entry, place),
    ).rejects.toThrow('no settings per project');
  });
});
