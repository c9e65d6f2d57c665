import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { scanSecretsTool } from './scan-secrets-tool.ts';

const token = `ghp_${'aB3'.repeat(12)}`;

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-secrets-'));
  mkdirSync(join(folder, '.config'));
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, '.env'), `GITHUB=${token}\n`);
  writeFileSync(join(folder, 'Dockerfile'), `FROM x\nENV A=${token}\n`);
  writeFileSync(join(folder, '.config', 'app.yaml'), `a: ${token}\n`);
  writeFileSync(join(folder, 'node_modules', 'x.js'), token);
  writeFileSync(join(folder, 'picture.bin'), Buffer.from([0, 1, 2, 3]));
  return folder;
}

async function scan(folder: string, args: unknown): Promise<Readonly<Record<string, unknown>>> {
  const result = await scanSecretsTool(aCodeContext([folder])).call(args, aCallContext());
  return result.structuredContent ?? {};
}

describe('scan_secrets', () => {
  it('names files from the root, whichever folder is scanned', async () => {
    expect(await scan(aFolder(), { path: '.config' })).toMatchObject({
      findings: [{ file: '.config/app.yaml' }],
    });
  });

  it('leaves out what the call excludes', async () => {
    expect(await scan(aFolder(), { path: '.', exclude: ['.config', 'Dockerfile'] })).toMatchObject({
      findings: [{ file: '.env' }],
      not_scanned: expect.arrayContaining([
        { reason: 'excluded', count: 2, examples: ['.config/app.yaml', 'Dockerfile'] },
      ]) as unknown,
    });
    await expect(scan(aFolder(), { path: '.config', exclude: ['.config'] })).rejects.toThrow(
      'The argument "exclude" leaves nothing of ".config"',
    );
  });

  it('reads every text file of a folder, hidden ones and those without ending included', async () => {
    const answer = await scan(aFolder(), { path: '.' });
    expect(answer).toMatchObject({
      findings: [
        { file: '.config/app.yaml', rule: 'secrets/github-token', line: 1, column: 4 },
        { file: '.env', line: 1 },
        { file: 'Dockerfile', line: 2 },
      ],
      summary: { critical: 3, major: 0, minor: 0, info: 0 },
      findings_total: 3,
      findings_omitted: 0,
      files_scanned: 3,
      not_scanned: [
        { reason: 'foreign', count: 1, examples: ['node_modules'] },
        { reason: 'binary', count: 1, examples: ['picture.bin'] },
      ],
    });
  });

  it('finds a secret in a file that Git ignores, and says that Git does', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, '.gitignore'), '.env\nbuild/\n');
    mkdirSync(join(folder, 'build', 'deep'), { recursive: true });
    writeFileSync(join(folder, 'build', 'deep', 'out.txt'), token);
    const answer = await scan(folder, { path: '.' });
    expect(answer).toMatchObject({ findings_total: 4, files_ignored_by_git: 2 });
    expect(answer['findings']).toContainEqual(
      expect.objectContaining({ file: '.env', git_ignored: true }),
    );
    expect(answer['findings']).toContainEqual(
      expect.objectContaining({ file: 'build/deep/out.txt', git_ignored: true }),
    );
  });

  it.each([
    ['tests/fixtures/a.py', `KEY = "${token}"  # noqa\n`],
    ['docs/a.md', `Use \`${token}\`.\n`],
    ['vendor/lib.js', `var k = '${token}';\n`],
    ['dist/app.min.js', `a="${token}"`],
    ['package-lock.json', `{"a":"${token}"}`],
    ['generated.ts', `// @generated\nconst a = '${token}';\n`],
    ['LICENSE', token],
    ['id', 'password = "kX9#mQ2$vL7pRw4t"\n'],
    ['n.ipynb', JSON.stringify({ cells: [{ source: ['API_KEY = "kX9mQ2vL7pRw4tZb"\n'] }] })],
    ['.hidden/x', token],
    ['windows.env', Buffer.from(`\uFEFFA=${token}\r\n`, 'utf16le')],
  ])('finds a secret in %s', async (path, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-planted-'));
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    for (const given of ['.', '**', path]) {
      expect(await scan(folder, { path: given }), given).toMatchObject({ findings_total: 1 });
    }
  });

  it('lists what is in tests last, and counts it', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, '.config', 'tests'));
    writeFileSync(join(folder, '.config', 'tests', 'a.py'), token);
    const answer = await scan(folder, { path: '.' });
    expect(answer).toMatchObject({ findings_total: 4, in_tests: 1, summary: { critical: 4 } });
    expect(answer['findings']).toHaveProperty('3', expect.objectContaining({ in_tests: true }));
  });

  it('names what a comment about secrets or the setting tools.exclude keeps from the list', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'a.py'), `A = "${token}"  # tutti-ignore: github-token revoked\n`);
    const context = aCodeContext([folder], { exclude: ['Docker*'] });
    const result = await scanSecretsTool(context).call({ path: '.' }, aCallContext());
    expect(result.structuredContent).toMatchObject({ findings_total: 2, silenced: ['a.py:1'] });
    const text = String(result.content[0]?.['text']);
    expect(text).toContain('Allowed by a comment beside them: 1 secret (a.py:1)');
    expect(text).toContain('excluded by the call or by the setting tools.exclude (Dockerfile)');
  });

  it('reads a single file of any kind, a glob, and text in the call', async () => {
    const folder = aFolder();
    expect(await scan(folder, { path: '.env' })).toMatchObject({ findings_total: 1 });
    expect(await scan(folder, { path: 'Docker*' })).toMatchObject({ findings_total: 1 });
    expect(await scan(folder, { code: `x ${token}` })).toMatchObject({ findings_total: 1 });
  });

  it('does not follow a link out of the folder', async () => {
    const folder = aFolder();
    const outside = mkdtempSync(join(tmpdir(), 'tutti-outside-'));
    writeFileSync(join(outside, 'key'), token);
    symlinkSync(join(outside, 'key'), join(folder, 'link'));
    const answer = await scan(folder, { path: '.' });
    expect(JSON.stringify(answer['findings'])).not.toContain('"link"');
    expect(answer).toMatchObject({
      files_scanned: 3,
      not_scanned: expect.arrayContaining([{ reason: 'link', count: 1, examples: ['link'] }]),
    });
    await expect(scan(folder, { path: 'link' })).rejects.toMatchObject({
      code: 'code.outside_roots',
    });
    await expect(scan(folder, { path: '../' })).rejects.toMatchObject({
      code: 'code.outside_roots',
    });
  });

  it('counts links out of the folder, to files and folders, and no others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-links-'));
    const outside = mkdtempSync(join(tmpdir(), 'tutti-outside-'));
    writeFileSync(join(outside, 'key'), token);
    writeFileSync(join(folder, 'own'), token);
    symlinkSync(join(outside, 'key'), join(folder, 'file-elsewhere'));
    symlinkSync(outside, join(folder, 'folder-elsewhere'));
    symlinkSync(join(folder, 'own'), join(folder, 'same-folder'));
    symlinkSync(join(folder, 'nothing'), join(folder, 'to-nothing'));
    symlinkSync(folder, join(folder, 'itself'));
    expect(await scan(folder, { path: '.' })).toMatchObject({
      findings_total: 1,
      files_scanned: 1,
      not_scanned: [{ reason: 'link', count: 2, examples: ['file-elsewhere', 'folder-elsewhere'] }],
    });
  });

  it('refuses neither and both of code and path, and a path with nothing behind it', async () => {
    const folder = aFolder();
    await expect(scan(folder, {})).rejects.toMatchObject({ code: 'code.no_source' });
    await expect(scan(folder, { code: 'x', path: '.' })).rejects.toMatchObject({
      code: 'code.no_source',
    });
    await expect(scan(folder, { path: 'nothing' })).rejects.toMatchObject({
      code: 'code.no_files',
    });
    mkdirSync(join(folder, 'empty'));
    await expect(scan(folder, { path: 'empty' })).rejects.toMatchObject({ code: 'code.no_files' });
  });

  it('lists at most 500 and counts the rest', async () => {
    const code = Array.from({ length: 600 }, (_, index) => `postgres://u:pw${index}x@h`).join('\n');
    expect(await scan(aFolder(), { code })).toMatchObject({
      findings_total: 600,
      findings_omitted: 100,
    });
  });

  it('shows a person the kind and the place, not the secret', async () => {
    const result = await scanSecretsTool(aCodeContext()).call({ code: token }, aCallContext());
    expect(result.content[0]?.['text']).toBe(
      '1 secret in 1 file\n<code>:1:1 critical secrets/github-token: GitHub token (ghp_***40)',
    );
  });
});
