import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { followPage, matchOutput, parseConsoleBlocks } from './console-page.ts';

const page = `Text
\`\`\`console
$ cd shop
$ cat > a.txt <<'EOF'
> one
> EOF

$ cat a.txt
one
\`\`\`
\`\`\`sh
not run
\`\`\`
`;

it('reads commands with their continuation lines and output, from console blocks only', () => {
  expect(parseConsoleBlocks(page)).toEqual([
    { command: 'cd shop', expected: [] },
    { command: "cat > a.txt <<'EOF'\none\nEOF", expected: [] },
    { command: 'cat a.txt', expected: ['one'] },
  ]);
});

it('lets … stand for lines and for text, and durations differ', () => {
  const matches = (expected: string[], output: string): boolean =>
    matchOutput(expected, output, new Map());
  expect(matches(['a', '…', 'd'], 'a\nb\nc\nd\n')).toBe(true);
  expect(matches(['a', '…'], 'a\n')).toBe(true);
  expect(matches(['took 12 ms'], 'took 3.5 s\n')).toBe(true);
  expect(matches(['x … z'], 'x y z\n')).toBe(true);
  expect(matches([], '')).toBe(true);
  expect(matches(['a'], 'a\nb\n')).toBe(false);
  expect(matches(['3 issues'], '4 issues\n')).toBe(false);
  expect(matches([], 'something\n')).toBe(false);
});

it('takes an id of the page for the one that was printed, and the same one later', () => {
  const ids = new Map<string, string>();
  const [shown, printed] = ['1maaaaaaaaaaaaaaaa', '1mbbbbbbbbbbbbbbbb'];
  expect(
    matchOutput([`Run ${shown}`, `${shown} done`], `Run ${printed}\n${printed} done\n`, ids),
  ).toBe(true);
  expect(ids.get(shown)).toBe(printed);
  expect(matchOutput([`Run ${shown}`, shown], `Run ${printed}\n1mcccccccccccccccc\n`, ids)).toBe(
    false,
  );
});

it('runs commands in one shell and reports those that print something else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const steps = parseConsoleBlocks(
    '```console\n$ mkdir shop && cd shop\n$ export WORD=tea\n$ echo "$WORD in $(basename "$PWD")"\ntea in shop\n$ echo four\nfive\n```\n',
  );
  expect(followPage(steps, folder)).toEqual(['$ echo four\n--- page\nfive\n--- output\nfour\n']);
});
