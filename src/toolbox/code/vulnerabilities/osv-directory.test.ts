import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { scanDependenciesTool } from './scan-dependencies-tool.ts';
import { records } from '../../../../testkit/toolbox/code/vulnerabilities/sample-records.ts';
import {
  anOsvServer,
  aScannedProject,
  type ScanResult,
} from '../../../../testkit/toolbox/code/vulnerabilities/scanned-project.ts';

describe('a scan against a folder of OSV records', () => {
  it('finds the same as the API does on the same records', async () => {
    const { putRecords, scanWith } = await aScannedProject();
    const { osvUrl } = await anOsvServer();
    const online = await scanWith({ osvUrl });
    const offline = await scanWith({ osvDirectory: await putRecords() });
    expect(offline.vulnerabilities).toEqual(online.vulnerabilities);
    expect(offline.recommendations).toEqual(online.recommendations);
    expect(offline).toMatchObject({ source: 'osv-directory', as_of: '2024-05-05T00:00:00Z' });
  });

  it('notices new and changed records without a restart', async () => {
    const { folder, put, putRecords } = await aScannedProject();
    const osvDirectory = await putRecords();
    const tool = scanDependenciesTool(aCodeContext([folder], { osvDirectory }));
    const count = async (): Promise<number> => {
      const { structuredContent } = await tool.call({ path: 'project/web' }, aCallContext());
      return (structuredContent as unknown as ScanResult).vulnerabilities.length;
    };
    expect(await count()).toBe(2);
    expect(await count()).toBe(2);
    await put('osv/npm/new.json', JSON.stringify({ ...records[1], id: 'GHSA-aaaa-0009' }));
    expect(await count()).toBe(3);
    await put(
      'osv/npm/new.json',
      JSON.stringify({ ...records[1], id: 'GHSA-aaaa-0009', affected: [] }),
    );
    await utimes(join(osvDirectory, 'npm/new.json'), 1, 1);
    expect(await count()).toBe(2);
  });

  it('leaves out what is no record and says so', async () => {
    const { put, putRecords, scanWith } = await aScannedProject();
    const osvDirectory = await putRecords();
    await put('osv/npm/broken.json', '{"id": ');
    const found = await scanWith({ osvDirectory });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(found.warnings[0]).toMatch(/^skipped 1 file that is not an OSV record.*broken\.json$/);
  });

  it('refuses to answer about an ecosystem it has no record of, or when it is missing', async () => {
    const { folder, put, scanWith } = await aScannedProject();
    await put('osv/npm/GHSA-aaaa-0001.json', JSON.stringify(records[0]));
    await expect(scanWith({ osvDirectory: join(folder, 'osv') })).rejects.toMatchObject({
      code: 'code.osv_directory_unusable',
      message: expect.stringContaining('no record about Go, PyPI') as string,
    });
    await expect(scanWith({ osvDirectory: join(folder, 'nowhere') })).rejects.toThrow('ENOENT');
  });
});
