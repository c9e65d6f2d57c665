import { describe, expect, it } from 'vitest';
import { versionOrderOf, type VersionOrder } from './compare-versions.ts';

/** Pairs out of order in a strictly ascending chain; texts inside one step are equal. */
function disorders(order: VersionOrder, chain: readonly string[][]): string[] {
  const flat = chain.flatMap((step, place) => step.map((version) => ({ version, place })));
  return flat.flatMap((a) =>
    flat
      .filter((b) => Math.sign(order(a.version, b.version) ?? 9) !== Math.sign(a.place - b.place))
      .map((b) => `${a.version} and ${b.version}`),
  );
}

describe('versions of npm, Go and crates.io', () => {
  it('sort as Semantic Versioning says, pre-releases before the release and numbers by value', () => {
    const chain = [
      ['0.0.0-20190101000000-abcdefabcdef'],
      ['0.0.1-0'],
      ['0.0.1'],
      ['1.0.0-1'],
      ['1.0.0-2'],
      ['1.0.0-10'],
      ['1.0.0-alpha'],
      ['1.0.0-alpha.1', 'v1.0.0-alpha.1+build'],
      ['1.0.0-alpha.beta'],
      ['1.0.0-beta'],
      ['1.0.0-beta.2'],
      ['1.0.0-beta.11'],
      ['1.0.0-rc.1'],
      ['1.0.0-rc-1'],
      ['1.0.0', '1', '1.0', 'v1.0.0', '1.0.0+incompatible', '01.0.0'],
      ['1.0.1'],
      ['1.2.0'],
      ['1.10.0'],
      ['2.0.0'],
    ];
    expect(disorders(versionOrderOf('npm'), chain)).toEqual([]);
  });

  it.each(['', 'latest', '1.2.x', '1.2.3.4', 'file:../a', '1.0.0 || 2', '9007199254740993.0.0'])(
    'do not include %j',
    (text) => {
      expect(versionOrderOf('Go')(text, '1.0.0')).toBeUndefined();
    },
  );

  it('do not include texts of hundreds of characters', () => {
    expect(versionOrderOf('npm')(`1.${'0'.repeat(300)}`, '1.0.0')).toBeUndefined();
    expect(versionOrderOf('PyPI')(`1.${'0'.repeat(300)}`, '1.0.0')).toBeUndefined();
  });
});

describe('versions of PyPI', () => {
  it('sort as PEP 440 says: epochs, dev, alpha, beta, candidates, final, local and post releases', () => {
    const chain = [
      ['0.9'],
      ['1.dev0', '1.0.dev', '1.0-dev0'],
      ['1.0.dev456'],
      ['1.0a1.dev1'],
      ['1.0a1', '1.0.alpha1', '1.0-ALPHA-1', 'v1.0a1'],
      ['1.0a2.dev456'],
      ['1.0a2'],
      ['1.0a12.dev456'],
      ['1.0a12'],
      ['1.0b1.dev456'],
      ['1.0b2', '1.0beta2', '1.0_b_2'],
      ['1.0b2.post345.dev456'],
      ['1.0b2.post345', '1.0b2-345'],
      ['1.0rc1.dev456'],
      ['1.0rc1', '1.0c1', '1.0.pre1', '1.0preview1'],
      ['1.0', '1', '1.0.0', '1.00.0'],
      ['1.0+abc.5'],
      ['1.0+abc.7', '1.0+abc-7', '1.0+ABC_7'],
      ['1.0+5'],
      ['1.0+5.1'],
      ['1.0.post456.dev34'],
      ['1.0.post456', '1.0-456', '1.0.rev456', '1.0r456'],
      ['1.1.dev1'],
      ['1.1'],
      ['1.10'],
      ['2012.10'],
      ['1!0.1'],
      ['2!0'],
    ];
    expect(disorders(versionOrderOf('PyPI'), chain)).toEqual([]);
  });

  it.each(['', 'french toast', '1.0-', '1.0+a+', '==1.0', '2004d'])('do not include %j', (text) => {
    expect(versionOrderOf('PyPI')(text, '1.0')).toBeUndefined();
  });
});

describe('versions of Maven', () => {
  it('sort as ComparableVersion does: qualifiers in their order, unknown ones after the release', () => {
    const chain = [
      ['1-alpha2snapshot'],
      ['1-alpha2', '1-a2', '1.0-ALPHA-2', '1alpha2'],
      ['1-alpha-123'],
      ['1-beta-2', '1b2'],
      ['1-beta123'],
      ['1-m2', '1-milestone-2'],
      ['1-m11'],
      ['1-rc', '1-cr', '1.0.0-CR'],
      ['1-cr2', '1-rc2', '1.rc2'],
      ['1-SNAPSHOT'],
      ['1', '1.0', '1.0.0', '1-ga', '1-final', '1.RELEASE', '1-0', '1.0.0-0'],
      ['1-sp'],
      ['1-sp2'],
      ['1-abc'],
      ['1-def'],
      ['1-jre'],
      ['1-pom-1'],
      ['1-1-snapshot'],
      ['1-1'],
      ['1-2'],
      ['1.0.1'],
      ['1.2'],
      ['1.10'],
      ['2.0-alpha'],
      ['20040616'],
      ['99999999999999999999999'],
    ];
    expect(disorders(versionOrderOf('Maven'), chain)).toEqual([]);
  });

  it('compares versions of any shape, in bounded time', () => {
    const order = versionOrderOf('Maven');
    expect(order('-'.repeat(256), '1')).toBeLessThan(0);
    expect(order('1-'.repeat(128), '1-'.repeat(127))).toBeGreaterThan(0);
    expect(order('', '0')).toBe(0);
    expect(order('1'.repeat(257), '1')).toBeUndefined();
  });
});
