import { describe, expect, it } from 'vitest';
import { cleanOutput, isBinary, OutputCleaner } from './clean-output.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** The same text, however it is cut into pieces. */
function inPieces(given: Uint8Array, size: number): string {
  const cleaner = new OutputCleaner();
  let text = '';
  for (let at = 0; at < given.length; at += size) {
    text += cleaner.push(given.subarray(at, at + size));
  }
  return text + cleaner.end();
}

describe('cleaning output', () => {
  it.each([
    ['plain text', 'one\ttwo\nthree', 'one\ttwo\nthree'],
    ['letters of the world', 'grün 漢字 🎼', 'grün 漢字 🎼'],
    ['a colour', 'a\u001b[1;31mb\u001b[0mc', 'abc'],
    ['cursor movement', 'a\u001b[2J\u001b[10;20Hb', 'ab'],
    ['a private sequence', 'a\u001b[?25lb', 'ab'],
    ['a title ended by a bell', 'a\u001b]0;evil\u0007b', 'ab'],
    ['a link ended by ST', 'a\u001b]8;;http://x\u001b\\b', 'ab'],
    ['a clipboard write', 'a\u001b]52;c;cm0gLXJm\u0007b', 'ab'],
    ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
    ['an application command', 'a\u001b_Gf=100;AAAA\u001b\\b', 'ab'],
    ['a privacy message and a start of string', 'a\u001b^x\u001b\\b\u001bXy\u001b\\c', 'abc'],
    ['eight-bit sequences', 'a\u009b31mb\u009d0;t\u009cc\u0090q\u009cd', 'abcd'],
    ['a character set', 'a\u001b(Bb', 'ab'],
    ['a reset', 'a\u001bcb', 'ab'],
    ['an escape in a string that is no end', 'a\u001b]0;t\u001b[31mb', 'ab'],
    ['a string broken off', 'a\u001b]0;t\u0018b', 'ab'],
    ['a string that runs into the next line', 'a\u001b]0;t\nb', 'a\nb'],
    ['a sequence with a letter of another script', 'a\u001b[31äb', 'aäb'],
    ['an escape before a control character', 'a\u001b\u0001b', 'ab'],
    ['a sequence inside a sequence', 'a\u001b[3\u001b[31mb', 'ab'],
    ['control characters', 'a\u0000\u0007\u0008\u000b\u000c\u007f\u0085b', 'ab'],
    ['lines of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['lines written over', '10%\r20%\r', '10%\n20%\n'],
    ['a return before an escape', 'a\r\u001b[Kb', 'a\nb'],
    ['nothing', '', ''],
  ])('%s', (_what, given, expected) => {
    expect(cleanOutput(bytes(given))).toBe(expected);
    for (const size of [1, 2, 3, 5]) expect(inPieces(bytes(given), size)).toBe(expected);
  });

  it('puts a sign for what is no UTF-8, also where a piece ends', () => {
    const given = Buffer.from([0x61, 0xc3, 0x28, 0xff, 0xe2, 0x82]);
    expect(cleanOutput(given)).toBe('a\ufffd(\ufffd\ufffd');
    for (const size of [1, 2, 3]) expect(inPieces(given, size)).toBe('a\ufffd(\ufffd\ufffd');
  });

  it('does not let a string without an end swallow the rest', () => {
    const text = cleanOutput(bytes(`\u001b]${'x'.repeat(10_000)}seen`));
    expect(text.endsWith('seen')).toBe(true);
  });

  it('never gives more characters than it got bytes, and no control character', () => {
    let seed = 7;
    const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) >> 8;
    for (let round = 0; round < 200; round += 1) {
      const noise = Uint8Array.from({ length: 300 }, () =>
        next() % 3 === 0 ? 0x1b : next() % 256,
      );
      const text = cleanOutput(noise);
      expect(text.length).toBeLessThanOrEqual(noise.length);
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(inPieces(noise, 7)).toBe(text);
    }
  });

  it('takes a time that grows with the length alone', () => {
    for (const hostile of ['\u001b', '\u001b[', '\u001b]', '\r', '\u001b[1', 'a\u001b[m']) {
      const given = bytes(hostile.repeat(2_000_000 / hostile.length));
      const startedAt = performance.now();
      cleanOutput(given);
      expect(performance.now() - startedAt, JSON.stringify(hostile)).toBeLessThan(3_000);
    }
  });
});

it('tells text from what is none', () => {
  expect(isBinary(bytes('text\u001b[31m'))).toBe(false);
  expect(isBinary(bytes(''))).toBe(false);
  expect(isBinary(bytes('a\0'))).toBe(true);
  expect(isBinary(Buffer.from([0xff, 0xfe, 0x61, 0x62]))).toBe(true);
});
