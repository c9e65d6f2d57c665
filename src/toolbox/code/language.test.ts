import { expect, it } from 'vitest';
import { knownEndings, languageOfPath, languages } from './language.ts';

it('knows a language by the ending of a file name, whatever its case', () => {
  expect(languageOfPath('src/App.TSX')).toBe('typescript');
  expect(languageOfPath('types.d.ts')).toBe('typescript');
  expect(languageOfPath('schema.sql')).toBe('sql');
});

it('knows none for other endings or none', () => {
  expect(languageOfPath('README.md')).toBeUndefined();
  expect(languageOfPath('Makefile')).toBeUndefined();
});

it('has at least one ending for every language', () => {
  const reached = new Set(knownEndings().map((ending) => languageOfPath(`x.${ending}`)));
  expect(reached).toEqual(new Set(languages));
});
