import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { aDirectory } from '../../../observe/a-directory.ts';
import { aCallContext } from '../../call-context.ts';
import { aCodeContext } from '../../code-context.ts';
import type { OsvApiOptions } from '../../../../src/toolbox/code/vulnerabilities/osv-api.ts';
import {
  scanDependenciesTool,
  type ScanReport,
} from '../../../../src/toolbox/code/vulnerabilities/scan-dependencies-tool.ts';
import { OsvServer, type OsvServerOptions } from './osv-server.ts';
import { matches, packageLock, records } from './sample-records.ts';

export type ScanResult = ScanReport & { readonly text: string };

export interface ScannedProject {
  /** The root; the lock files are in `project` below it. */
  readonly folder: string;
  readonly put: (path: string, text: string) => Promise<void>;
  /** Writes the sample records into a folder and gives its path. */
  readonly putRecords: () => Promise<string>;
  readonly scanWith: (
    settings: { osvUrl?: string; osvDirectory?: string },
    args?: object,
    api?: OsvApiOptions,
  ) => Promise<ScanResult>;
}

/** Never waits, and it is always 1970. */
export const quick: OsvApiOptions = { pause: async () => {}, clock: { now: () => 0 } };

/** A project with four lock files that is removed when the running test has finished. */
export async function aScannedProject(): Promise<ScannedProject> {
  const folder = aDirectory();
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await put('project/web/package-lock.json', packageLock);
  await put('project/api/requirements.txt', 'Web_Kit==1.1.0\nloose>=1\n');
  await put('project/go.mod', 'module m\nrequire example.com/mux v1.5.0\n');
  await put('project/go.sum', 'example.com/mux v1.0.0 h1:x=\n');
  return {
    folder,
    put,
    putRecords: async () => {
      await put('osv/npm/GHSA-aaaa-0001.json', JSON.stringify(records[0]));
      await put('osv/npm/GHSA-aaaa-0002.json', JSON.stringify(records[1]));
      for (const record of records.slice(2, 5))
        await put(`osv/PyPI/${record.id}.json`, JSON.stringify(record));
      await put('osv/GO-2024-0001.json', JSON.stringify(records[5]));
      return join(folder, 'osv');
    },
    scanWith: async (settings, args = { path: 'project' }, api = quick) => {
      const tool = scanDependenciesTool(aCodeContext([folder], settings), api);
      const result = await tool.call(args, aCallContext());
      return {
        ...result.structuredContent,
        text: String(result.content[0]?.['text']),
      } as unknown as ScanResult;
    },
  };
}

/** An OSV that knows the sample records, and its address. It stops when the running test has finished. */
export async function anOsvServer(
  options: Partial<OsvServerOptions> = {},
): Promise<{ readonly server: OsvServer; readonly osvUrl: string }> {
  const server = new OsvServer({ matches, records, ...options });
  onTestFinished(() => server.stop());
  return { server, osvUrl: await server.start() };
}
