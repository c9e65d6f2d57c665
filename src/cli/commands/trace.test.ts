import { describe, expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';

describe('tutti trace', () => {
  it('explains the latest trace', async () => {
    const { exitCode, stdout } = await runMain(['trace', 'explain', 'last']);
    expect([exitCode, stdout]).toEqual([0, 'explanation of abc1\n']);
  });

  it('finds traces, and says when none fits', async () => {
    const found = await runMain(['trace', 'find', '--error', '--slower', '2s', '--cost', '$0.01']);
    expect(found.stdout).toContain('abc1');
    expect(found.stdout).toContain('$0.0200');
    const none = await runMain(['trace', 'find', '--tool', 'none']);
    expect([none.exitCode, none.stdout]).toEqual([0, 'No trace fits.\n']);
  });

  it.each([
    [['trace', 'find', '--slower', 'soon'], '--slower wants a duration such as 500ms'],
    [['trace', 'find', '--cost', 'much'], '--cost wants US dollars'],
    [['trace', 'find', 'echo'], 'takes options only, such as --tool echo'],
    [['trace', 'explain'], 'wants the id of a trace, or last'],
    [['trace', 'explain', 'a', 'b'], 'takes one id'],
    [['trace', 'abc', '--tool', 'x'], '--tool belongs to "tutti trace find"'],
    [['trace', 'abc', 'def'], 'takes one id'],
  ])('refuses %j with a sentence', async (args, message) => {
    const { exitCode, stderr } = await runMain(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
