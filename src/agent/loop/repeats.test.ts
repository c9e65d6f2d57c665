import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import type { EndedRound } from './evidence.ts';
import { countRepeats } from './run-task.ts';

function aRound(args: Record<string, Json>, output: Json, status = 'succeeded'): EndedRound {
  const steps = [{ id: 'a', tool: 'exec.run_tests', args }];
  const view = Object({ status, steps: { a: { status, attempts: 1 } } });
  const results = [{ step: 'a', tool: 'exec.run_tests', output }];
  return { plan: { version: 1, steps }, isFree: true, reads: [], mustShow: false, view, results };
}

describe('a round', () => {
  it('repeats an earlier one when calls and results are the same, however long they took', () => {
    const stdout = (took: string): Json => ({ failed: 2, durationMs: took.length, stdout: took });
    const rounds = [
      aRound({ path: '.' }, stdout('one item (2.241ms)\nduration_ms 120.72')),
      aRound({ path: 'b' }, stdout('one item (2.241ms)\nduration_ms 120.72')),
      aRound({ path: '.' }, stdout('one item (12.2ms)\nduration_ms 95.1')),
    ];
    expect(countRepeats(rounds)).toBe(1);
  });

  it('is new with another result, another end or other arguments', () => {
    const rounds = [
      aRound({ path: '.' }, { failed: 2 }),
      aRound({ path: '.' }, { failed: 1 }),
      aRound({ path: '.' }, { failed: 2 }, 'failed'),
      aRound({ path: '.', filter: 'x' }, { failed: 2 }),
    ];
    expect(countRepeats(rounds)).toBe(0);
  });
});
