import { describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.ts';

/** Counted by the tokenizers of GPT-4 (cl100k) and GPT-4o (o200k); the larger of the two. */
const counted: readonly (readonly [string, number])[] = [
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

  it.each(counted)('of %j is at least %i', (text, tokens) => {
    expect(countTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(countTokens(text)).toBeLessThanOrEqual(tokens * 3 + 2);
  });

  it('takes time that grows with the text only', () => {
    expect(countTokens('a b1 '.repeat(200_000))).toBeGreaterThan(400_000);
  });
});
