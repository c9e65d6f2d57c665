import { describe, expect, it, vi } from 'vitest';
import { timeShower } from './output.ts';
import type { System, SystemRequest } from '../compose/index.ts';
import { createFakeSystem } from '../../testkit/cli/fake-system.ts';
import { runMain, runWith, TextSink } from '../../testkit/cli/run-main.ts';

describe('a command that takes long', () => {
  it('says what it waits for, on standard error', async () => {
    const slow = (system: System): System => ({
      ...system,
      findTools: async () => {
        await vi.advanceTimersByTimeAsync(1_001);
        return [];
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ran = runWith(slow, ['tools', 'bananas', '--json']);
    const { stdout, stderr } = await ran.finally(() => vi.useRealTimers());
    expect(stdout).toBe('[]\n');
    expect(stderr).toContain('Loading the search model …\n');
  });
});

/** A tool whose answer `echoed` is a secret. */
async function call(flags: readonly string[], isTTY: boolean) {
  const { openSystem, ...others } = await createFakeSystem().compose();
  const opened = async (options: SystemRequest): Promise<System> => ({
    ...(await openSystem(options)),
    hideSecrets: async () => (text) => ({
      text: text.replace('echoed', '[hidden word]'),
      count: 1,
    }),
  });
  const io = { compose: async () => ({ ...others, openSystem: opened }) };
  return runMain(['call', 'fake.echo_all', ...flags], { isTTY, io });
}

it('hides secrets at a terminal and says so', async () => {
  const { stdout, stderr } = await call(['--yes'], true);
  expect(stdout).toBe('[hidden word]\n');
  expect(stderr).toContain('1 secret is hidden; --json prints all of it');
});

it.each([
  ['in a pipe', [], false],
  ['with --json', ['--json'], true],
])('leaves them as they are %s', async (_where, flags, isTTY) => {
  const { stdout, stderr } = await call(flags, isTTY);
  expect(stdout).not.toContain('[hidden');
  expect(stderr).not.toContain('hidden');
});

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
