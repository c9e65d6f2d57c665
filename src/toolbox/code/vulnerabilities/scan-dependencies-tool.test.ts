import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aCallContext } from '../../testing/call-context.ts';
import { aCodeContext } from '../../testing/code-context.ts';
import type { Vulnerability } from './describe-vulnerabilities.ts';
import type { OsvApiOptions } from './osv-api.ts';
import { scanDependenciesTool } from './scan-dependencies-tool.ts';
import { OsvServer, type Disturbance, type OsvServerOptions } from './testing/osv-server.ts';

const range = (ecosystem: string, name: string, events: readonly object[]) => ({
  package: { ecosystem, name },
  ranges: [
    { type: 'GIT', repo: 'https://example.com/r', events: [{ introduced: '0' }] },
    { type: ecosystem === 'npm' || ecosystem === 'Go' ? 'SEMVER' : 'ECOSYSTEM', events },
  ],
});

/** Records in OSV's form about packages that do not exist. */
const records = [
  {
    schema_version: '1.6.0',
    id: 'GHSA-aaaa-0001',
    modified: '2024-03-01T00:00:00Z',
    published: '2024-01-01T00:00:00Z',
    aliases: ['CVE-2024-0001'],
    summary: 'Prototype pollution in left-trim',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [range('npm', 'left-trim', [{ introduced: '0' }, { fixed: '1.3.0' }])],
    database_specific: { severity: 'CRITICAL', cwe_ids: ['CWE-1321'] },
  },
  {
    id: 'GHSA-aaaa-0002',
    modified: '2024-04-01T00:00:00Z',
    summary: 'Slow regular expression in left-trim',
    affected: [range('npm', 'left-trim', [{ introduced: '1.0.0' }, { fixed: '1.3.5' }])],
    database_specific: { severity: 'MODERATE' },
  },
  {
    id: 'PYSEC-2024-1',
    modified: '2024-02-01T00:00:00Z',
    aliases: ['CVE-2024-0100', 'GHSA-aaaa-0003'],
    details: 'Header injection in web-kit.\nMore text.',
    affected: [
      {
        ...range('PyPI', 'web-kit', [{ introduced: '0' }, { fixed: '2.0' }]),
        versions: ['1.0', '1.1'],
      },
    ],
  },
  {
    id: 'GHSA-aaaa-0003',
    modified: '2024-02-02T00:00:00Z',
    aliases: ['CVE-2024-0100'],
    summary: 'Header injection in web-kit',
    affected: [range('PyPI', 'web-kit', [{ introduced: '0' }, { fixed: '2.0' }])],
    database_specific: { severity: 'HIGH' },
  },
  {
    id: 'GHSA-aaaa-0004',
    modified: '2024-02-03T00:00:00Z',
    withdrawn: '2024-02-04T00:00:00Z',
    affected: [range('PyPI', 'web-kit', [{ introduced: '0' }])],
  },
  {
    id: 'GO-2024-0001',
    modified: '2024-05-05T00:00:00Z',
    summary: 'Endless loop in example.com/mux',
    affected: [range('Go', 'example.com/mux', [{ introduced: '0' }, { last_affected: '1.5.0' }])],
  },
];

const matches = {
  'npm/left-trim@1.2.0': ['GHSA-aaaa-0001', 'GHSA-aaaa-0002'],
  'PyPI/Web_Kit@1.1.0': ['PYSEC-2024-1', 'GHSA-aaaa-0003', 'GHSA-aaaa-0004'],
  'Go/example.com/mux@1.5.0': ['GO-2024-0001'],
};

const packageLock = JSON.stringify(
  {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { framework: '1' } },
      'node_modules/framework': { version: '1.0.0', dependencies: { 'left-trim': '1' } },
      'node_modules/left-trim': { version: '1.2.0' },
    },
  },
  undefined,
  2,
);

let folder: string;
const servers: OsvServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-osv-'));
  await put('project/web/package-lock.json', packageLock);
  await put('project/api/requirements.txt', 'Web_Kit==1.1.0\nloose>=1\n');
  await put('project/go.mod', 'module m\nrequire example.com/mux v1.5.0\n');
  await put('project/go.sum', 'example.com/mux v1.0.0 h1:x=\n');
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await rm(folder, { recursive: true });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function aServer(options: Partial<OsvServerOptions> = {}) {
  const server = new OsvServer({ matches, records, ...options });
  servers.push(server);
  return { server, osvUrl: await server.start() };
}

interface Result {
  readonly vulnerabilities: readonly Vulnerability[];
  readonly packages_scanned: number;
  readonly recommendations: readonly string[];
  readonly skipped: readonly object[];
  readonly lockfiles: readonly object[];
  readonly warnings: readonly string[];
  readonly source: string;
  readonly as_of: string;
  readonly text: string;
}

const quick: OsvApiOptions = { pause: async () => {}, clock: { now: () => 0 } };

async function scanWith(
  settings: { osvUrl?: string; osvDirectory?: string },
  args: object = { path: 'project' },
  api: OsvApiOptions = quick,
): Promise<Result> {
  const tool = scanDependenciesTool(aCodeContext([folder], settings), api);
  const result = await tool.call(args, aCallContext());
  return {
    ...result.structuredContent,
    text: String(result.content[0]?.['text']),
  } as unknown as Result;
}

async function putRecords(): Promise<string> {
  await put('osv/npm/GHSA-aaaa-0001.json', JSON.stringify(records[0]));
  await put('osv/npm/GHSA-aaaa-0002.json', JSON.stringify(records[1]));
  for (const record of records.slice(2, 5))
    await put(`osv/PyPI/${record.id}.json`, JSON.stringify(record));
  await put('osv/GO-2024-0001.json', JSON.stringify(records[5]));
  return join(folder, 'osv');
}

describe('a scan against the OSV API', () => {
  it('tells each vulnerability once with its severity, place, path and cure, worst first', async () => {
    const { osvUrl } = await aServer();
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
    expect(found.text).toContain('4 known vulnerabilities in 4 packages of 3 lock file(s)');
  });

  it('reads all pages, asks in batches of at most 1000 and reads each record once', async () => {
    const { server, osvUrl } = await aServer({ pageSize: 1 });
    const lines = Array.from({ length: 2_500 }, (_, index) => `package-${index}==1.0`);
    await put('project/requirements.txt', lines.join('\n'));
    const found = await scanWith({ osvUrl });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(found.packages_scanned).toBe(2_504);
    expect(Math.max(...server.batchSizes)).toBe(1_000);
    const reads = server.requests.filter((request) => request.startsWith('GET'));
    expect(new Set(reads).size).toBe(reads.length);
  });

  it('takes a text with its name', async () => {
    const { osvUrl } = await aServer();
    const found = await scanWith({ osvUrl }, { code: packageLock, lockfile: 'package-lock.json' });
    expect(found.vulnerabilities).toHaveLength(2);
  });

  it('says so when nothing is known against the packages', async () => {
    const { osvUrl } = await aServer();
    const found = await scanWith({ osvUrl }, { code: 'fine==1.0', lockfile: 'requirements.txt' });
    expect(found).toMatchObject({ vulnerabilities: [], packages_scanned: 1, recommendations: [] });
  });

  it('tries again after 429 and 5xx, waiting as long as it is told but never too long', async () => {
    const pauses: number[] = [];
    const { osvUrl } = await aServer({
      disturb: (_, response, count) => {
        if (count > 3) return false;
        response.writeHead(
          count === 1 ? 429 : 503,
          count === 2 ? {} : { 'retry-after': count === 1 ? '2' : '9999' },
        );
        response.end('busy');
        return true;
      },
    });
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    const found = await scanWith({ osvUrl }, { path: 'project' }, { pause });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(pauses).toEqual([2_000, 500, 5_000]);
  });
});

describe('a scan that cannot ask the OSV API', () => {
  const send =
    (status: number, body: string): Disturbance =>
    (_, response) => {
      response.writeHead(status);
      response.end(body);
      return true;
    };

  it.each([
    ['answers 500 for ever', { disturb: send(500, 'no') }, 'HTTP 500 for /v1/querybatch'],
    ['refuses the request', { disturb: send(400, 'no') }, 'HTTP 400'],
    ['answers with no JSON', { disturb: send(200, '<html>') }, 'is not JSON'],
    [
      'answers with another form',
      { disturb: send(200, '{"results": 3}') },
      'does not have the OSV form',
    ],
    ['answers too little', { disturb: send(200, '{"results": []}') }, '0 results for 4 queries'],
    ['has no such record', { records: [] }, 'HTTP 404 for /v1/vulns/'],
    [
      'never stops paging',
      {
        disturb: send(
          200,
          JSON.stringify({ results: Array.from({ length: 4 }, () => ({ next_page_token: 'x' })) }),
        ),
      },
      'more pages',
    ],
  ] as const)(
    'because it %s fails with the way to the offline folder',
    async (_, options, problem) => {
      const { osvUrl } = await aServer(options);
      const scan = scanWith({ osvUrl });
      await expect(scan).rejects.toMatchObject({ code: 'code.osv_unreachable', retryable: true });
      await expect(scan).rejects.toThrow(problem);
      await expect(scan).rejects.toThrow('tools.dependencies.osv_dir');
    },
  );

  it('because nobody listens says so', async () => {
    const { server, osvUrl } = await aServer();
    await server.stop();
    servers.splice(0);
    await expect(scanWith({ osvUrl })).rejects.toThrow('ECONNREFUSED');
  });

  it('because it never answers gives up after the time limit of each attempt', async () => {
    const { server, osvUrl } = await aServer({ disturb: () => true });
    const api = { ...quick, requestTimeoutMs: 30, maxAttempts: 2 };
    await expect(scanWith({ osvUrl }, { path: 'project' }, api)).rejects.toThrow('within 30 ms');
    expect(server.requests).toHaveLength(2);
  });

  it('ends at once, with the reason given, when the caller cancels', async () => {
    const cancel = new AbortController();
    const { osvUrl } = await aServer({
      disturb: () => {
        cancel.abort(new Error('enough'));
        return true;
      },
    });
    const tool = scanDependenciesTool(aCodeContext([folder], { osvUrl }));
    const call = tool.call({ path: 'project' }, aCallContext({ signal: cancel.signal }));
    await expect(call).rejects.toThrow('enough');
  });
});

describe('a scan against a folder of OSV records', () => {
  it('finds the same as the API does on the same records', async () => {
    const { osvUrl } = await aServer();
    const online = await scanWith({ osvUrl });
    const offline = await scanWith({ osvDirectory: await putRecords() });
    expect(offline.vulnerabilities).toEqual(online.vulnerabilities);
    expect(offline.recommendations).toEqual(online.recommendations);
    expect(offline).toMatchObject({ source: 'osv-directory', as_of: '2024-05-05T00:00:00Z' });
  });

  it('notices new and changed records without a restart', async () => {
    const osvDirectory = await putRecords();
    const tool = scanDependenciesTool(aCodeContext([folder], { osvDirectory }));
    const count = async (): Promise<number> => {
      const { structuredContent } = await tool.call({ path: 'project/web' }, aCallContext());
      return (structuredContent as unknown as Result).vulnerabilities.length;
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
    const osvDirectory = await putRecords();
    await put('osv/npm/broken.json', '{"id": ');
    const found = await scanWith({ osvDirectory });
    expect(found.vulnerabilities).toHaveLength(4);
    expect(found.warnings[0]).toMatch(/^1 file\(s\) are no OSV record .*broken\.json$/);
  });

  it('refuses to answer about an ecosystem it has no record of, or when it is missing', async () => {
    await put('osv/npm/GHSA-aaaa-0001.json', JSON.stringify(records[0]));
    await expect(scanWith({ osvDirectory: join(folder, 'osv') })).rejects.toMatchObject({
      code: 'code.osv_directory_unusable',
      message: expect.stringContaining('no record about Go, PyPI') as string,
    });
    await expect(scanWith({ osvDirectory: join(folder, 'nowhere') })).rejects.toThrow('ENOENT');
  });
});

describe('what to scan', () => {
  it('is a file, a folder or a glob inside the roots', async () => {
    const osvDirectory = await putRecords();
    const count = async (path: string): Promise<number> =>
      (await scanWith({ osvDirectory }, { path })).lockfiles.length;
    expect(await count('project/go.mod')).toBe(1);
    expect(await count('project/**/*.json')).toBe(1);
    expect(await count('.')).toBe(3);
    expect(await count(join(folder, 'project'))).toBe(3);
  });

  it('uses go.sum where there is no go.mod', async () => {
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
    await symlink(tmpdir(), join(folder, 'link'));
    await put('project/notes.md', 'text');
    await mkdir(join(folder, 'empty'));
    await expect(scanWith({ osvUrl: 'http://127.0.0.1:1' }, args)).rejects.toMatchObject({ code });
  });

  it('is bounded in packages and lock files', async () => {
    const lines = Array.from({ length: 50_001 }, (_, index) => `p${index}==1.0`).join('\n');
    const scan = scanWith({}, { code: lines, lockfile: 'requirements.txt' });
    await expect(scan).rejects.toMatchObject({ code: 'code.too_many_packages' });
    await Promise.all(
      Array.from({ length: 201 }, (_, index) => put(`many/${index}/requirements.txt`, 'a==1')),
    );
    await expect(scanWith({}, { path: 'many' })).rejects.toThrow('201 lock files');
  });
});
