import { expect, it } from 'vitest';
import type { OutputPiece } from '../../../contract/sandbox/index.ts';
import { showWholeLines } from './whole-lines.ts';

function passed(...pieces: [OutputPiece['stream'], string][]): string[] {
  const seen: string[] = [];
  const push = showWholeLines(
    (bytes) => `<${Buffer.from(bytes).toString()}>`,
    ({ bytes }) => seen.push(Buffer.from(bytes).toString()),
  );
  for (const [sequence, [stream, text]] of pieces.entries()) {
    push({ stream, sequence, bytes: Buffer.from(text) });
  }
  return seen;
}

it('shows standard output by whole lines, however it was cut, and standard error at once', () => {
  expect(passed(['stdout', 'a'], ['stderr', 'x'], ['stdout', 'b\nc\nd'], ['stdout', '\n'])).toEqual(
    ['x', '<ab\nc\n>', '<d\n>'],
  );
});

it('does not wait for the end of a line that has none', () => {
  expect(passed(['stdout', 'a'.repeat(300_000)])).toHaveLength(1);
});
