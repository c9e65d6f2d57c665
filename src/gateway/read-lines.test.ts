import { expect, it } from 'vitest';
import { LineReader, type Line } from './read-lines.ts';

function read(chunks: readonly string[], maxBytes = 10): string[] {
  const lines: Line[] = [];
  const reader = new LineReader(maxBytes, (line) => lines.push(line));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return lines.map((line) => (line.kind === 'line' ? line.bytes.toString() : 'TOO LONG'));
}

it('gives each line whole, however the chunks fall', () => {
  expect(read(['a\nbc', 'd\n', '\n', 'e'])).toEqual(['a', 'bcd', '', 'e']);
});

it('says once that a line is too long and goes on with the next', () => {
  expect(read(['x'.repeat(8), 'x'.repeat(8), 'x'.repeat(8), '\nok\n'])).toEqual(['TOO LONG', 'ok']);
  expect(read(['x'.repeat(11)])).toEqual(['TOO LONG']);
  expect(read([`${'x'.repeat(10)}\n`])).toEqual(['x'.repeat(10)]);
});
