import { describe, expect, it } from 'vitest';
import { blankUnseen, escapeLine, escapeUnseen } from './unseen-characters.ts';

const everyUnseen = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u.test(character));

describe('text for people', () => {
  it('shows every unseen character as its code, and JSON stays the same', () => {
    const text = everyUnseen.map((character) => `a${character}`).join('');
    const shown = escapeUnseen(text);
    expect(shown).toMatch(/^[ -~]+$/);
    expect(JSON.parse(`"${shown}"`)).toBe(text);
    expect(blankUnseen(text)).toBe('a '.repeat(everyUnseen.length));
  });

  it.each([
    ['a digit and a selector', '1\uFE0F00', '1\\ufe0f00'],
    ['two selectors', '⚠\uFE0F\uFE0F', '⚠\uFE0F\\ufe0f'],
    ['a joiner after an emoji alone', '👩\u200D x', '👩\\u200d x'],
    ['a return', 'safe\rrm', 'safe\\u000drm'],
  ])('shows %s', (_what, text, shown) => {
    expect(escapeUnseen(text)).toBe(shown);
  });

  it.each(['line\n\tindented', 'Grüße, 你好, שלום', '👩‍💻 ⚠️ 1️⃣ 👩🏽‍🚀 🏳️‍🌈'])(
    'leaves %j as it is',
    (text) => {
      expect(escapeUnseen(text)).toBe(text);
    },
  );

  it('fits on a line where a second could pass for something else', () => {
    expect(escapeLine('a\n\tb\u2028c')).toBe('a  b\\u2028c');
    expect(blankUnseen('a\r\n\tb\u2028c')).toBe('a   b c');
  });
});
