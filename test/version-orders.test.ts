import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { versionOrderOf } from '../src/toolbox/code/vulnerabilities/compare-versions.ts';

/** Made by `scripts/make-version-orders.py` with packaging, Maven's ComparableVersion and node-semver. */
const orders = z
  .object({ PyPI: z.array(z.string()), Maven: z.array(z.string()), npm: z.array(z.string()) })
  .parse(JSON.parse(readFileSync(new URL('data/version-orders.json', import.meta.url), 'utf8')));

const signs: Readonly<Record<string, number>> = { '<': -1, '=': 0, '>': 1 };

describe.each(['PyPI', 'Maven', 'npm'] as const)('versions of %s', (ecosystem) => {
  it('sort as the reference tool sorts them', () => {
    const order = versionOrderOf(ecosystem);
    const wrong = orders[ecosystem].filter((line) => {
      const [a = '', sign = '', b = ''] = line.split(' ');
      return Math.sign(order(a, b) ?? Number.NaN) !== signs[sign];
    });
    expect(orders[ecosystem].length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });
});
