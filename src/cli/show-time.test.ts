import { describe, expect, it } from 'vitest';
import { timeShower } from './show-time.ts';
import { TextSink } from './testing/run-main.ts';

const now = Date.parse('2026-11-17T19:05:30.000Z');
const ago = (seconds: number): string => new Date(now - seconds * 1_000).toISOString();

describe('a time', () => {
  it.each([
    [5, 'just now'],
    [125, '2 min ago'],
    [3 * 3_600, '3 h ago'],
    [30 * 3_600, 'yesterday'],
    [3 * 86_400, '3 days ago'],
  ])('%i seconds ago is told as people do at a terminal', (seconds, text) => {
    expect(timeShower({ stdout: new TextSink(true) }, now)(ago(seconds))).toBe(text);
  });

  it('is a date after a week, and a local minute in a pipe or ahead of the clock', () => {
    const atTerminal = timeShower({ stdout: new TextSink(true) }, now);
    expect(atTerminal(ago(30 * 86_400))).toMatch(/^2026-10-1[78]$/);
    expect(atTerminal(ago(-120))).toMatch(/^2026-11-1[78] \d\d:\d\d$/);
    expect(atTerminal('soon')).toBe('soon');
    const piped = timeShower({ stdout: new TextSink(false) }, now);
    expect(piped(ago(125))).toMatch(/^2026-11-1[78] \d\d:03$/);
  });
});
