import { describe, expect, it } from 'vitest';
import type { Remembered, Session } from '../../../../contract/session/index.ts';
import { anAnswer } from '../../../testing/fake-agent.ts';
import { aSession } from '../../../testing/fake-memory.ts';
import { tuttiWithAgent } from '../../../testing/run-on-agent.ts';
import { atTerminal } from '../../../testing/run-on-runs.ts';

const code = (
  content: string,
  title = 'fib.py',
  kind: Remembered['kind'] = 'code',
): Remembered => ({
  kind,
  title,
  language: 'python',
  content,
});

/** A conversation whose turns left this behind. */
function sessionOf(...turns: readonly Remembered[][]): Session {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...aSession,
    turns: turns.map((remembered, index) => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return { number: index + 1, at, role, text: 'x', remembered };
    }),
  };
}

async function shown(session: Session, isTerminal = true): Promise<string> {
  const ran = await tuttiWithAgent(['ask', 'x y'], {
    scenes: [{ outcome: anAnswer('Done') }],
    sessions: [session],
    ...(isTerminal && atTerminal('')),
  });
  return ran.stdout;
}

describe('what an answer changed', () => {
  it('is shown as a diff at a terminal', async () => {
    const session = sessionOf([], [code('a\nb\nc\n')], [], [code('a\nB\nc\n', 'faster fib.py')]);
    expect(await shown(session)).toBe(
      'Done\n--- fib.py\n+++ faster fib.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    );
    expect(await shown(session, false)).toBe('Done\n');
  });

  it('is compared with the file that was attached', async () => {
    const file = code('def f( a,b ):return a+b\n', 'app.py', 'file');
    const session = sessionOf([file], [code('def f(a, b):\n    return a + b\n')]);
    expect(await shown(session)).toContain('-def f( a,b ):return a+b\n+def f(a, b):\n');
  });

  it.each([
    ['nothing changed', sessionOf([], [code('a\n')], [], [code('a\n')])],
    ['it is new', sessionOf([], [], [], [code('a\n')])],
    ['it is something else', sessionOf([], [code('a b')], [], [code('c d')])],
    ['it is tests', sessionOf([], [code('a b c', 'x', 'tests')], [], [code('a b d')])],
    ['the turn is not over', sessionOf([], [code('a')], [code('b')])],
  ])('is not shown where %s', async (_name, session) => {
    expect(await shown(session)).toBe('Done\n');
  });

  it('is cut where it is long, and cannot do anything to the terminal', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `\u001B[2J${index}\n`);
    const text = await shown(
      sessionOf([], [code(lines.join(''))], [], [code(lines.toReversed().join(''))]),
    );
    expect(text).toMatch(/… \d+ more lines\n$/);
    expect(text).not.toContain('\u001B');
  });
});
