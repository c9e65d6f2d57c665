import type { Ecosystem } from '../locked-package.ts';
import { compareMaven } from './maven-version.ts';
import { comparePep440 } from './pep440.ts';
import { compareSemver } from './semver.ts';

/** Negative, zero or positive; `undefined` when one of the two is no version of the ecosystem. */
export type VersionOrder = (a: string, b: string) => number | undefined;

const orders: Readonly<Record<Ecosystem, VersionOrder>> = {
  npm: compareSemver,
  Go: compareSemver,
  'crates.io': compareSemver,
  PyPI: comparePep440,
  Maven: compareMaven,
};

/** How the versions of an ecosystem sort. */
export function versionOrderOf(ecosystem: Ecosystem): VersionOrder {
  return orders[ecosystem];
}
