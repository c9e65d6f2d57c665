const range = (ecosystem: string, name: string, events: readonly object[]) => ({
  package: { ecosystem, name },
  ranges: [
    { type: 'GIT', repo: 'https://example.com/r', events: [{ introduced: '0' }] },
    { type: ecosystem === 'npm' || ecosystem === 'Go' ? 'SEMVER' : 'ECOSYSTEM', events },
  ],
});

/** Records in OSV's form about packages that do not exist. */
export const records = [
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

/** What OSV would say about the project of `aScannedProject`. */
export const matches = {
  'npm/left-trim@1.2.0': ['GHSA-aaaa-0001', 'GHSA-aaaa-0002'],
  'PyPI/Web_Kit@1.1.0': ['PYSEC-2024-1', 'GHSA-aaaa-0003', 'GHSA-aaaa-0004'],
  'Go/example.com/mux@1.5.0': ['GO-2024-0001'],
};

export const packageLock = JSON.stringify(
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
