import { describe, expect, it } from 'vitest';
import { printableStream } from './printable.ts';
import { createProgressBar } from './progress-bar.ts';

const clear = '\u001B[2K\u001B[G';

/** A terminal and a clock the test moves. */
function aScreen(isTTY = true) {
  const written: string[] = [];
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const stream = printableStream({
    isTTY,
    columns: 50,
    write: (text: string) => written.push(text),
  });
  return { written, clock, bar: createProgressBar(stream, clock) };
}

describe('the progress bar', () => {
  it('stays away for the first second', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 999;
    bar.update({ progress: 1, total: 2 });
    bar.clear();
    expect(written).toEqual([]);
  });

  it('shows how much is done after that, and leaves no trace', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 1000;
    bar.update({ progress: 5, total: 10, message: 'src/a.ts' });
    bar.clear();
    expect(written).toEqual([`${clear}[############............] 5/10 src/a.ts`, clear]);
  });

  it('draws at most ten times a second', () => {
    const { written, clock, bar } = aScreen();
    for (clock.nowMs = 1000; clock.nowMs < 2000; clock.nowMs += 1) {
      bar.update({ progress: clock.nowMs });
    }
    expect(written).toHaveLength(10);
  });

  it('never breaks the line, whatever the tool says', () => {
    const { written, clock, bar } = aScreen();
    clock.nowMs = 1000;
    bar.update({ progress: 30, total: 10, message: `a\n\u001B[31m${'x'.repeat(500)}` });
    expect(written[0]).toHaveLength(clear.length + 49);
    expect(written[0]?.slice(clear.length)).not.toMatch(/\p{Cc}/u);
  });

  it('is not for pipes', () => {
    const { written, clock, bar } = aScreen(false);
    clock.nowMs = 5000;
    bar.update({ progress: 1 });
    bar.clear();
    expect(written).toEqual([]);
  });
});
