import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownFile, ownModule, ownVersion } from './own-files.ts';

it('finds files, modules and the version of this package', () => {
  expect(existsSync(ownFile('kernel/README.md'))).toBe(true);
  expect(existsSync(ownModule('kernel/own-files'))).toBe(true);
  expect(ownVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
