import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFaultPoints, noFaults } from './fault-point.ts';

const module = fileURLToPath(new URL('fault-point.ts', import.meta.url));

/** Passes `a` and `b` three times each in a process of its own, and says each time that it has. */
function passAll(fault: string): { said: string; signal: string | null } {
  const program = `
    import { createFaultPoints } from ${JSON.stringify(module)};
    import { writeSync } from 'node:fs';
    const faultPoint = createFaultPoints(process.argv[1]);
    for (const name of ['a', 'b', 'a', 'b', 'a', 'b']) { faultPoint(name); writeSync(1, name); }`;
  const args = ['--input-type=module-typescript', '-e', program, fault];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { said: stdout, signal };
}

describe('fault points', () => {
  it.each([undefined, ''])('do nothing when they are told %j', (text) => {
    expect(createFaultPoints(text)).toBe(noFaults);
    expect(noFaults('anything')).toBeUndefined();
  });

  it('kill the process when one is passed for the given time', () => {
    expect(passAll('b:2')).toEqual({ said: 'aba', signal: 'SIGKILL' });
    expect(passAll('a')).toEqual({ said: '', signal: 'SIGKILL' });
    expect(passAll('b:4')).toEqual({ said: 'ababab', signal: null });
  });

  it('pass names that are not meant', () => {
    expect(() => createFaultPoints('engine.commit.before:1')('engine.commit.after')).not.toThrow();
  });
});
