import { compare, valid } from '@renovatebot/pep440';
import { parse, type SemVer } from 'semver';
import type { Ecosystem } from '../locked-package.ts';
import { compareMaven } from './maven-version.ts';

/** Negative, zero or positive; `undefined` when one of the two is no version of the ecosystem. */
export type VersionOrder = (a: string, b: string) => number | undefined;

const orders: Readonly<Record<Ecosystem, VersionOrder>> = {
  npm: compareSemver,
  Go: compareSemver,
  'crates.io': compareSemver,
  PyPI: comparePep440,
  Maven: compareMaven,
};

/** Longer texts are no versions; the bound keeps every comparison cheap. */
const maxVersionLength = 256;

/** How the versions of an ecosystem sort. */
export function versionOrderOf(ecosystem: Ecosystem): VersionOrder {
  const order = orders[ecosystem];
  return (a, b) => (Math.max(a.length, b.length) > maxVersionLength ? undefined : order(a, b));
}

/** A leading `v`, leading zeros, missing minor or patch numbers and build metadata do not count. */
export function compareSemver(a: string, b: string): number | undefined {
  const [left, right] = [parseSemver(a), parseSemver(b)];
  return left && right ? left.compare(right) : undefined;
}

function parseSemver(text: string): SemVer | null {
  const padded = text
    .trim()
    .replace(
      /^([v=]?\d+)(\.\d+)?(?=[-+]|$)/,
      (_, major: string, minor = '.0') => `${major}${minor}.0`,
    );
  return parse(padded, { loose: true });
}

function comparePep440(a: string, b: string): number | undefined {
  const [left, right] = [a.trim(), b.trim()];
  return valid(left) && valid(right) ? compare(left, right) : undefined;
}
