import { describe, expect, it } from 'vitest';
import { pluralize, countTokens, formsOf, nearest, plainForm, stemOf } from './words.ts';

it('is singular for one and nothing else', () => {
  expect([0, 1, 2].map((number) => pluralize(number, 'tool'))).toEqual([
    '0 tools',
    '1 tool',
    '2 tools',
  ]);
});

it('takes the plural of a noun that needs another ending', () => {
  expect([1, 2].map((number) => pluralize(number, 'fix', 'fixes'))).toEqual(['1 fix', '2 fixes']);
});

const commands = ['call', 'tools', 'resources', 'prompts', 'serve', 'config'];

it.each([
  ['tool', 'tools'],
  ['slevre', 'serve'],
  ['slveer', undefined],
  ['sevre', 'serve'],
  ['cofnig', 'config'],
  ['TOOLS', 'tools'],
  ['resorces', 'resources'],
  ['cal', 'call'],
  ['banana', undefined],
  ['', undefined],
  ['res', 'resources'],
  ['c', undefined],
])('"%s" most likely meant %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant);
});

it('compares only the beginning of very long words', () => {
  const long = 'x'.repeat(1_000_000);
  expect(nearest(long, [`${long}y`, 'z'])).toBe(`${long}y`);
});

describe('forms of a word', () => {
  it.each([
    ['queries', 'query'],
    ['running', 'run'],
    ['tested', 'test'],
    ['fixes', 'fix'],
    ['revisalo', 'revisa'],
  ])('%s may be %s', (word, base) => {
    expect(formsOf(word)).toContain(base);
  });

  it('short words keep their ending', () => {
    expect(formsOf('is')).toEqual(['is']);
  });

  it('one stem stands for all of them', () => {
    expect(stemOf('parsers')).toBe(stemOf('parser'));
  });

  it('the plain form has no accents, capitals or curly apostrophes', () => {
    expect(plainForm('Prüfe l’Été')).toBe("prufe l'ete");
  });
});

/** Counted by the tokenizers of GPT-4 (cl100k) and GPT-4o (o200k); the larger of the two. */
const tokenCases: readonly (readonly [string, number])[] = [
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['internationalization of antidisestablishmentarianism', 9],
  ['function add(a, b) {\n  return a + b;\n}\n', 14],
  ['{"name":"x","items":[1,2,3],"ok":true}', 17],
  ['3.14159265358979', 7],
  ['Привет, как дела?', 8],
  ['今天天气很好，我们去散步吧。', 17],
  ['naïve café über straße', 8],
  ['🙂🙃🚀', 8],
  ['SELECT id, name FROM users WHERE age >= 18 ORDER BY name;', 15],
  ['https://example.org/a/b?c=d&e=f#g', 12],
  ['मैं ठीक हूँ', 13],
];

describe('an estimate of tokens', () => {
  it('is nothing for nothing', () => {
    expect(countTokens('')).toBe(0);
  });

  it.each(tokenCases)('of %j is at least %i', (text, tokens) => {
    expect(countTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(countTokens(text)).toBeLessThanOrEqual(tokens * 3 + 2);
  });

  it('takes time that grows with the text only', () => {
    expect(countTokens('a b1 '.repeat(200_000))).toBeGreaterThan(400_000);
  });
});
