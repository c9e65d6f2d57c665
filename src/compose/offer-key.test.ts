import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { offerKey } from './offer-key.ts';

function aBuild(): { module: string; file: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-offer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'toolbox.js');
  writeFileSync(file, '');
  return { module: pathToFileURL(file).href, file, folder: join(folder, 'standards') };
}

it('is the same as long as build, settings and folder are', () => {
  const { module, folder } = aBuild();
  const key = offerKey(module, ['1'], folder);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(offerKey(module, ['1'], folder)).toBe(key);
});

it('differs for another build, other settings and another file in the folder', () => {
  const { module, file, folder } = aBuild();
  const keys = [offerKey(module, ['1'], folder), offerKey(module, ['2'], folder)];
  mkdirSync(folder);
  writeFileSync(join(folder, 'python.md'), '# Python');
  keys.push(offerKey(module, ['1'], folder));
  utimesSync(file, 1, 1);
  keys.push(offerKey(module, ['1'], folder));
  expect(new Set(keys).size).toBe(4);
});

it('is none for sources, and for a folder it cannot look through', () => {
  const { module, folder } = aBuild();
  expect(offerKey(import.meta.url, ['1'])).toBeUndefined();
  writeFileSync(folder, 'a file in place of the folder');
  expect(offerKey(module, ['1'], folder)).toBeUndefined();
  rmSync(folder);
  mkdirSync(folder);
  for (let file = 0; file <= 500; file += 1) writeFileSync(join(folder, `${file}.md`), '');
  expect(offerKey(module, ['1'], folder)).toBeUndefined();
});
