import { expect, it } from 'vitest';
import { knownEndings, languageOfPath, languages, otherKindOf } from './language.ts';

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

it.each([
  ['deploy/run.sh', 'shell', true],
  ['Dockerfile', 'a Dockerfile', true],
  ['Dockerfile.dev', 'a Dockerfile', true],
  ['deploy/values.yaml', 'YAML', true],
  ['Makefile', 'a Makefile', true],
  ['package.json', 'JSON', false],
  ['README.md', 'Markdown', false],
])('knows that %s is %s, whose review it may be expected to do: %s', (path, name, isCode) => {
  expect(otherKindOf(path)).toEqual({ name, isCode });
});

it.each(['LICENSE', 'bin/start', 'notes.txt', 'c/x.unknown'])(
  'knows no other kind of %s',
  (path) => {
    expect(otherKindOf(path)).toBeUndefined();
  },
);
