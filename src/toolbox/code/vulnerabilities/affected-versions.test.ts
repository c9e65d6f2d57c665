import { describe, expect, it } from 'vitest';
import { fixedVersions, isAffected } from './affected-versions.ts';
import { osvRecordSchema, type OsvEvent } from './osv-record.ts';
import type { Ecosystem } from './locked-package.ts';

interface Case {
  readonly ecosystem: Ecosystem;
  readonly type?: string;
  readonly events?: readonly OsvEvent[];
  readonly versions?: readonly string[];
}

function aRecord({ ecosystem, type, events, versions }: Case) {
  return osvRecordSchema.parse({
    id: 'T-1',
    modified: '2024-01-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem, name: 'Zope.Interface' },
        ...(events ? { ranges: [{ type: type ?? 'SEMVER', events }] } : {}),
        ...(versions ? { versions } : {}),
      },
    ],
  });
}

const affects = (given: Case, version: string, name = 'Zope.Interface'): boolean =>
  isAffected(aRecord(given), { ecosystem: given.ecosystem, name, version });

describe('a range', () => {
  it('begins at "introduced" and ends before "fixed"', () => {
    const given = {
      ecosystem: 'npm',
      events: [{ introduced: '1.0.0' }, { fixed: '1.2.0' }],
    } as const;
    const hit = ['0.9.9', '1.0.0-rc.1', '1.0.0', '1.1.9', '1.2.0-rc.1', '1.2.0', '2.0.0'].filter(
      (version) => affects(given, version),
    );
    expect(hit).toEqual(['1.0.0', '1.1.9', '1.2.0-rc.1']);
  });

  it('from "0" includes every version, pre-releases too', () => {
    const given = { ecosystem: 'Go', events: [{ introduced: '0' }, { fixed: '1.0.0' }] } as const;
    expect(affects(given, '0.0.0-20190101000000-abcdefabcdef')).toBe(true);
    expect(affects(given, '1.0.0+incompatible')).toBe(false);
  });

  it('includes "last_affected" itself', () => {
    const given = {
      ecosystem: 'crates.io',
      events: [{ introduced: '0' }, { last_affected: '1.4.0' }],
    } as const;
    expect([affects(given, '1.4.0'), affects(given, '1.4.1')]).toEqual([true, false]);
  });

  it('may open and close several times, in any order of events', () => {
    const events = [
      { fixed: '2.1.0' },
      { introduced: '2.0.0' },
      { fixed: '1.1.0' },
      { introduced: '0' },
    ];
    const given = { ecosystem: 'npm', events } as const;
    const hit = ['1.0.0', '1.1.0', '1.9.0', '2.0.5', '2.1.0'].filter((version) =>
      affects(given, version),
    );
    expect(hit).toEqual(['1.0.0', '2.0.5']);
  });

  it('counts as opened again where it is fixed and introduced at one version', () => {
    const events = [{ introduced: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '2.0.0' }];
    expect(affects({ ecosystem: 'npm', events }, '2.0.0')).toBe(true);
  });

  it('does not reach beyond its limits', () => {
    const events = [{ introduced: '0' }, { limit: '1.5.0' }];
    const given = { ecosystem: 'npm', events } as const;
    expect([affects(given, '1.4.0'), affects(given, '1.5.0')]).toEqual([true, false]);
    expect(
      affects({ ecosystem: 'npm', events: [{ introduced: '0' }, { limit: '*' }] }, '9.0.0'),
    ).toBe(true);
  });

  it('uses the order of the ecosystem, and names as PEP 503 compares them', () => {
    const events = [{ introduced: '1.0rc1' }, { fixed: '1.0.post2' }];
    const given = { ecosystem: 'PyPI', type: 'ECOSYSTEM', events } as const;
    const hit = ['1.0b9', '1.0rc1', '1.0', '1.0.post1', '1.0.post2'].filter((version) =>
      affects(given, version, 'zope_interface'),
    );
    expect(hit).toEqual(['1.0rc1', '1.0', '1.0.post1']);
    const maven = {
      ecosystem: 'Maven',
      type: 'ECOSYSTEM',
      events: [{ introduced: '0' }, { fixed: '2.0-rc1' }],
    } as const;
    expect([affects(maven, '2.0-beta9'), affects(maven, '2.0')]).toEqual([true, false]);
  });

  it('of commits says nothing about versions', () => {
    expect(affects({ ecosystem: 'npm', type: 'GIT', events: [{ introduced: '0' }] }, '1.0.0')).toBe(
      false,
    );
  });

  it('never matches a version it cannot place', () => {
    const given = {
      ecosystem: 'PyPI',
      type: 'ECOSYSTEM',
      events: [{ introduced: '1.0' }],
    } as const;
    expect(affects(given, '2004d')).toBe(false);
  });
});

describe('a list of versions', () => {
  it('matches equal versions in whatever spelling', () => {
    const given = { ecosystem: 'PyPI', versions: ['1.0', '1.1rc1'] } as const;
    expect([affects(given, '1.0.0'), affects(given, '1.1.RC1'), affects(given, '1.1')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('of another package or ecosystem does not count', () => {
    const given = { ecosystem: 'npm', versions: ['1.0.0'] } as const;
    expect(affects(given, '1.0.0', 'zope-interface')).toBe(false);
    expect(
      isAffected(aRecord(given), { ecosystem: 'PyPI', name: 'Zope.Interface', version: '1.0.0' }),
    ).toBe(false);
  });
});

it('names the fixes that are newer than the version at hand, lowest first', () => {
  const events = [
    { introduced: '0' },
    { fixed: '1.1.0' },
    { introduced: '2.0.0' },
    { fixed: '10.0.0' },
    { fixed: '2.3.0' },
  ];
  const locked = { ecosystem: 'npm', name: 'Zope.Interface', version: '2.0.0' } as const;
  expect(fixedVersions(aRecord({ ecosystem: 'npm', events }), locked)).toEqual(['2.3.0', '10.0.0']);
});
