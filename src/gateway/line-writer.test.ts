import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LineWriter } from './line-writer.ts';

function opened() {
  const written: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      written.push(text);
      done();
    },
  });
  const options = { output, input: new PassThrough(), unreadLimitMs: 1_000, onUnread: () => {} };
  return { written, writer: new LineWriter(options) };
}

it('writes the lines of one turn of the loop together', async () => {
  const { written, writer } = opened();
  for (const line of ['a', 'b', 'c']) writer.write(line);
  expect(written).toEqual([]);
  await turnOfLoop();
  expect(written).toEqual(['a\nb\nc\n']);
});

it('writes the last answer that is due at once, after what was held before it', async () => {
  const { written, writer } = opened();
  writer.write('a');
  writer.write('b', true);
  expect(written).toEqual(['a\nb\n']);
  writer.write('c', true);
  await turnOfLoop();
  expect(written).toEqual(['a\nb\n', 'c\n']);
});
