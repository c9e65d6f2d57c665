import { describe, expect, it } from 'vitest';
import { ownEscape, printable, printableStream, singleLine } from './printable.ts';

const code = (value: number): string => String.fromCodePoint(value);

describe('printable text', () => {
  it.each([
    ['C0', '\u0000\u0007\u0008\u000B\u001B'],
    ['DEL and C1', '\u007F\u0085\u0090\u009B\u009D\u009F'],
    ['bidirectional controls', '\u061C\u200E\u200F\u202A\u202E\u2066\u2069'],
    ['zero-width characters', '\u00AD\u034F\u200B\u200C\u200D\u2060\u180E\uFEFF'],
    ['fillers that look like blanks', '\u115F\u1160\u3164\uFFA0'],
    ['line separators', '\u2028\u2029'],
    ['variation selectors that carry hidden data', `a\uFE00\uFE0F${code(0xe0100)}`],
    ['tags', code(0xe0001) + code(0xe0041)],
  ])('shows %s as escapes, and JSON stays the same', (_kind, hostile) => {
    const shown = printable(`x${hostile}y`);
    expect(shown).toMatch(/^[ -~]+$/);
    const json = JSON.stringify({ [hostile]: hostile });
    expect(JSON.parse(printable(json))).toEqual(JSON.parse(json));
  });

  it.each(['line\n\tindented', 'Grüße, 你好, שלום', '👩‍💻 ⚠️ 1️⃣ 👩🏽‍🚀 🏳️‍🌈'])(
    'leaves %j as it is',
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  it('keeps the lines of files from Windows, and no return that overwrites what was written', () => {
    expect(printable('a\r\nrm -rf\rls')).toBe('a\nrm -rfls');
    expect(singleLine('a\r\n\tb')).toBe('a  b');
  });
});

it('lets escape sequences of our own through a stream, and no imitation', () => {
  const written: string[] = [];
  const stream = printableStream({ isTTY: true, columns: 7, write: (text) => written.push(text) });
  stream.write(`${ownEscape}[31m\u001B[31mred\u009B0m${ownEscape}[39m\n`);
  stream.write(`\u001B${'0'.repeat(36)}[2J`);
  expect(written).toEqual([
    '\u001B[31m\\u001b[31mred\\u009b0m\u001B[39m\n',
    `\\u001b${'0'.repeat(36)}[2J`,
  ]);
  expect([stream.isTTY, stream.columns]).toEqual([true, 7]);
});
