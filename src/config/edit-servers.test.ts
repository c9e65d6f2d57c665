import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { editServers } from './edit-servers.ts';
import { aProject } from '../../testkit/config/folders.ts';
import { grantTrust, readTrust } from './trust.ts';

const add = (name: string) => ({ kind: 'add', name, entry: { command: 'x' } }) as const;
const fileAt = (path: string) => ({ path, kind: 'user', userPath: path }) as const;

it('makes all edits or none', async () => {
  const path = join(aProject().base, 'new/folder/config.yaml');
  await editServers(fileAt(path), [add('a'), add('b'), { kind: 'disable', name: 'b' }]);
  const text = readFileSync(path, 'utf8');
  expect(text).toBe(
    'mcpServers:\n  a:\n    command: x\n  b:\n    command: x\n    enabled: false\n',
  );
  const edits = [{ kind: 'remove', name: 'a' } as const, add('b')];
  await expect(editServers(fileAt(path), edits)).rejects.toMatchObject({
    code: 'config.server_name',
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('leaves nothing beside the file, follows a link and keeps who may read it', async () => {
  const { base } = aProject({ 'dotfiles/tutti.yaml': '# mine\n' });
  const real = join(base, 'dotfiles/tutti.yaml');
  chmodSync(real, 0o640);
  symlinkSync(real, join(base, 'config.yaml'));
  await editServers(fileAt(join(base, 'config.yaml')), [add('a')]);
  expect(lstatSync(join(base, 'config.yaml')).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toBe('# mine\nmcpServers:\n  a:\n    command: x\n');
  expect(statSync(real).mode & 0o777).toBe(0o640);
  expect(readdirSync(join(base, 'dotfiles'))).toEqual(['tutti.yaml']);
});

it('writes through no link that a project has planted beside its file', async () => {
  const { base } = aProject({ 'project/tutti.yaml': '# p\n', victim: 'mine' });
  symlinkSync(join(base, 'victim'), join(base, 'project/tutti.yaml.tmp'));
  await editServers(fileAt(join(base, 'project/tutti.yaml')), [add('a')]);
  expect(readFileSync(join(base, 'victim'), 'utf8')).toBe('mine');
  expect(readFileSync(join(base, 'project/tutti.yaml'), 'utf8')).toContain('command: x');
});

it('makes a new file readable by the user alone', async () => {
  const path = join(aProject().base, 'config.yaml');
  await editServers(fileAt(path), [add('a')]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('refuses to make a file too large to be read', async () => {
  const { base } = aProject({ 'config.yaml': `# ${'x'.repeat(65_520)}\n` });
  const path = join(base, 'config.yaml');
  await expect(editServers(fileAt(path), [add('a')])).rejects.toMatchObject({
    code: 'config.invalid',
  });
  expect(readFileSync(path, 'utf8')).not.toContain('mcpServers');
});

it('says so when the file is a folder, or its folder a file', async () => {
  const { base } = aProject({ file: '' });
  mkdirSync(join(base, 'config.yaml'));
  for (const path of [join(base, 'config.yaml'), join(base, 'file/config.yaml')]) {
    await expect(editServers(fileAt(path), [add('a')])).rejects.toMatchObject({
      code: 'config.file_not_written',
    });
  }
});

it('trusts nothing where the list of trusted projects is damaged', async () => {
  const { base } = aProject();
  mkdirSync(join(base, 'trust.json'));
  expect(await readTrust(base)).toEqual([]);
  const project = { file: '/p/tutti.yaml', digest: 'd', trustedAt: 'now' };
  await expect(grantTrust(base, project)).rejects.toMatchObject({
    code: 'config.file_not_written',
  });
  const home = aProject().base;
  writeFileSync(join(home, 'trust.json'), '{"projects": [{"file": 1}]}');
  expect(await readTrust(home)).toEqual([]);
  await grantTrust(home, project);
  expect(await readTrust(home)).toEqual([project]);
});

it('fills a map that is written as nothing, and a link of the user whose file is not there yet', async () => {
  const { base } = aProject({ 'empty.yaml': 'mcpServers:\n', 'dotfiles/other': '' });
  await editServers(fileAt(join(base, 'empty.yaml')), [add('a')]);
  expect(readFileSync(join(base, 'empty.yaml'), 'utf8')).toBe(
    'mcpServers:\n  a:\n    command: x\n',
  );
  const link = join(base, 'config.yaml');
  symlinkSync('dotfiles/later.yaml', link);
  await editServers({ ...fileAt(link), kind: 'project' }, []);
  expect(readdirSync(join(base, 'dotfiles'))).toEqual(['other']);
  await editServers(fileAt(link), [add('a')]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(join(base, 'dotfiles'))).toEqual(['later.yaml', 'other']);
});

// Root may write to everything.
it.skipIf(process.getuid?.() === 0)(
  'does not replace a file that may not be written to',
  async () => {
    const { base } = aProject({ 'config.yaml': '# mine\n' });
    const path = join(base, 'config.yaml');
    chmodSync(path, 0o400);
    await expect(editServers(fileAt(path), [add('a')])).rejects.toMatchObject({
      code: 'config.file_not_written',
    });
    expect(readFileSync(path, 'utf8')).toBe('# mine\n');
  },
);
