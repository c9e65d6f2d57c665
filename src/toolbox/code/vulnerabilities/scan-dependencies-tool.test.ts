import { mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageLock } from '../../../../testkit/toolbox/code/vulnerabilities/sample-records.ts';
import {
  anOsvServer,
  aScannedProject,
} from '../../../../testkit/toolbox/code/vulnerabilities/scanned-project.ts';

describe('a scan of dependencies', () => {
  it('tells each vulnerability once with its severity, place, path and cure, worst first', async () => {
    const { scanWith } = await aScannedProject();
    const { osvUrl } = await anOsvServer();
    const found = await scanWith({ osvUrl });
    expect(found.vulnerabilities).toEqual([
      {
        id: 'GHSA-aaaa-0001',
        aliases: ['CVE-2024-0001'],
        package: 'left-trim',
        ecosystem: 'npm',
        version: '1.2.0',
        severity: 'critical',
        severity_source: 'cvss',
        cvss_score: 9.8,
        summary: 'Prototype pollution in left-trim',
        fixed_versions: ['1.3.0'],
        lockfile: 'project/web/package-lock.json',
        line: 15,
        direct: false,
        dependency_path: ['framework', 'left-trim'],
        url: 'https://osv.dev/vulnerability/GHSA-aaaa-0001',
      },
      expect.objectContaining({
        id: 'GHSA-aaaa-0003',
        aliases: ['CVE-2024-0100', 'PYSEC-2024-1'],
        severity: 'major',
        severity_source: 'label',
        line: 1,
      }),
      expect.objectContaining({
        id: 'GO-2024-0001',
        severity: 'major',
        severity_source: 'assumed',
        fixed_versions: [],
      }),
      expect.objectContaining({ id: 'GHSA-aaaa-0002', severity: 'minor' }),
    ]);
    expect(found.recommendations).toEqual([
      'Upgrade left-trim 1.2.0 to 1.3.5 or later (comes in through framework)',
      'Upgrade Web_Kit 1.1.0 to 2.0 or later',
      'example.com/mux 1.5.0: no version is known to be free of these faults; consider removing or replacing it',
    ]);
    expect(found).toMatchObject({
      packages_scanned: 4,
      source: 'osv-api',
      as_of: '1970-01-01T00:00:00.000Z',
      skipped: [{ lockfile: 'project/api/requirements.txt', package: 'loose', line: 2 }],
    });
    expect(found.text).toContain('4 known vulnerabilities in 4 packages of 3 files');
  });

  it('takes a text with its name', async () => {
    const { scanWith } = await aScannedProject();
    const { osvUrl } = await anOsvServer();
    const found = await scanWith({ osvUrl }, { code: packageLock, lockfile: 'package-lock.json' });
    expect(found.vulnerabilities).toHaveLength(2);
  });

  it('says so when nothing is known against the packages', async () => {
    const { scanWith } = await aScannedProject();
    const { osvUrl } = await anOsvServer();
    const found = await scanWith({ osvUrl }, { code: 'fine==1.0', lockfile: 'requirements.txt' });
    expect(found).toMatchObject({ vulnerabilities: [], packages_scanned: 1, recommendations: [] });
  });
});

describe('what to scan', () => {
  it('is a file, a folder or a glob inside the roots', async () => {
    const { folder, putRecords, scanWith } = await aScannedProject();
    const osvDirectory = await putRecords();
    const count = async (path: string): Promise<number> =>
      (await scanWith({ osvDirectory }, { path })).lockfiles.length;
    expect(await count('project/go.mod')).toBe(1);
    expect(await count('project/**/*.json')).toBe(1);
    expect(await count('.')).toBe(3);
    expect(await count(join(folder, 'project'))).toBe(3);
  });

  it('is what a manifest pins where there is no lock file', async () => {
    const { put, putRecords, scanWith } = await aScannedProject();
    const osvDirectory = await putRecords();
    await put(
      'bare/package.json',
      '{"dependencies": {"left-trim": "1.2.0", "framework": "^1.0.0"}}',
    );
    const found = await scanWith({ osvDirectory }, { path: 'bare' });
    expect(found.vulnerabilities).toMatchObject([{ package: 'left-trim', direct: true }, {}]);
    expect(found.skipped).toMatchObject([{ package: 'framework' }]);
    expect(found.text).toContain('1 dependency without an exact version');
  });

  it('uses go.sum where there is no go.mod', async () => {
    const { folder, putRecords, scanWith } = await aScannedProject();
    const osvDirectory = await putRecords();
    await rm(join(folder, 'project/go.mod'));
    const found = await scanWith({ osvDirectory });
    expect(found.lockfiles).toContainEqual({ path: 'project/go.sum', packages: 1 });
  });

  it.each([
    [{}, 'toolbox.invalid_arguments'],
    [{ code: 'a==1', path: 'project' }, 'toolbox.invalid_arguments'],
    [{ code: 'a==1' }, 'toolbox.invalid_arguments'],
    [{ code: 'a', lockfile: 'Gemfile.lock' }, 'code.lockfile_unknown'],
    [{ path: 'project/api/../../../etc' }, 'code.outside_roots'],
    [{ path: 'link' }, 'code.outside_roots'],
    [{ path: 'project/notes.md' }, 'code.lockfile_unknown'],
    [{ path: 'nowhere' }, 'code.no_files'],
    [{ path: 'empty' }, 'code.no_files'],
  ])('is refused as %j', async (args, code) => {
    const { folder, put, scanWith } = await aScannedProject();
    await symlink(tmpdir(), join(folder, 'link'));
    await put('project/notes.md', 'text');
    await mkdir(join(folder, 'empty'));
    await expect(scanWith({ osvUrl: 'http://127.0.0.1:1' }, args)).rejects.toMatchObject({ code });
  });

  it('is bounded in packages and lock files', async () => {
    const { put, scanWith } = await aScannedProject();
    const lines = Array.from({ length: 50_001 }, (_, index) => `p${index}==1.0`).join('\n');
    const scan = scanWith({}, { code: lines, lockfile: 'requirements.txt' });
    await expect(scan).rejects.toMatchObject({ code: 'code.too_many_packages' });
    await Promise.all(
      Array.from({ length: 201 }, (_, index) => put(`many/${index}/requirements.txt`, 'a==1')),
    );
    await expect(scanWith({}, { path: 'many' })).rejects.toThrow('201 lock files');
  });
});
