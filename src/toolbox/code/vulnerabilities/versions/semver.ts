import { compareDigits, compareStrings, maxVersionLength } from './compare-digits.ts';

interface Semver {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

/**
 * Orders two versions by Semantic Versioning 2.0.0. A leading `v`, missing minor or patch numbers and
 * build metadata are accepted and do not count. `undefined` when either is no such version.
 */
export function compareSemver(a: string, b: string): number | undefined {
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) return undefined;
  for (let index = 0; index < 3; index += 1) {
    const order = compareDigits(left.numbers[index] ?? '', right.numbers[index] ?? '');
    if (order !== 0) return order;
  }
  return comparePrerelease(left.prerelease, right.prerelease);
}

const pattern = /^[v=]?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]*)?$/;

function parse(text: string): Semver | undefined {
  if (text.length > maxVersionLength) return undefined;
  const match = pattern.exec(text.trim());
  if (!match) return undefined;
  return {
    numbers: [match[1] ?? '0', match[2] ?? '0', match[3] ?? '0'],
    prerelease: match[4]?.split('.') ?? [],
  };
}

function comparePrerelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = compareIdentifier(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareIdentifier(a: string, b: string): number {
  const isNumberA = /^\d+$/.test(a);
  const isNumberB = /^\d+$/.test(b);
  if (isNumberA && isNumberB) return compareDigits(a, b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return compareStrings(a, b);
}
