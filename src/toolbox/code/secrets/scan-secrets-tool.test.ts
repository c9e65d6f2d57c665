import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../testing/call-context.ts';
import { aCodeContext } from '../../testing/code-context.ts';
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
      files_skipped: 1,
    });
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
    expect(JSON.stringify(answer)).not.toContain('"link"');
    expect(answer).toMatchObject({ files_scanned: 3, files_skipped: 2 });
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
      files_skipped: 2,
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
      '1 secret in 1 file, 0 skipped\n<code>:1:1 critical secrets/github-token: GitHub token (ghp_***40)',
    );
  });
});
